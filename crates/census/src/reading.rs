//! How the files of a census were read.
//!
//! Invariant: readings that could answer otherwise from the same text have other words. The words are for comparing, and
//! for people; nothing reads them back.

use robosieve::settings::{Dialect, Limits, Options};

/// What differs from the standard's reading, in words such as `dialect=google`. None if nothing does.
pub(crate) fn words_of(options: &Options) -> Option<String> {
    let mut words = Vec::new();
    let read = |dialect: Dialect| reading_of(&dialect.options());
    let mine = reading_of(options);
    let named = [Dialect::Standard, Dialect::Google, Dialect::Processor].into_iter();
    let near = |dialect: &Dialect| read(*dialect).iter().zip(&mine).filter(|(one, other)| one != other).count();
    let dialect = named.min_by_key(near).unwrap_or_default();
    if dialect != Dialect::Standard {
        words.push(format!("dialect={}", dialect.as_str()));
    }
    let differs = read(dialect).into_iter().zip(mine).filter(|(theirs, mine)| theirs != mine);
    words.extend(differs.map(|(_, mine)| mine));
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
    let mut limits = limits.for_verdicts();
    let limits = Limits::NAMES.iter().filter_map(|name| limits.named_mut(name).map(|limit| format!("{name}={limit}")));
    let mut words: Vec<String> = limits.collect();
    words.extend([
        format!("lines={lines:?}"),
        format!("vocabulary={vocabulary:?}"),
        format!("agents={agents:?}"),
        format!("union_of_agents={union_of_agents}"),
        format!("paths={paths:?}"),
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

    /// [census.reading]
    #[test]
    fn a_reading_has_words() {
        let standard = Options::default;
        let in_order = Options { precedence: Precedence::FileOrder, ..standard() };
        let short = Options { limits: Limits { max_bytes: 40, ..Limits::DEFAULT }, ..Dialect::Google.options() };
        let many = Options { keep_unknown: true, max_details: 3, complete: false, ..standard() };
        let found: Vec<_> =
            [standard(), many, in_order, Dialect::Google.options(), short].iter().map(words_of).collect();
        let google = "dialect=google";
        let short = format!("{google} max_bytes=40");
        let words = [None, None, Some("order=file"), Some(google), Some(&*short)];
        assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), words);
        let processor = words_of(&Dialect::Processor.options());
        assert_eq!(processor.as_deref(), Some("dialect=processor"));
    }
}
