//! Archives, directories and streams of files, and runs over them.
//!
//! Invariant: data flows in one direction: inputs -> items -> (threads) filter -> sink, with its journal.

mod digest;
mod disk;
mod done;
mod error;
mod filter;
mod held;
mod http;
mod inputs;
mod item;
mod items;
mod journal;
mod names;
mod output;
mod part;
mod past;
mod pool;
mod proven;
mod record;
mod request;
mod run;
mod sink;
mod summary;
mod table;
pub mod wacz;
pub mod warc;

pub use done::{Done, Observer};
pub use error::Error;
pub use filter::Filter;
pub use inputs::Inputs;
pub use item::{Form, Item};
pub use items::Items;
pub use journal::Start;
pub use output::Output;
pub use record::{Outcome, Policy, Record};
pub use run::{Batch, Checked};
pub use summary::{Findings, Slow, Summary};
pub use table::Table;
