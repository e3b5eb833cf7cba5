//! Responses of real servers, from the first byte to the answer.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use robosieve_gate::MemoryStore;
use robosieve_gate::decide::{Class, Preset};

use crate::together::site::{Site, answer};
use crate::together::world::{RULES, at, gate, gate_by};

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Each kind of response, its class, and whether the standard allows an ordinary page: [gate.class] [gate.rfc9309]
#[test]
fn each_class_from_a_real_server() {
    let zipped = gzip(RULES);
    let short = [b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", RULES.as_bytes()].concat();
    let long = format!("{RULES}{}", "# and so on\n".repeat(50_000));
    let table = [
        (answer(200, "", RULES), Class::Success, true),
        (answer(203, "", RULES), Class::OtherSuccess, true),
        (answer(200, "Content-Encoding: gzip\r\n", &zipped), Class::Success, true),
        (answer(206, "Content-Range: bytes 0-32/900\r\n", RULES), Class::Interrupted, false),
        (answer(206, "", &long), Class::Interrupted, false),
        (answer(200, "Content-Encoding: gzip\r\n", &zipped[..zipped.len() - 9]), Class::Interrupted, false),
        (answer(200, "Content-Encoding: gzip\r\n", RULES), Class::Interrupted, false),
        (answer(200, "Content-Encoding: br\r\n", RULES), Class::Interrupted, false),
        (short, Class::Interrupted, false),
        (answer(200, "", &long), Class::Oversize, true),
        (answer(200, "Content-Encoding: gzip\r\n", gzip(&long)), Class::Oversize, true),
        (answer(410, "", ""), Class::NoFile, true),
        (answer(401, "", ""), Class::Forbidden, true),
        (answer(429, "", ""), Class::TooManyRequests, false),
        (answer(202, "Content-Type: text/html\r\n", "<!doctype html><title>Wait</title>"), Class::NoContent, false),
        (answer(202, "", RULES), Class::NoContent, false),
        (answer(204, "", ""), Class::NoContent, false),
        (answer(407, "", ""), Class::NotServed, false),
        (answer(408, "", ""), Class::NotServed, false),
        (answer(425, "", ""), Class::NotServed, false),
        (answer(200, "", "<!doctype html><title>Wait</title>"), Class::NotRobotsTxt, true),
        (answer(200, "", gzip(RULES)), Class::NotRobotsTxt, true),
        (answer(451, "", ""), Class::OtherRefusal, true),
        (answer(304, "", ""), Class::ServerError, false),
        (answer(302, "Location: /\u{e9}\r\n", ""), Class::ServerError, false),
        (answer(302, "Location: file:///etc/passwd\r\n", ""), Class::Redirect, true),
        (answer(302, "", ""), Class::Redirect, true),
        (answer(500, "", ""), Class::ServerError, false),
        (answer(600, "", ""), Class::ServerError, false),
        (answer(999, "", ""), Class::ServerError, false),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(), Class::NoAnswer, false),
        (b"SSH-2.0-OpenSSH_9.6\r\n".to_vec(), Class::NoAnswer, false),
        (Vec::new(), Class::NoAnswer, false),
    ];
    let site = Site::new("");
    let url = site.url_at("a.test", "/page");
    for (bytes, class, allowed) in table {
        let front = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        site.says(bytes);
        let gate = gate(&[&site], MemoryStore::default());
        let answer = gate.check(&url, at(0));
        let report = gate.report(&url, at(0)).unwrap();
        assert_eq!((report.class, answer.is_allowed()), (Some(class), allowed), "{front:?}: {answer}");
        let has_rules = report.contents.as_deref().is_some_and(|text| text.contains("/private"));
        assert_eq!(has_rules, matches!(class, Class::Success | Class::OtherSuccess | Class::Oversize), "{front:?}");
    }
    // A redirect to an address that the guard refuses: no policy is asked, and nothing is stored.
    for to in ["http://10.0.0.1/", "http://[::ffff:10.0.0.1]/"] {
        site.says(answer(302, &format!("Location: {to}\r\n"), ""));
        for preset in Preset::ALL {
            let gate = gate_by(&[&site], MemoryStore::default(), preset);
            for page in [&url, &site.url_at("a.test", "/robots.txt")] {
                let answer = gate.check(page, at(0));
                assert!(answer.why.ends_with("refused: 10.0.0.1 is a private address"), "{answer}");
            }
            assert!(gate.report(&url, at(0)).is_none());
        }
    }
}
