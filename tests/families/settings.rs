//! The options that hostile files are read with.
//!
//! Invariant: each setting is as bad as possible in one way: names of one letter, every line kept, every finding in
//! detail, another dialect. Limits are off unless the name of the setting says otherwise.

use robosieve::policy::Precedence;
use robosieve::settings::{Dialect, Limits, Options, OverLimit};
use robosieve::syntax::{DirectiveScope, Leniency, ValueForm, Vocabulary};

/// A named set of options.
pub struct Setting {
    /// What the options are for.
    pub name: &'static str,
    /// Makes the options.
    pub options: fn() -> Options,
    /// Whether names of one letter are kept, so that a line can have three bytes.
    pub keeps_short_names: bool,
}

const fn setting(name: &'static str, options: fn() -> Options) -> Setting {
    Setting { name, options, keeps_short_names: false }
}

const fn with_short_names(name: &'static str, options: fn() -> Options) -> Setting {
    Setting { name, options, keeps_short_names: true }
}

/// Settings with the default limits.
pub const LIMITED: &[Setting] = &[
    setting("default", Options::default),
    setting("limits, widened", || Options { over_limit: OverLimit::Widen, ..Options::default() }),
    with_short_names("limits, unknown lines", || Options { keep_unknown: true, ..Options::default() }),
    with_short_names("limits, own names", || Options { limits: Limits::DEFAULT, ..own_names() }),
];

/// Settings without limits.
pub const UNLIMITED: &[Setting] = &[
    setting("unlimited", unlimited),
    setting("google", || Dialect::Google.options()),
    setting("processor", || Options { limits: Limits::NONE, ..Dialect::Processor.options() }),
    setting("generous", || Options { vocabulary: Vocabulary::new(Leniency::Generous), ..unlimited() }),
    setting("file order", || Options { precedence: Precedence::FileOrder, ..unlimited() }),
    setting("every detail", || Options { max_details: usize::MAX, ..unlimited() }),
    with_short_names("unknown lines", || Options { keep_unknown: true, ..unlimited() }),
    with_short_names("own names", own_names),
    with_short_names("own names, each ending a run", || Options { any_line_ends_run: true, ..own_names() }),
];

/// The setting of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Setting> {
    LIMITED.iter().chain(UNLIMITED).find(|setting| setting.name == name)
}

fn unlimited() -> Options {
    Options { limits: Limits::NONE, ..Options::default() }
}

/// `U` is a user-agent line, `X` a line of the record, `Y` one of the file, `Z` a path.
fn own_names() -> Options {
    let vocabulary = Vocabulary::default()
        .with_user_agent_name("U")
        .and_then(|words| words.with_directive("X", DirectiveScope::Record, ValueForm::Text))
        .and_then(|words| words.with_directive("Y", DirectiveScope::File, ValueForm::Text))
        .and_then(|words| words.with_directive("Z", DirectiveScope::Record, ValueForm::Path));
    Options { vocabulary: vocabulary.unwrap(), ..unlimited() }
}
