//! The options of every interface of robosieve: the command, its NDJSON, Python and JavaScript.
//!
//! An option is one row of [`SETTINGS`]. The command's flags, the options of a request, and the types of the packages are
//! made from it. [`Settings`] are the options that a caller made, and [`Plan`] what they mean. [`ask`] answers a question
//! about a file, as JSON.
//!
//! ```
//! use robosieve_ask::{Door, Plan, Settings};
//!
//! let mut settings = Settings::default();
//! settings.set(Door::Package, "keep_unknown", true)?;
//! settings.set(Door::Package, "dialect", "google")?;
//! let plan = Plan::new(&settings)?;
//! assert!(plan.options.keep_unknown && plan.options.index_html);
//! assert!(settings.set(Door::Package, "order", "file-order").is_err());
//! # Ok::<(), robosieve_ask::Problem>(())
//! ```
//!
//! # What it does not do
//! It reads and writes nothing, and knows no shell, no Python and no JavaScript.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod json;
mod plan;
mod problem;
mod question;
mod request;
mod rows;
mod settings;

pub use json::{Id, json_error};
pub use plan::Plan;
pub use problem::Problem;
pub use question::{Filtered, agents_of, ask, diff, explain, lint};
pub use request::{
    MAX_AGENTS, NAME_OF_CRAWLER, Request, RequestSource, expect_name, expect_status, expect_version, id_of,
    named_agents, read,
};
pub use rows::{Door, Kind, SETTINGS, Setting, with_directive};
pub use settings::Settings;
