//! Trouble on our side, conditional requests and 429, as the gate answers them.

use std::sync::Mutex;

use robosieve::agent::Agents;
use robosieve_gate::decide::{Class, Lifetimes, Policy, Preset, SiteRecord};
use robosieve_gate::retrieve::{AtOnce, Attempt, AttemptEnd, Outcome, Retrieval, Retriever, Turns, Validators};
use robosieve_gate::{Answer, Gate, GateError, MemoryStore, Moment, Origin, Why};

use crate::making::{DAY, FILE, HOUR, Told, at, core, of_class, origin, reader, retrieval, secs};

fn not_asked() -> Retrieval {
    let end = AttemptEnd::NotAsked("too many open files".into());
    Retrieval { attempts: vec![Attempt { address: None, end }], ..retrieval(Outcome::NotAsked, None, "", at(0)) }
}

fn gate(told: &Told, preset: Preset) -> Gate<Told> {
    Gate::over(told.clone(), core().with_policy(preset))
}

const PRIVATE: &str = "https://example.com/private/x";

/// Under no policy does trouble on our side open a site, count as a failure, or get stored: [gate.own-trouble]
#[test]
fn trouble_of_ours_opens_nothing_and_is_not_stored() {
    for preset in Preset::ALL {
        let told = Told::new(not_asked());
        let gate = gate(&told, preset);
        let error = gate.permits(PRIVATE, at(0)).unwrap_err();
        assert!(matches!(&error, GateError::NotAsked { until, .. } if *until == at(10)), "{preset}: {error}");
        assert_eq!(error.to_string(), "the site could not be asked: too many open files");
        assert_eq!(crate::making::all(&**gate.store()), [], "{preset}");
        // Nobody else runs into it for ten seconds.
        assert!(gate.permits(PRIVATE, at(9)).is_err());
        assert_eq!(told.count(), 1, "{preset}");
        told.tell(of_class(Class::Success, at(0)));
        assert_eq!(gate.permits(PRIVATE, at(10)).unwrap(), denied(), "{preset}");
    }
}

fn denied() -> Answer {
    Answer::Denied { rule: "Disallow: /private".into(), line: 2 }
}

/// A site that was known stays as it was: the copy, the failures and the time of the next attempt: [gate.own-trouble]
#[test]
fn trouble_of_ours_changes_nothing_that_is_known() {
    for preset in Preset::ALL {
        let policy = Policy::from(preset);
        let mut record = SiteRecord::default();
        for class in [Class::Success, Class::NoAnswer] {
            let retrieved = of_class(class, at(0));
            record = record.after(&retrieved, reader().read(&retrieved), &policy, &Lifetimes::default());
        }
        let after = record.after(&not_asked(), reader().read(&not_asked()), &policy, &Lifetimes::default());
        assert_eq!(after, record, "{preset}");

        let told = Told::new(of_class(Class::Success, at(0)));
        let gate = gate(&told, preset);
        assert_eq!(gate.permits(PRIVATE, at(0)).unwrap(), denied());
        told.tell(not_asked());
        assert!(gate.permits(PRIVATE, at(2 * DAY)).is_err(), "{preset}: the copy is too old, and nobody was asked");
        let stored = gate.store().get(&origin(), reader().key()).unwrap().unwrap();
        assert_eq!((stored.failures, stored.last.unwrap().at), (0, at(0)), "{preset}");
    }
}

/// A retriever that answers 304 to a conditional request, and remembers the conditions.
struct Versions(Mutex<Vec<Option<String>>>);

impl Retriever for Versions {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        self.retrieve_in_turn(origin, &Validators::default(), &AtOnce)
    }

    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, _: &dyn Turns) -> Retrieval {
        self.0.lock().unwrap().push(held.etag().map(str::to_owned));
        let file = retrieval(Outcome::Rules, Some(200), FILE, Moment::default());
        let validators = Validators::new(Some("\"1\""), None);
        let file = Retrieval { origin: origin.clone(), fresh_for: Some(secs(2 * HOUR)), validators, ..file };
        if held.is_empty() {
            return file;
        }
        Retrieval { outcome: Outcome::Unchanged, status: Some(304), body: Vec::new(), fresh_for: None, ..file }
    }
}

/// A held copy is asked for with its validators. A 304 renews it, for as long as before: [gate.conditional]
#[test]
fn a_copy_is_renewed() {
    let gate = Gate::new(Versions(Mutex::default()), MemoryStore::default(), Agents::new(["MyBot"]));
    for round in 0..3 {
        let now = at(round * 2 * HOUR);
        assert_eq!(gate.permits(PRIVATE, now).unwrap(), denied());
        assert!(gate.is_cached(&origin(), now.after(secs(2 * HOUR - 1))).unwrap());
        assert!(!gate.is_cached(&origin(), now.after(secs(2 * HOUR))).unwrap());
    }
    let tag = || Some("\"1\"".to_owned());
    assert_eq!(*gate.retriever().0.lock().unwrap(), [None, tag(), tag()]);
    let report = gate.report(&origin(), at(5 * HOUR)).unwrap().unwrap();
    assert_eq!((report.status, report.retrieved, report.failures), (Some(304), Some(at(4 * HOUR)), 0));
}

/// Without a copy, with one of another policy, and after a failure, no condition is made: [gate.conditional]
#[test]
fn when_no_condition_is_made() {
    let policy = Policy::default();
    let of = |retrievals: &[Retrieval], policy: &Policy| {
        let step = |record: SiteRecord, retrieved: &Retrieval| {
            record.after(retrieved, reader().read(retrieved), policy, &Lifetimes::default())
        };
        retrievals.iter().fold(SiteRecord::default(), step)
    };
    let validators = Validators::new(Some("\"1\""), None);
    let file = Retrieval { validators: validators.clone(), ..of_class(Class::Success, at(0)) };
    assert!(SiteRecord::default().held(&policy).is_empty());
    assert_eq!(of(std::slice::from_ref(&file), &policy).held(&policy), validators);
    assert!(of(&[of_class(Class::Success, at(0))], &policy).held(&policy).is_empty());
    assert!(of(&[file.clone(), of_class(Class::ServerError, at(1))], &policy).held(&policy).is_empty());
    assert!(of(&[file.clone(), of_class(Class::NoFile, at(1))], &policy).held(&policy).is_empty());
    let closing = policy.clone().with(Class::Success, robosieve_gate::decide::Ruling::NotNow);
    assert!(of(&[file], &policy).held(&closing).is_empty());
}

/// A 304 that nobody asked for opens nothing and deletes nothing, under any policy: [gate.conditional]
#[test]
fn an_unasked_304_opens_nothing() {
    for preset in Preset::ALL {
        let policy = Policy::from(preset);
        let unchanged = retrieval(Outcome::Unchanged, Some(304), "", at(0));
        let after =
            |record: &SiteRecord| record.after(&unchanged, reader().read(&unchanged), &policy, &Lifetimes::default());
        let fresh = after(&SiteRecord::default());
        assert_eq!((fresh.failures, fresh.snapshot.as_ref()), (1, None), "{preset}");
        let retrieved = of_class(Class::Success, at(0));
        let known = SiteRecord::default().after(&retrieved, reader().read(&retrieved), &policy, &Lifetimes::default());
        let kept = after(&known);
        assert_eq!((kept.failures, &kept.snapshot), (1, &known.snapshot), "{preset}: the copy is still there");
    }
}

/// 429 with a Retry-After: nothing is fetched until then, also where the policy opens a site on 429. Without it, the
/// policy decides: [gate.retry-after]
#[test]
fn too_many_requests() {
    for preset in Preset::ALL {
        let busy = of_class(Class::TooManyRequests, at(0));
        let told = Told::new(Retrieval { retry_after: Some(secs(HOUR)), ..busy.clone() });
        let gate = gate(&told, preset);
        for now in [0, HOUR - 1] {
            match gate.permits(PRIVATE, at(now)).unwrap() {
                Answer::NotNow { until, why: Why::Disqualified { .. } | Why::Unreachable { .. } }
                | Answer::Closed { until, .. } => {
                    assert_eq!(until, at(HOUR), "{preset}");
                }
                answer => panic!("{preset}: {answer}"),
            }
        }
        assert_eq!(told.count(), 1, "{preset}");
        told.tell(of_class(Class::Success, at(0)));
        assert_eq!(gate.permits(PRIVATE, at(HOUR)).unwrap(), denied(), "{preset}");
    }
}
