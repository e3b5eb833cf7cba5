//! The fast tests, in one program. `cargo mutants` builds and runs it for each change that it makes. `cargo test`
//! runs each file separately.
#![allow(missing_docs)]

mod behaviour;
mod bytes;
mod changes;
mod corpus;
mod dialects;
mod doors;
mod limits;
mod lines;
mod minimal;
mod names;
mod order;
mod parts;
mod paths;
mod serialised;
mod sets;
mod spec;
mod values;
