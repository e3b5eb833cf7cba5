use robosieve_gate::retrieve::Outcome;

use crate::servers::stage::{CHUNKED, RULES, Server, Stage, answer, plain};

/// Valid responses to start from.
fn patterns() -> Vec<Vec<u8>> {
    let chunked = format!("{CHUNKED}{:x}\r\n{RULES}\r\n0\r\n\r\n", RULES.len());
    let zipped = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0";
    let coded = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 23\r\n\r\n";
    vec![
        answer(200, "Cache-Control: max-age=60\r\nContent-Type: text/plain; charset=utf-8\r\n", RULES),
        chunked.into_bytes(),
        [&coded[..], zipped].concat(),
        answer(503, "Retry-After: 60\r\n", "busy"),
        answer(302, "Location: file:///x\r\n", ""),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc".to_vec(),
        b"HTTP/1.0 200 OK\nContent-Length: 3\n\nabc".to_vec(),
    ]
}

/// Xorshift: the same sequence each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

fn distorted(seed: usize) -> Vec<u8> {
    const BITS: [&[u8]; 12] = [
        b"\r\n",
        b"\n",
        b"\0",
        b":",
        b"0\r\n\r\n",
        b"-1",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Length: 5\r\n",
        b"Content-Encoding: deflate\r\n",
        b"\xff",
        b"99999999999999999999",
        b";",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (seed as u64 + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
    random.below(2);
    let patterns = patterns();
    let mut bytes = patterns[random.below(patterns.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => drop(bytes.splice(at..at, bytes.clone()[at..].iter().copied().take(20).collect::<Vec<_>>())),
            _ => drop(bytes.splice(at..at, BITS[random.below(BITS.len())].iter().copied())),
        }
    }
    bytes
}

fn server(first: usize) -> Server {
    plain(move |nth, connection| {
        connection.request();
        connection.send(&distorted(first + nth));
    })
}

/// Randomly damaged responses give some outcome and never a panic. Only a success has a body: [retrieve.total]
/// [retrieve.status]
#[test]
fn distorted_answers() {
    let count: usize = std::env::var("DISTORTED").map_or(200, |count| count.parse().unwrap());
    let (mut outcomes, mut first) = ([0; 5], 0);
    while first < count {
        let stage = Stage::new(&[server(first)]);
        let mut crawl = stage.crawl();
        crawl.limits.max_redirects = 0;
        let retrieval = crawl.run();
        let read = matches!(retrieval.outcome, Outcome::Rules | Outcome::Truncated);
        assert_eq!(read, retrieval.status.is_some_and(|status| (200..300).contains(&status)), "{first}");
        assert!(read || retrieval.body.is_empty(), "{first}");
        assert_eq!(retrieval.cut.is_some(), retrieval.outcome == Outcome::Truncated, "{first}");
        outcomes[retrieval.outcome as usize] += 1;
        first += stage.connections(0).max(1);
    }
    assert!(outcomes.iter().enumerate().all(|(at, &seen)| seen > 3 || at == Outcome::NoRules as usize), "{outcomes:?}");
}
