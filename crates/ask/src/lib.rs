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
//! # Ok::<(), robosieve_ask::Wrong>(())
//! ```
//!
//! # What it does not do
//! It reads and writes nothing, and knows no shell, no Python and no JavaScript.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod directive;
mod json;
mod package;
mod plan;
mod question;
mod request;
mod rows;
mod settings;
mod wrong;

pub use directive::OwnDirective;
pub use json::{Id, Object, json_error};
pub use package::{agents_of, ask};
pub use plan::Plan;
pub use question::{Filtered, diff, explain, lint};
pub use request::{
    BadRequest, MAX_AGENTS, NAME_OF_CRAWLER, Request, RequestSource, expect_name, expect_status, expect_version, id_of,
    named_agents, read,
};
pub use rows::{Door, Kind, Place, SETTINGS, Setting};
pub use settings::Settings;
pub use wrong::{Wrong, WrongKind};
