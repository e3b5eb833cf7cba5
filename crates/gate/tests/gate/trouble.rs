//! Trouble on our side, conditional requests and 429, as the gate answers them.

use std::sync::Arc;

use robosieve_gate::decide::{Class, Lifetimes, Policy, Preset, SiteRecord};
use robosieve_gate::retrieve::{Fetched, Outcome, Retrieval, Validators};
use robosieve_gate::{Ask, Core, Next};

use crate::making::{DAY, FILE, HOUR, Played, Web, at, core, of_class, origin, reader, retrieval, secs, settings};

fn not_asked() -> Retrieval {
    let error = Some("too many open files".into());
    Retrieval { error, ..retrieval(Outcome::NotAsked, None, "", at(0)) }
}

fn gate(web: &Web, preset: Preset) -> Played {
    Played::with(web, settings(|settings| settings.policy = preset.into()))
}

const PRIVATE: &str = "https://example.com/private/x";

/// Under no policy does trouble on our side open a site, count as a failure, or get stored: [gate.own-trouble]
#[test]
fn trouble_of_ours_opens_nothing_and_is_not_stored() {
    for preset in Preset::ALL {
        let web = Web::new(not_asked());
        let gate = gate(&web, preset);
        let answer = gate.permits(PRIVATE, at(0));
        assert_eq!((answer.reason, answer.until), ("not-asked", Some(at(10))), "{preset}");
        assert_eq!(answer.why, "the site could not be asked: too many open files");
        assert_eq!(crate::making::all(&**gate.store()), [], "{preset}");
        // Nobody else runs into it for ten seconds.
        assert_eq!(gate.permits(PRIVATE, at(9)).reason, "not-asked");
        assert_eq!(web.count(), 1, "{preset}");
        web.set(of_class(Class::Success, at(0)));
        assert_eq!(gate.permits(PRIVATE, at(10)).kind(), "denied", "{preset}");
    }
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

        let web = Web::new(of_class(Class::Success, at(0)));
        let gate = gate(&web, preset);
        assert_eq!(gate.permits(PRIVATE, at(0)).kind(), "denied");
        web.set(not_asked());
        // The copy is too old, and nobody was asked.
        assert_eq!(gate.permits(PRIVATE, at(2 * DAY)).reason, "not-asked", "{preset}");
        let stored = gate.store().get(&origin(), reader().key()).unwrap().unwrap();
        assert_eq!((stored.failures, stored.last.unwrap().at), (0, at(0)), "{preset}");
    }
}

/// A held copy is asked for with its validators. A 304 renews it, for as long as before; one that comes to a site that
/// was cleared meanwhile says nothing: [gate.conditional]
#[test]
fn a_copy_is_renewed() {
    let core: Arc<Core> = core();
    let ask = |now| core.ask(PRIVATE, Ask::Permission, now);
    for round in 0..3 {
        let now = at(round * 2 * HOUR);
        let Next::Fetch(errand) = ask(now) else { panic!() };
        assert_eq!(errand.request().held.etag(), (round > 0).then_some("\"1\""));
        let came = if round > 0 { Fetched::new(304, "") } else { Fetched::new(200, FILE) };
        let came = if round > 0 { came } else { came.header("Cache-Control", b"max-age=7200") };
        assert!(matches!(errand.came(came.header("ETag", b"\"1\""), now), Next::Again(_)));
        assert!(matches!(ask(now), Next::Answer(answer) if answer.kind() == "denied"));
        assert!(core.is_cached(&origin(), now.after(secs(2 * HOUR - 1))).unwrap());
        assert!(!core.is_cached(&origin(), now.after(secs(2 * HOUR))).unwrap());
    }
    let report = core.report(&origin(), at(5 * HOUR)).unwrap().unwrap();
    assert_eq!((report.status, report.retrieved, report.failures), (Some(304), Some(at(4 * HOUR)), 0));
    let Next::Fetch(errand) = ask(at(6 * HOUR)) else { panic!() };
    core.clear(&origin(), at(6 * HOUR)).unwrap();
    assert!(matches!(errand.came(Fetched::new(304, ""), at(6 * HOUR)), Next::Again(_)));
    assert_eq!(core.report(&origin(), at(6 * HOUR)).unwrap(), None);
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
