//! The table of options: what a caller may give, and what is made from it.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, missing_docs)]

mod made;
mod options;
mod package;
mod settings;
