//! Lines -> groups: agents, rules and values of a file, and those of them that count for some agents.

pub(crate) mod address;
pub(crate) mod agent;
pub(crate) mod budget;
pub(crate) mod content_use;
pub(crate) mod doubt;
pub(crate) mod filter;
pub(crate) mod header;
pub(crate) mod labels;
pub(crate) mod lines;
pub(crate) mod options;
pub(crate) mod order;
pub(crate) mod parse;
pub(crate) mod record;
pub(crate) mod select;
pub(crate) mod spelling;
pub(crate) mod suspect;
pub(crate) mod token;
pub(crate) mod value;
pub(crate) mod values;
