//! The files of the corpus.

#[path = "../../../../tests/families/corpus.rs"]
mod files;

pub(crate) use files::files as corpus;
