//! The table of options: what a caller may give, and what is made from it and from the schema of answers.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, missing_docs)]

mod answers;
#[path = "../../../../tests/families/corpus.rs"]
mod corpus;
mod made;
mod options;
mod schema;
mod settings;
