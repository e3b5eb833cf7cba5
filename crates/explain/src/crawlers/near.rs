//! Did you mean: the known crawler that a name is one edit away from.
//!
//! Invariant: a name is compared with the known names that are as long, or one letter longer or shorter, and with no
//! others. The name of a known crawler is near to none.

use std::sync::LazyLock;

use robosieve::parts::is_one_edit;

use super::{Crawler, token_of};

/// A shorter name is one edit away from many words. Our choice.
const SHORTEST: usize = 5;

/// The same for names of which no page is known: some are words of every day, such as `Spider`. Our choice.
const SHORTEST_LISTED: usize = 7;

/// The crawlers whose names are as long as the place says, those with a page first.
static BY_LENGTH: LazyLock<Vec<Vec<&'static Crawler>>> = LazyLock::new(|| {
    let mut by_length = Vec::new();
    for crawler in Crawler::every() {
        let length = crawler.token.len();
        let shortest = if crawler.documented { SHORTEST } else { SHORTEST_LISTED };
        if length < shortest || token_of(&crawler.token) != crawler.token {
            continue;
        }
        if by_length.len() <= length {
            by_length.resize_with(length.saturating_add(1), Vec::new);
        }
        by_length.get_mut(length).into_iter().for_each(|place: &mut Vec<_>| place.push(crawler));
    }
    by_length
});

pub(super) fn near(name: &str) -> Option<&'static Crawler> {
    let token = token_of(name);
    let lengths = token.len().saturating_sub(1)..=token.len().saturating_add(1);
    let near = lengths.filter_map(|length| BY_LENGTH.get(length)).flatten();
    let near = near.filter(|crawler| is_one_edit(token.as_bytes(), crawler.token.as_bytes()));
    // The name of a known crawler needs no other.
    near.min_by_key(|crawler| !crawler.documented).filter(|_| Crawler::find(name).is_none()).copied()
}

/// The word that another one is meant as: in another case, or one edit away.
pub(super) fn meant<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let is_meant = |known: &&&str| {
        word != **known && (word.eq_ignore_ascii_case(known) || is_one_edit(word.as_bytes(), known.as_bytes()))
    };
    words.iter().find(is_meant).copied()
}
