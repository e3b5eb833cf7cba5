//! What `lint` suggests obeys the rules of edits: it was compared, and opens or closes nothing that its line does not name.
#![no_main]
#![allow(missing_docs)]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use robosieve_explain::Crawler;
use robosieve_fuzz::document::Document;

#[path = "../../crates/explain/tests/properties/advice.rs"]
mod advice;

/// Crawlers that use other groups than those of their names, and one that does not.
static KNOWN: LazyLock<Vec<&Crawler>> =
    LazyLock::new(|| Crawler::all().filter(|one| one.differs() || one.token == "GPTBot").take(4).collect());

fuzz_target!(|document: Document| {
    let mut tried = advice::Tried::default();
    tried.file(document.as_bytes(), &KNOWN);
    assert!(tried.broken.is_empty(), "{}", tried.broken.join("\n"));
});
