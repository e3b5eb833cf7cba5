//! Sites that could not be asked because of trouble on our side, while answers wait for their times.
//!
//! Invariant: such trouble is short by nature, so it uses up no URL at once. The URLs of the site wait in a queue of
//! their own, in order, and hold up no other. One of them asks again from time to time. Trouble that has lasted for the
//! patience is the answer to those that wait.

use std::collections::HashMap;
use std::time::Duration;

use crate::ask::answer::GateError;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::AddressGuard;
use crate::store_error::StoreError;

/// The least time until a site is asked again. Our choice: as long as the stores in servers fail at once after a
/// failure.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// The most sites that are remembered after their trouble was too long. Our choice: as many as may wait.
const MOST: usize = 65_536;

/// The sites with trouble of ours.
pub(super) struct Troubles {
    patience: Duration,
    sites: HashMap<Origin, Trouble>,
}

struct Trouble {
    /// When it began, and when it was met last.
    since: Moment,
    last: Moment,
    /// When the site is asked again.
    again: Moment,
    why: String,
    /// The site could be asked since. Its URLs still wait in their queue.
    is_over: bool,
}

impl Troubles {
    pub(super) fn new(patience: Duration) -> Self {
        Self { patience, sites: HashMap::new() }
    }

    /// Whether an error is trouble of ours that may pass.
    pub(super) fn may_pass(error: &GateError) -> bool {
        match error {
            // The caller's own setting refuses the port, for as long as it is set.
            GateError::NotAsked { why, .. } => !why.starts_with(AddressGuard::REFUSED),
            GateError::Store(error) => !matches!(error, StoreError::NotAStore { .. } | StoreError::Newer { .. }),
            GateError::Url(_) => false,
        }
    }

    /// The queue of a site's URLs, if they do not wait in their lane.
    pub(super) fn lane(origin: &Origin) -> String {
        format!("trouble of ours: {origin}")
    }

    /// Whether the URLs of a site belong in its own queue.
    pub(super) fn has(&self, origin: &Origin) -> bool {
        !self.sites.is_empty() && self.sites.contains_key(origin)
    }

    /// A site could not be asked. When it is to be asked again; `None` if that has lasted too long.
    pub(super) fn met(&mut self, origin: &Origin, error: &GateError, now: Moment) -> Option<Moment> {
        let until = match error {
            GateError::NotAsked { until, .. } => *until,
            _ => now,
        };
        let again = until.max(now.after(LEAST_PAUSE));
        let begun = self.sites.get(origin).filter(|trouble| {
            // After a long time without a question, it is another trouble.
            !trouble.is_over && now.since(trouble.last) <= self.patience.max(LEAST_PAUSE)
        });
        let since = begun.map_or(now, |trouble| trouble.since);
        let why = match error {
            GateError::NotAsked { why, .. } => why.clone(),
            error => error.to_string(),
        };
        if self.sites.len() > MOST {
            let patience = self.patience;
            self.sites.retain(|_, trouble| !trouble.is_too_long(patience));
        }
        let trouble = Trouble { since, last: now, again, why, is_over: false };
        let is_too_long = trouble.is_too_long(self.patience);
        self.sites.insert(origin.clone(), trouble);
        (!is_too_long).then_some(again)
    }

    /// A site could be asked, and so many of its URLs still wait in its own queue.
    pub(super) fn passed(&mut self, origin: &Origin, waiting: usize) {
        if waiting == 0 {
            self.sites.remove(origin);
        } else if let Some(trouble) = self.sites.get_mut(origin) {
            trouble.is_over = true;
        }
    }

    /// The error for a site whose trouble has lasted too long, until it is asked again.
    pub(super) fn given_up(&self, origin: &Origin, now: Moment) -> Option<GateError> {
        let trouble = self.sites.get(origin)?;
        (now < trouble.again && trouble.is_too_long(self.patience)).then(|| self.error(trouble))
    }

    /// The error for a site whose trouble has just become too long.
    pub(super) fn error_of(&self, origin: &Origin) -> Option<GateError> {
        self.sites.get(origin).map(|trouble| self.error(trouble))
    }

    fn error(&self, trouble: &Trouble) -> GateError {
        let why = format!("{} (for {} s)", trouble.why, self.patience.as_secs());
        GateError::NotAsked { why, until: trouble.again }
    }
}

impl Trouble {
    fn is_too_long(&self, patience: Duration) -> bool {
        !self.is_over && self.last.since(self.since) >= patience
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::from_millis(1_000_000 + millis)
    }

    fn failed() -> GateError {
        StoreError::Failed("away".into()).into()
    }

    /// [gate.wait-out] A millisecond less than the patience, the patience, and one more.
    #[test]
    fn trouble_is_waited_out_for_a_minute() {
        let site = Origin::of("http://a.test/").unwrap();
        for (millis, waits) in [(59_999, true), (60_000, false), (60_001, false)] {
            let mut troubles = Troubles::new(Duration::from_secs(60));
            assert!(!troubles.has(&site));
            for second in 0..60 {
                assert_eq!(troubles.met(&site, &failed(), at(second * 1_000)), Some(at((second + 1) * 1_000)));
                assert!(troubles.has(&site) && troubles.given_up(&site, at(second * 1_000)).is_none());
            }
            assert_eq!(troubles.met(&site, &failed(), at(millis)).is_some(), waits, "{millis}");
            // Those after it are not asked for a second each.
            assert_eq!(troubles.given_up(&site, at(millis)).is_some(), !waits, "{millis}");
            assert!(troubles.given_up(&site, at(millis + 1_000)).is_none());
        }
    }

    /// [gate.wait-out] What passed, or was long ago, does not count for the next trouble. A time that is said counts.
    #[test]
    fn each_trouble_has_its_own_patience() {
        let site = Origin::of("http://a.test/").unwrap();
        let mut troubles = Troubles::new(Duration::from_secs(60));
        for start in [0, 100_000] {
            for second in (0..59).map(|second| start + second * 1_000) {
                assert!(troubles.met(&site, &failed(), at(second)).is_some());
            }
            troubles.passed(&site, 1);
            assert!(troubles.has(&site), "its URLs stay in their order");
        }
        troubles.passed(&site, 0);
        assert!(!troubles.has(&site));
        for start in [0, 60_001, 120_002] {
            assert!(troubles.met(&site, &failed(), at(start)).is_some(), "{start}");
        }
        let until = GateError::NotAsked { why: "no name server".into(), until: at(130_000) };
        assert_eq!(troubles.met(&site, &until, at(120_003)), Some(at(130_000)));
    }

    /// [gate.wait-out] A wrong URL, a port that is refused, and a store of another version do not pass.
    #[test]
    fn what_does_not_pass_is_not_waited_out() {
        let not_asked = |why: &str| GateError::NotAsked { why: why.into(), until: at(0) };
        assert!(Troubles::may_pass(&failed()) && Troubles::may_pass(&not_asked("no name server answered")));
        assert!(!Troubles::may_pass(&not_asked("refused: port 25 is neither 80, 443 nor above 1023")));
        assert!(!Troubles::may_pass(&StoreError::Newer { path: "s".into(), found: 2, known: 1 }.into()));
        assert!(!Troubles::may_pass(&Origin::of("mailto:a@b").unwrap_err().into()));
    }
}
