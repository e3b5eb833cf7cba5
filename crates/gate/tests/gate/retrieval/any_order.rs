use robosieve_gate::retrieve::{AddressGuard, AttemptEnd, Event, Machine, RetrievalLimits, Step};
use robosieve_gate::{Moment, Origin};

use crate::properties::Random;
use crate::properties::choices::Choices;
use crate::properties::machine::{any_event, any_events};

/// Any events in any order at any time, forwards and backwards: no panic, no step past the end, nothing over a limit:
/// [retrieve.total]
#[test]
fn any_events_in_any_order() {
    let (mut ended, mut outcomes) = (0, [0; 7]);
    for seed in 0..8_000 {
        let (retrieval, has_ended) = any_events(&mut Random(seed));
        ended += usize::from(has_ended);
        outcomes[retrieval.outcome as usize] += 1;
    }
    assert!(ended > 1_000, "only {ended} came to an end");
    assert!(outcomes.iter().all(|&count| count > 20), "{outcomes:?}");
}

/// After the budget, the next event of any kind is the last one: [retrieve.total] [retrieve.budget]
#[test]
fn time_ends_any_state() {
    for seed in 0..1_000 {
        let mut random = Random(seed);
        let now = Moment::from_millis(0);
        let origin = Origin::of("http://a.example/").unwrap();
        let mut machine = Machine::new(origin, RetrievalLimits::default(), AddressGuard::global_only(), now);
        for _ in 0..random.below(6) {
            any_event(&mut random, &mut machine, now);
        }
        let deadline = machine.deadline();
        any_event(&mut random, &mut machine, deadline);
        assert_eq!(machine.step(), Step::Done);
    }
}

/// Foreign reasons are short and on one line: [retrieve.total] [harmless.bytes] [harmless.lines]
#[test]
fn reasons_are_short() {
    let now = Moment::from_millis(0);
    let origin = Origin::of("http://a.example/").unwrap();
    let mut machine = Machine::new(origin, RetrievalLimits::default(), AddressGuard::global_only(), now);
    let long = "\x1b[31m\r\n".to_owned() + &"é".repeat(100_000);
    machine.on(Event::NotResolved(&long), now);
    let retrieval = machine.into_retrieval(now);
    let AttemptEnd::Failed(why) = &retrieval.attempts[0].end else { panic!() };
    assert!((195..=200).contains(&why.len()) && why.ends_with('é'), "{why}");
    assert!(why.chars().all(robosieve::printable::is_shown), "{why}");
}
