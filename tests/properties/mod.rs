//! What is true for every input and every choice: one function for each property.
//!
//! Invariant: each function takes the bytes of a file and a set of choices, and panics with a message if its property
//! is violated. It does not depend on where the bytes come from. The corpus tests and the fuzz targets call the same
//! functions.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::missing_panics_doc, clippy::must_use_candidate)]
#![allow(clippy::return_self_not_must_use)]

pub mod choices;
pub mod harmless;
pub mod limits;
pub mod lines;
pub mod naive;
pub mod parsing;
pub mod port;
pub mod text;
pub mod urls;
pub mod verdicts;

pub use choices::Choices;

/// A property: panics if it is violated.
pub type Property = fn(&[u8], &Choices);

/// The properties of one dialect, which do not depend on the options that are chosen.
pub const OF_A_DIALECT: &[(&str, Property)] = &[("verdicts::pass", verdicts::pass), ("port::agrees", port::agrees)];

/// All others, with their names.
pub const ALL: &[(&str, Property)] = &[
    ("parsing::is_total", parsing::is_total),
    ("parsing::without_vectors", parsing::without_vectors),
    ("parsing::directed", parsing::directed),
    ("parsing::owned", parsing::owned),
    ("lines::cover", lines::cover),
    ("lines::agree", lines::agree),
    ("text::form", text::form),
    ("text::idempotent", text::idempotent),
    ("text::reads_back", text::reads_back),
    ("text::says_once", text::says_once),
    ("limits::hold_in_the_text", limits::hold_in_the_text),
    ("limits::report_is_bounded", limits::report_is_bounded),
    ("limits::refusing", limits::refusing),
    ("verdicts::exact", verdicts::exact),
    ("verdicts::exact_for_all_agents", verdicts::exact_for_all_agents),
    ("verdicts::once", verdicts::once),
    ("verdicts::values_for_all_agents", verdicts::values_for_all_agents),
    ("verdicts::urls_of_any_kind", verdicts::urls_of_any_kind),
    ("verdicts::widening", verdicts::widening),
    ("verdicts::widening_for_all_agents", verdicts::widening_for_all_agents),
    ("naive::agrees", naive::agrees),
    ("harmless::output", harmless::output),
];
