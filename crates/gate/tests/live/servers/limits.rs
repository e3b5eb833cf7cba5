use std::time::{Duration, Instant};

use robosieve_gate::retrieve::{Outcome, RetrievalLimits};

use crate::servers::stage::{CHUNKED, Crawl, Stage, answer, chunked, good, is_rules, says, why};

/// Each time of the driver at zero, near zero and at the maximum, alone and all together: requests end, and no time
/// overflows: [retrieve.limits] [retrieve.time-outs] [retrieve.budget]
#[test]
fn every_time_at_every_value() {
    let set: [fn(&mut Crawl, Duration); 7] = [
        |crawl, time| crawl.limits.resolve = time,
        |crawl, time| crawl.limits.connect = time,
        |crawl, time| crawl.limits.head = time,
        |crawl, time| crawl.limits.body = time,
        |crawl, time| crawl.limits.silence = time,
        |crawl, time| crawl.limits.budget = time,
        |crawl, time| {
            let all = RetrievalLimits { resolve: time, connect: time, head: time, body: time, ..crawl.limits };
            crawl.limits = RetrievalLimits { silence: time, budget: time, ..all };
        },
    ];
    let stage = Stage::new(&[good()]);
    for (field, set) in set.iter().enumerate() {
        for time in [
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_millis(1),
            Duration::from_secs(1 << 40),
            Duration::MAX,
        ] {
            let mut crawl = stage.crawl();
            // A server that fails is not requested again.
            crawl.limits.extra_rounds = 0;
            set(&mut crawl, time);
            let began = Instant::now();
            let retrieval = crawl.run();
            assert!(began.elapsed() < Duration::from_secs(20), "{field} {time:?}");
            if time > Duration::from_secs(1) {
                is_rules(&retrieval);
            } else {
                assert!(!matches!(retrieval.outcome, Outcome::NoRules | Outcome::Unavailable), "{retrieval:?}");
            }
        }
    }
}

/// The size of a response's head, to the byte: [retrieve.wire]
#[test]
fn heads_at_the_limit() {
    for (length, counts) in [(65_534, true), (65_535, true), (65_536, true), (65_537, false)] {
        let end = "Content-Length: 0\r\n\r\n";
        let start = "HTTP/1.1 204 No Content\r\nX: ";
        let filler = "a".repeat(length - start.len() - end.len() - 2);
        let head = format!("{start}{filler}\r\n{end}");
        assert_eq!(head.len(), length);
        let stage = Stage::new(&[says(head)]);
        let mut crawl = stage.crawl();
        crawl.limits.extra_rounds = 0;
        let retrieval = crawl.run();
        assert_eq!(retrieval.status, counts.then_some(204), "{length}");
    }
}

/// Digits of chunk sizes, to the byte of the wire limit: [retrieve.wire]
#[test]
fn the_wire_at_the_limit() {
    const END: &str = "0\r\n\r\n";
    let chunk = |zeros: usize| format!("{}1\r\n#\r\n", "0".repeat(zeros));
    let plain = chunk(10);
    let max_bytes = 30_000;
    let most = 6 * max_bytes + 262_144;
    for (length, counts) in [(most - 1, true), (most, true), (most + 1, false)] {
        let left = length - CHUNKED.len() - END.len();
        let (chunks, over) = (left / plain.len(), left % plain.len());
        let longer = [chunk(10 + over / 2), chunk(10 + over - over / 2)].concat();
        let body = [&plain.repeat(chunks - 2), &longer, END].concat();
        assert_eq!((CHUNKED.len() + body.len(), chunks < max_bytes), (length, true));
        let stage = Stage::new(&[chunked(&body)]);
        let mut crawl = stage.crawl();
        crawl.limits = RetrievalLimits { max_bytes, ..RetrievalLimits::default() };
        let retrieval = crawl.run();
        let outcome = if counts { Outcome::Rules } else { Outcome::Truncated };
        assert_eq!((retrieval.outcome, retrieval.body.len() == chunks), (outcome, counts), "{length}");
        assert!(counts || why(&retrieval).contains("takes too many bytes"), "{}", why(&retrieval));
    }
    // A limit that nothing reaches.
    let body = "#".repeat(300_000);
    let stage = Stage::new(&[says(answer(200, "", &body))]);
    let mut crawl = stage.crawl();
    crawl.limits.max_bytes = usize::MAX;
    assert_eq!(crawl.run().body.len(), body.len());
}
