use robosieve_gate::retrieve::Outcome;

use crate::servers::stage::{RULES, Stage, answer, ends, plain};

/// Each status from 100 to 599, from a real server: [retrieve.status]
#[test]
fn each_status() {
    let stage = Stage::new(&[plain(|nth, connection| {
        connection.request();
        // A 304 is no answer, so there is a second round.
        let status = 200 + u16::try_from(nth).unwrap() - u16::from(nth > 104);
        let body = if matches!(status, 204 | 304) { "" } else { RULES };
        connection.send(&answer(status, "", body));
    })]);
    for status in 200..=499 {
        let retrieval = stage.retrieve();
        let expected = match status {
            206 => Outcome::Truncated,
            200..=299 => Outcome::Rules,
            400 | 404 | 410 => Outcome::NoRules,
            // We did not ask whether anything has changed.
            304 => Outcome::Unreachable,
            _ => Outcome::Unavailable,
        };
        assert_eq!((retrieval.outcome, retrieval.status), (expected, Some(status)), "{retrieval:?}");
        // A 205 has no body (RFC 9110 15.3.6), but this server sends one.
        let body = if (200..300).contains(&status) && !matches!(status, 204 | 205) { RULES } else { "" };
        assert!(status == 205 || retrieval.body == body.as_bytes(), "{status}: {retrieval:?}");
        assert_eq!(ends(&retrieval), if status == 304 { vec![304; 2] } else { vec![status] });
    }
}

/// Statuses from 500 on count as bad connections and are tried twice: [retrieve.status] [retrieve.rounds]
#[test]
fn each_bad_status() {
    let stage = Stage::new(&[plain(|nth, connection| {
        connection.request();
        connection.send(&answer(500 + u16::try_from(nth / 2).unwrap(), "", RULES));
    })]);
    for status in 500..=599 {
        let retrieval = stage.retrieve();
        assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Unreachable, Some(status)), "{retrieval:?}");
        assert_eq!(ends(&retrieval), [status, status]);
        assert!(retrieval.body.is_empty());
    }
}

/// An interim status is skipped, and without a final one it is no answer: [retrieve.status]
#[test]
fn each_interim_status() {
    for status in (100..=199).filter(|status| *status != 101) {
        let interim = format!("HTTP/1.1 {status} Wait\r\n\r\n").into_bytes();
        let whole = [interim.clone(), answer(200, "", RULES)].concat();
        let stage = Stage::new(&[plain(move |nth, connection| {
            connection.request();
            connection.send(if nth == 0 { &interim } else { &whole });
        })]);
        let retrieval = stage.retrieve();
        crate::servers::stage::is_rules(&retrieval);
        assert_eq!(ends(&retrieval), [0, 200], "{status}");
    }
    let switching = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
    let retrieval = Stage::new(&[crate::servers::stage::says(*switching)]).retrieve();
    assert_eq!((retrieval.outcome, retrieval.status, ends(&retrieval)), (Outcome::Unreachable, None, vec![0, 0]));
}
