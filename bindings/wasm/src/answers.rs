//! Answers calls: a frame is read as settings, agents and a question.
//!
//! Invariant: nothing is decided here. The names of options are those of the command's NDJSON. JavaScript has checked the
//! names and the types; what a value means is known to the crate `robosieve-ask` only.

use robosieve_ask::{Question, Wrong, WrongKind, answer as answer_of};

use crate::frame::Frame;
use crate::plan;

/// Answers a call.
pub(crate) fn answer(frame: &Frame<'_>) -> Result<Vec<u8>, Wrong> {
    answer_of(&plan::of(frame)?, &question(frame)?, frame.bytes("body"))
}

fn question<'f>(frame: &Frame<'f>) -> Result<Question<'f>, Wrong> {
    let url = || frame.text("url").unwrap_or_default();
    let number = |name: &str| frame.text(name).and_then(|text| text.parse().ok());
    let words = frame.text("words") == Some("true");
    Ok(match frame.text("call").unwrap_or_default() {
        "sieve" => Question::Sieve,
        "explain" => Question::Explain { part: number("first_line").zip(number("most_lines")), words },
        "inspect" => Question::Inspect,
        "lint" => Question::Lint { most: number("most") },
        "test" => Question::Test { urls: frame.texts("url").collect(), words },
        "why" => Question::Why(url()),
        "usage" => Question::Usage(url()),
        "matrix" => Question::Matrix {
            urls: frame.texts("url").collect(),
            agents: frame.texts("agent").collect(),
            crawlers: frame.text("crawlers"),
        },
        "tree" => Question::Tree,
        "diff" => Question::Diff(frame.bytes("new")),
        "crawlers" => Question::Crawlers,
        other => {
            let message = format!("there is no function {other:?} in this module");
            return Err(Wrong { kind: WrongKind::Type, message });
        }
    })
}
