use std::sync::Arc;
use std::time::Duration;

use robosieve_gate::retrieve::Outcome;

use crate::servers::stage::{Connection, RULES, Server, Stage, answer, ends, is_rules, plain, says};

/// A server that changes its response after the first request.
fn changes(first: Vec<u8>, then: Vec<u8>) -> Server {
    plain(move |nth, connection: &mut Connection| {
        connection.request();
        connection.send(if nth == 0 { &first } else { &then });
    })
}

/// A server that was down in the first round is up in the second; the driver's clock waits the two seconds:
/// [retrieve.rounds]
#[test]
fn up_in_the_second_round() {
    for first in [Vec::new(), answer(503, "", ""), b"rubbish\r\n\r\n".to_vec()] {
        let stage = Stage::new(&[Server::Refuse, changes(first, answer(200, "", RULES)), Server::Refuse]);
        let crawl = stage.crawl();
        let slept = Arc::clone(&crawl.clock.slept);
        let retrieval = crawl.run();
        is_rules(&retrieval);
        assert_eq!(ends(&retrieval).len(), 5);
        let slept = slept.lock().unwrap();
        assert!(
            slept.len() == 1 && slept[0] <= Duration::from_secs(2) && slept[0] > Duration::from_secs(1),
            "{slept:?}"
        );
        assert!(retrieval.ended.since(retrieval.began) >= Duration::from_secs(2));
    }
}

/// A 404 in the second round means no rules: [retrieve.rounds] [retrieve.status]
#[test]
fn gone_in_the_second_round() {
    let stage = Stage::new(&[changes(answer(500, "", ""), answer(404, "", ""))]);
    let retrieval = stage.retrieve();
    assert_eq!((retrieval.outcome, ends(&retrieval)), (Outcome::NoRules, vec![500, 404]));
}

/// If all fail in both rounds the site is unreachable, without a third round, with the last status and its
/// `Retry-After`: [retrieve.rounds] [retrieve.retry-after]
#[test]
fn down_in_both_rounds() {
    let stage =
        Stage::new(&[says(answer(502, "", "")), Server::Reset(b""), says(answer(503, "Retry-After: 77\r\n", ""))]);
    let retrieval = stage.retrieve();
    assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Unreachable, Some(503)));
    assert_eq!(ends(&retrieval), [502, 0, 503, 502, 0, 503]);
    assert_eq!(retrieval.retry_after, Some(Duration::from_secs(77)));
    assert_eq!([0, 1, 2].map(|server| stage.connections(server)), [2, 2, 2]);
}
