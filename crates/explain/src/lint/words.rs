//! Names of directives, however they are spelled, and words that are meant for one.
//!
//! Invariant: two spellings of a name are equal: other case, hyphens, a slip that is known.

use std::collections::HashSet;
use std::sync::LazyLock;

use robosieve::lines::LogicalLine;
use robosieve::parts::{known_directives, misspellings};
use robosieve::settings::Leniency;
use strsim::levenshtein;

/// The names of directives, their known misspellings too, in small letters, without what stands between them.
static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let known = known_directives().map(|(name, _)| letters(name));
    misspellings(Leniency::Generous).map(|(slip, _)| letters(slip)).chain(known).collect()
});

/// The longest word that may be meant for a directive. Our choice: more than any has.
const LONGEST_NAME: usize = 32;

fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|one| one.to_ascii_lowercase()).collect()
}

/// Whether a word that is no directive's name is meant for one of the usual ones, by two letters at most.
pub(super) fn is_almost(word: &str) -> bool {
    const USUAL: [&str; 5] = ["useragent", "disallow", "allow", "sitemap", "crawldelay"];
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if word.len() > LONGEST_NAME || !word.bytes().all(is_name) {
        return false;
    }
    let name = letters(word);
    name.len() >= 3 && !NAMES.contains(&name) && USUAL.iter().any(|usual| levenshtein(&name, usual) <= 2)
}

/// Whether the name of a line is [almost](is_almost) a usual one.
pub(super) fn has_almost_name(line: &LogicalLine<'_, '_>) -> bool {
    line.name().and_then(|name| std::str::from_utf8(name).ok()).is_some_and(is_almost)
}

/// Whether a word is a directive's name, or is meant for one. No crawler is called so: it was glued to something.
pub(super) fn is_directive(word: &str) -> bool {
    NAMES.contains(&letters(word)) || is_almost(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [lint.replacement]
    #[test]
    fn no_crawler_is_called_as_a_directive_is() {
        let called: Vec<_> = crate::crawlers::Crawler::all().filter(|crawler| is_directive(crawler.token)).collect();
        assert!(called.is_empty(), "{called:?}");
    }
}
