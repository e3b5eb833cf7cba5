//! Finds URLs that show the effect of changed rules.
//!
//! Invariant: a flip is kept only if the two testers answer it differently, and if it shows a change that no other
//! flip shows. Each test of a URL and each step of a search is counted, so the limits of [`Diff`] are kept.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::meet::meetings;
use crate::sides::{Both, Change, Over, Pattern, Side, Sides, answer_of, spend};
use crate::witness::{Found, Search, with_part};
use crate::{Diff, Flip, Witness};
use robosieve::parts::{NO_NUMBER, percent_encoded, written};
use robosieve::records::Rule;
use robosieve::settings::{PathForm, Style};
use robosieve::{Tester, Verdict};

/// Returns the flips, and for each change the result of its search.
pub(crate) fn find_flips(
    changes: &[&Change<'_>],
    sides: &Sides<'_>,
    (testers, form): (Both<&Tester<'_>>, PathForm),
    work: &mut usize,
) -> (Vec<Flip>, Vec<Witness>) {
    let mut flips = Flips::new(testers, form);
    // Likely URLs of all rules come first: they show most changes and are cheap.
    let tried: Vec<bool> = changes.iter().map(|change| flips.try_likely(change, work).is_ok()).collect();
    let search = |(change, is_tried): (&&Change<'_>, bool)| {
        if is_tried { flips.search(change, sides, work) } else { Witness::NotSearched }
    };
    let searched: Vec<Witness> = changes.iter().zip(tried).map(search).collect();
    // A URL that was found for one rule may also show the change of another.
    let witness = |(change, witness): (&&Change<'_>, _)| if flips.show(change) { Witness::Found } else { witness };
    let witnesses = changes.iter().zip(searched).map(witness).collect();
    (flips.found, witnesses)
}

/// The work for the first URLs that another rule also matches. Our choice: a few hundred tests in most files.
const FIRST_LOOK: usize = 10_000;

/// The flips that were found.
struct Flips<'s> {
    testers: Both<&'s Tester<'s>>,
    form: PathForm,
    /// The number of rules with stars in both files, and the number of bytes in their literals.
    stars: (usize, usize),
    found: Vec<Flip>,
    /// The lines of the rules that decide the flips. None: of a rule that stands for all that a set lost.
    lines: Both<BTreeSet<Option<NonZeroU32>>>,
}

impl<'s> Flips<'s> {
    fn new(testers: Both<&'s Tester<'s>>, form: PathForm) -> Self {
        let (old, new) = (testers.old.rules_with_stars(), testers.new.rules_with_stars());
        let stars = (old.0.saturating_add(new.0), old.1.saturating_add(new.1));
        Self { testers, form, stars, found: Vec::new(), lines: Both::default() }
    }

    /// Whether a flip shows the change.
    fn show(&self, change: &Change<'_>) -> bool {
        [Side::Old, Side::New]
            .into_iter()
            .any(|side| change.rules.of(side).is_some_and(|rule| self.lines.of(side).contains(&rule.line())))
    }

    /// Tries the simplest URLs that a changed rule matches.
    fn try_likely(&mut self, change: &Change<'_>, work: &mut usize) -> Result<(), Over> {
        likely_paths(&change.pattern).try_for_each(|path| self.try_path(change, &path, work))
    }

    /// Tests a path unless a flip already shows the change. Keeps the flip if the path shows it.
    fn try_path(&mut self, change: &Change<'_>, path: &[u8], work: &mut usize) -> Result<(), Over> {
        if !self.show(change)
            && let Some(flip) = self.flip(change, path, work)?
        {
            self.keep(flip);
        }
        Ok(())
    }

    /// Searches for a URL that shows the change.
    fn search(&mut self, change: &Change<'_>, sides: &Sides<'_>, work: &mut usize) -> Witness {
        let mut is_proven = true;
        with_part(work, Diff::MAX_FUEL_OF_A_RULE, |work| {
            let places = core::iter::once(change.places.0).chain(change.places.1);
            for (place, side) in places.flat_map(|place| [(place, Side::Old), (place, Side::New)]) {
                if !self.show(change) && change.rules.of(side).is_some() {
                    is_proven &= self.search_side(change, sides, (place, side), work);
                }
            }
        });
        match self.show(change) {
            true => Witness::Found,
            false if is_proven => Witness::Impossible,
            false if *work == 0 => Witness::NotSearched,
            false => Witness::NotFound,
        }
    }

    /// Searches the paths that a pattern decides in one file. Returns whether it is proven that none of them shows
    /// the change.
    fn search_side(
        &mut self,
        change: &Change<'_>,
        sides: &Sides<'_>,
        (place, side): (usize, Side),
        work: &mut usize,
    ) -> bool {
        let Some(rule) = sides.patterns.get(place) else { return false };
        let Ok(related) = sides.related(place, work) else { return false };
        // URLs that another rule also matches are the easiest to understand.
        with_part(work, FIRST_LOOK, |work| self.try_meetings(change, rule, side, &related, work));
        if self.show(change) {
            return false;
        }
        let most = work.wrapping_div(2);
        let is_shown = |path: &[u8], work: &mut usize| self.flip(change, path, work).ok().flatten();
        match with_part(work, most, |work| Search::run(&related, rule, side, self.form.encoding, work, is_shown)) {
            Found::Nothing => return true,
            Found::Witness(flip) => self.keep(flip),
            // Too many combinations.
            Found::Unknown => self.try_meetings(change, rule, side, &related, work),
        }
        false
    }

    /// Tries paths that match this rule and also a rule of the other kind in the other file.
    fn try_meetings(
        &mut self,
        change: &Change<'_>,
        rule: &Pattern<'_>,
        side: Side,
        related: &[&Pattern<'_>],
        work: &mut usize,
    ) {
        let is_against = |number: u64| number != NO_NUMBER && answer_of(number) != answer_of(*rule.numbers.of(side));
        for filling in [&b"x"[..], b""] {
            for other in related.iter().filter(|other| is_against(*other.numbers.of(side.other()))) {
                let length = rule.literals.bytes.len().saturating_add(other.literals.bytes.len());
                if spend(work, length.wrapping_div(BYTES_OF_A_STEP).saturating_add(1)).is_err() {
                    return;
                }
                let paths = meetings(&rule.literals, &other.literals, filling);
                if paths.into_iter().flatten().try_for_each(|path| self.try_path(change, &path, work)).is_err() {
                    return;
                }
            }
        }
    }

    /// Returns the flip if the two files answer this path differently and the changed rule decides it in one of them.
    fn flip(&self, change: &Change<'_>, path: &[u8], work: &mut usize) -> Result<Option<Flip>, Over> {
        let (rules, literals) = self.stars;
        let of_path = path.len().wrapping_div(BYTES_OF_A_STEP).saturating_add(1);
        let of_stars = rules.saturating_add(2).saturating_mul(of_path);
        spend(work, of_stars.saturating_add(literals.wrapping_div(BYTES_OF_A_STEP)))?;
        let path = match self.form.encoding {
            Style::Standard => written(path),
            _ => Cow::Borrowed(path),
        };
        let url = [ORIGIN, &*path].concat();
        let (before, after) = (self.testers.old.test(&url), self.testers.new.test(&url));
        let decides = |verdict: Verdict<'_, '_>, side| {
            let (decided, changed) = (verdict.rule().map(Rule::line), change.rules.of(side).map(Rule::line));
            decided.is_some() && decided == changed
        };
        let is_shown = decides(before, Side::Old) || decides(after, Side::New);
        let (old_line, new_line) = (before.line(), after.line());
        let flip = || Flip { path: percent_encoded(&path), allowed: after.allowed(), old_line, new_line };
        Ok((before.allowed() != after.allowed() && is_shown).then(flip))
    }

    fn keep(&mut self, flip: Flip) {
        self.lines.old.insert(flip.old_line);
        self.lines.new.insert(flip.new_line);
        self.found.push(flip);
    }
}

/// One step tests a rule with stars on this many bytes.
pub(crate) const BYTES_OF_A_STEP: usize = 16;

/// Without an origin, the reader would read a path that begins with two slashes as a host.
pub(crate) const ORIGIN: &[u8] = b"http://host";

/// Paths that a pattern matches: with different fillings for its stars, and with a byte added at the end.
pub(crate) fn likely_paths(pattern: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    const FILLINGS: [&[u8]; 4] = [b"x", b"", b"7", b"/y/"];
    let (front, is_anchored) = match pattern.strip_suffix(b"$") {
        Some(front) => (front, true),
        None => (pattern, false),
    };
    let with = move |filling: &[u8], end: &[u8]| {
        let mut path = front.split(|byte| *byte == b'*').collect::<Vec<_>>().join(filling);
        path.extend_from_slice(end);
        if !path.starts_with(b"/") {
            path.insert(0, b'/');
        }
        path
    };
    let fillings = if front.contains(&b'*') { &FILLINGS[..] } else { &FILLINGS[..1] };
    let longer = (!is_anchored).then(|| with(b"x", b"x"));
    fillings.iter().map(move |filling| with(filling, b"")).chain(longer)
}
