//! How the files of a census were read.
//!
//! Invariant: readings that could answer otherwise from the same text have other words. The words are for comparing, and
//! for people; nothing reads them back.

use std::io;

use robosieve::path::PathForm;
use robosieve::printable::escape_short;
use robosieve::settings::{Dialect, Limits, Options};
use robosieve::syntax::LineForm;
use robosieve_explain::Names;

use crate::normal::Entry;

/// How files are read, as the column [`FileRow::reading`](crate::normal::FileRow::reading) has it.
#[derive(Clone, Debug)]
pub struct Reading(pub(crate) Option<String>);

impl Reading {
    /// With these options, and crawlers by these names.
    #[must_use]
    pub fn of(options: &Options, names: Names) -> Self {
        Self(words_of(options, names))
    }

    /// Refuses a file with rules that was read in another way: `[census.reading]`.
    ///
    /// # Errors
    /// Names both readings.
    pub fn expect(&self, entry: &Entry) -> io::Result<()> {
        if entry.file.outcome != "rules" || entry.file.reading == self.0 {
            return Ok(());
        }
        let words =
            |reading: &Option<String>| escape_short(reading.as_deref().unwrap_or("those of the standard").as_bytes());
        let (theirs, mine) = (words(&entry.file.reading), words(&self.0));
        Err(io::Error::other(format!(
            "a file was read with other options ({theirs}) than are given here ({mine}): give the options that the \
             census was made with"
        )))
    }
}

/// What differs from the standard's reading, in the names of the options, as `dialect=google`. None if nothing does.
fn words_of(options: &Options, names: Names) -> Option<String> {
    let mut words = Vec::new();
    let mine = reading_of(options);
    let dialects = Dialect::ALL.iter().map(|dialect| (*dialect, reading_of(&dialect.options())));
    // Of equally near ones the first is taken: the standard.
    let distance =
        |(_, theirs): &(_, Vec<String>)| theirs.iter().zip(&mine).filter(|(one, other)| one != other).count();
    let (dialect, theirs) = dialects.min_by_key(distance).unwrap_or_default();
    if dialect != Dialect::Standard {
        words.push(format!("dialect={}", dialect.as_str()));
    }
    let differs = theirs.into_iter().zip(mine).filter(|(theirs, mine)| theirs != mine);
    words.extend(differs.map(|(_, mine)| mine));
    // The rows of crawlers are theirs by the names that the census knew.
    if names == Names::Plain {
        words.push("known=false".to_owned());
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// The options that change what a text says, each with its value.
fn reading_of(options: &Options) -> Vec<String> {
    // An option that comes later has to be looked at here.
    let Options {
        limits,
        over_limit: _,
        lines,
        vocabulary,
        agents,
        union_of_agents,
        paths,
        precedence,
        robots_txt_allowed,
        index_html,
        any_line_ends_run,
        keep_unknown: _,
        base_url: _,
        max_details: _,
        complete: _,
        for_verdicts: _,
    } = options;
    let LineForm { style, fold, keep_trailing_spaces } = lines;
    let PathForm { encoding, complement_leading_slash, escaped_wildcard, decode_wildcard } = paths;
    let is_plain = vocabulary.own().next().is_none();
    let mut limits = limits.for_verdicts();
    let number = |limit: usize| if limit == usize::MAX { "none".to_owned() } else { limit.to_string() };
    let limits = Limits::NAMES
        .iter()
        .filter_map(|name| limits.named_mut(name).map(|limit| format!("{name}={}", number(*limit))));
    let mut words: Vec<String> = limits.collect();
    words.extend([
        format!("lines={style:?}"),
        format!("fold={fold}"),
        format!("keep_trailing_spaces={keep_trailing_spaces}"),
        format!("leniency={}", vocabulary.leniency().as_str()),
        // Those of the caller, and what each means.
        format!("directives={}", if is_plain { String::new() } else { format!("{vocabulary:?}") }),
        format!("agents={agents:?}"),
        format!("union_of_agents={union_of_agents}"),
        format!("paths={encoding:?}"),
        format!("complement_leading_slash={complement_leading_slash}"),
        format!("escaped_wildcard={escaped_wildcard}"),
        format!("decode_wildcard={decode_wildcard}"),
        format!("order={}", precedence.as_str()),
        format!("robots_txt_allowed={robots_txt_allowed}"),
        format!("index_html={index_html}"),
        format!("any_line_ends_run={any_line_ends_run}"),
    ]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use robosieve::policy::Precedence;
    use robosieve::syntax::{DirectiveScope, Leniency, ValueForm, Vocabulary};

    /// [census.reading]
    #[test]
    fn a_reading_has_words() {
        let standard = Options::default;
        let google = || Dialect::Google.options();
        let of_lines = |lines| Options { lines, ..standard() };
        let within = |max_bytes, of: Options| Options { limits: Limits { max_bytes, ..Limits::DEFAULT }, ..of };
        let strict = Options { vocabulary: Vocabulary::new(Leniency::Strict), ..standard() };
        for (options, words) in [
            (standard(), None),
            (Options { keep_unknown: true, max_details: 3, complete: false, ..standard() }, None),
            (Options { precedence: Precedence::FileOrder, ..standard() }, Some("order=file")),
            (of_lines(LineForm { fold: false, ..LineForm::default() }), Some("fold=false")),
            (strict, Some("leniency=strict")),
            (within(usize::MAX, standard()), Some("max_bytes=none")),
            (google(), Some("dialect=google")),
            (within(40, google()), Some("dialect=google max_bytes=40")),
            (Dialect::Processor.options(), Some("dialect=processor")),
        ] {
            assert_eq!(words_of(&options, Names::Known).as_deref(), words);
        }
        assert_eq!(words_of(&google(), Names::Plain).as_deref(), Some("dialect=google known=false"));
        let own = |scope| {
            let words = Vocabulary::default().with_directive("X-A", scope, ValueForm::Path).unwrap_or_default();
            words_of(&Options { vocabulary: words, ..standard() }, Names::Known)
        };
        let own = [DirectiveScope::File, DirectiveScope::Record].map(own);
        assert!(own[0] != own[1] && own.iter().flatten().all(|words| words.contains("X-a")), "{own:?}");
    }
}
