//! What a comparison of two files proves.
//!
//! Invariant: the two files are the first lines of the input, and all or the rest of them. So they often have rules in
//! common.

use robosieve::Tester;
use robosieve::records::RecordSet;
use robosieve::settings::Interest;
use robosieve_diff::{Comparison, Diff};

use super::{Choices, urls};

/// The steps of each search: enough for the rules of small files, and few enough for many inputs a second.
const WORK: usize = 200_000;

/// `[diff.flips]`, `[diff.same]`: the two files answer each flip differently. If the answers are the same in all of
/// them, no URL that the rules suggest is answered differently. The comparison in the other direction agrees.
pub fn proven(input: &[u8], choices: &Choices) {
    let middle = input.len() / 2;
    let line = input.iter().skip(middle).position(|&byte| byte == b'\n').map_or(input.len(), |at| middle + at + 1);
    let (first, rest) = input.split_at(line);
    let sieve = choices.sieve();
    let Ok(old) = sieve.filter(first) else { return };
    for other in [input, rest] {
        let Ok(new) = sieve.filter(other) else { continue };
        let forth = compare(old.records(), new.records());
        let back = compare(new.records(), old.records());
        let both = (forth.answers, back.answers);
        assert!(
            !matches!(both, (Comparison::Same, Comparison::Changed) | (Comparison::Changed, Comparison::Same)),
            "{both:?}: {forth:?} {back:?}"
        );
        assert_eq!(forth.rules_added.len(), back.rules_removed.len(), "{forth:?} {back:?}");
        assert_eq!((&forth.lines_added, &forth.lines_removed), (&back.lines_removed, &back.lines_added));
    }
}

fn compare(old: &RecordSet<'_>, new: &RecordSet<'_>) -> Diff {
    let diff = Diff::within(old, new, &mut { WORK });
    let testers = [old, new].map(|set| Tester::new(set, &Interest::everyone()));
    let answers = |url: &[u8]| [testers[0].is_allowed(url), testers[1].is_allowed(url)];
    for flip in &diff.flips {
        // A path that begins with two slashes would name a host.
        let url = format!("https://h.example{}", flip.path);
        assert_eq!(answers(url.as_bytes()), [!flip.allowed, flip.allowed], "{flip:?} in {diff:?}");
    }
    if diff.answers == Comparison::Same {
        for url in urls::for_set(old).iter().chain(&urls::for_set(new)) {
            let [of_old, of_new] = answers(url);
            assert_eq!(of_old, of_new, "{:?} in {diff:?}", String::from_utf8_lossy(url));
        }
    }
    diff
}
