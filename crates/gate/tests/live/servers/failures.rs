use std::thread;
use std::time::Duration;

use robosieve_gate::retrieve::{Outcome, RetrievalLimits};

use crate::servers::stage::{RULES, Role, Stage, answer, good, is_rules, mute, plain, resets, says, why};

/// After a server that refuses, resets, sends nothing or returns 500, the next one is tried: [retrieve.addresses]
#[test]
fn the_first_good_address_counts() {
    let servers = [Role::Refuses, resets(), mute(), says(answer(500, "", "sorry")), good(), good()];
    let stage = Stage::new(&servers);
    let retrieval = stage.crawl().impatient().run();
    is_rules(&retrieval);
    assert_eq!([1, 2, 3, 4, 5].map(|server| stage.connections(server)), [1, 1, 1, 1, 0]);
}

fn drips_for_ever() -> Role {
    plain(|_, connection| {
        connection.request();
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n");
        while connection.send(b"#") {
            thread::sleep(Duration::from_millis(20));
        }
    })
}

/// A body that is too slow is cut by the time-out for bodies, and by that of the whole retrieval: [retrieve.time-outs]
/// [retrieve.broken-off] [retrieve.budget]
#[test]
fn slow_body() {
    let (stage, short) = (Stage::new(&[drips_for_ever()]), Duration::from_millis(300));
    for limits in [
        RetrievalLimits { body: short, ..RetrievalLimits::default() },
        RetrievalLimits { budget: short, ..RetrievalLimits::default() },
    ] {
        let mut crawl = stage.crawl();
        crawl.limits = limits;
        let retrieval = crawl.run();
        assert!(retrieval.ended.since(retrieval.began) < Duration::from_secs(5), "{retrieval:?}");
        assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Truncated, Some(200)));
        assert!(!retrieval.body.is_empty() && retrieval.body.len() < 30);
        assert!(why(&retrieval).starts_with("status 200, then: "), "{}", why(&retrieval));
    }
}

/// The budget ends a series of servers that hang, and one that may hang for longer: [retrieve.budget]
#[test]
fn the_budget_ends_a_series_of_silent_servers() {
    let stage = Stage::new(&vec![mute(); 8]);
    for mut crawl in [stage.crawl().impatient(), stage.crawl()] {
        crawl.limits.budget = Duration::from_millis(900);
        let retrieval = crawl.run();
        assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Unreachable, None));
        assert!(retrieval.ended.since(retrieval.began) < Duration::from_secs(5));
    }
    assert!((2..8).contains(&(0..8).map(|server| stage.connections(server)).sum::<usize>()));
}

/// A server that was down in the first round is up in the second, after the wait: [retrieve.rounds]
#[test]
fn up_in_the_second_round() {
    for first in [Vec::new(), answer(503, "", ""), b"rubbish\r\n\r\n".to_vec()] {
        let changes = plain(move |nth, connection| {
            connection.request();
            connection.send(&if nth == 0 { first.clone() } else { answer(200, "", RULES) });
        });
        let stage = Stage::new(&[Role::Refuses, changes, Role::Refuses]);
        let mut crawl = stage.crawl();
        crawl.limits.round_wait = Duration::from_millis(300);
        let retrieval = crawl.run();
        is_rules(&retrieval);
        assert!(retrieval.ended.since(retrieval.began) >= Duration::from_millis(299));
    }
}
