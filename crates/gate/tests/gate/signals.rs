//! What may be done with a page, joined with what the gate remembers of its site.

use std::time::Duration;

use robosieve::agent::Agents;
use robosieve::settings::Dialect;
use robosieve_explain::Names;
use robosieve_gate::decide::Reader;
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{GateCore, GateError, MemoryStore, Moment, Next, Origin};
use robosieve_signals::{Allowed, Answer, Page, Use};

const NOW: Moment = Moment::from_millis(1_764_000_000_000);

/// A core that asked for one file.
fn core(agents: &[&str], keeps_raw: bool, came: Fetched) -> GateCore {
    let agents = Agents::new(agents.iter().copied());
    let reader = Reader::new(agents.clone()).dialect(Dialect::Standard).keeping_raw(keeps_raw);
    let core = GateCore::new(MemoryStore::default(), agents).with_reader(reader);
    let origin = Origin::of("https://e.com/").unwrap();
    core.learn(&origin, came.retrieval(&origin), NOW).unwrap();
    core
}

fn of(core: &GateCore, path: &str) -> Answer {
    let url = format!("https://e.com{path}");
    let page = Page::new(&url).header("X-Robots-Tag", "index, follow").header("Content-Signal", "search=yes");
    core.signals(&page, NOW).unwrap()
}

/// The answer is that for the file as it came, from the text and from the file: [gate.signals]
#[test]
fn a_page_is_joined_with_the_file_of_its_site() {
    let files = [
        "User-agent: *\nDisallow: /x\nContent-Signal: search=no, ai-train=no\n",
        "User-agent: MyBot\nDisallow: /a\nContent-Usage: /b train-ai=n\n\nUser-agent: *\nDisallow: /\n",
        "User-agent: Other\nDisallow: /\nLicense: https://e.com/l\n",
        "User-agent: *\nAllow: /x/y\nDisallow: /x\nContent-Signal: ai-train=no; x\n",
        "",
    ];
    for (file, keeps_raw) in files.iter().flat_map(|file| [(file, false), (file, true)]) {
        let core = core(&["MyBot"], keeps_raw, Fetched::new(200, *file));
        for path in ["/", "/a", "/b", "/x", "/x/y", "/robots.txt"] {
            let url = format!("https://e.com{path}");
            let page = Page::new(&url).header("X-Robots-Tag", "index, follow").header("Content-Signal", "search=yes");
            let expected = page.clone().robots(file).signals().answer(Names::Plain.groups(["MyBot"]), 1_764_000_000);
            let found = core.signals(&page, NOW).unwrap();
            assert_eq!((&found.uses, &found.limits), (&expected.uses, &expected.limits), "{file}: {path}");
            if keeps_raw {
                assert_eq!(found, expected, "{file}: {path}");
            }
            let Next::Answer(answer) = core.ask_permission(&url, NOW).unwrap() else { panic!("{file}") };
            assert_eq!(found.of(Use::Fetch) == Allowed::Yes, answer.is_allowed(), "{file}: {path}");
        }
    }
}

/// What is closed or not known has no use left, and its place says why: [gate.signals]
#[test]
fn a_closed_site_leaves_no_use() {
    let closed = [
        (core(&["MyBot"], false, Fetched::new(503, "")), "503"),
        (core(&["MyBot"], false, Fetched::failed("no route")), "robots.txt"),
        (core(&["MyBot"], false, Fetched::new(429, "").header("Retry-After", b"60")), "429"),
        (GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])), "not known"),
    ];
    for (core, why) in closed {
        let answer = of(&core, "/a");
        assert!(answer.uses.iter().all(|(_, allowed)| *allowed == Allowed::No), "{why}: {answer:?}");
        let by = &answer.decided_by["index"];
        assert!(by.text.contains(why) && by.at.place == 0, "{by:?}");
    }
    let open = core(&["MyBot"], false, Fetched::new(404, ""));
    assert_eq!([Use::Fetch, Use::Index].map(|what| of(&open, "/a").of(what)), [Allowed::Yes; 2]);
    for url in ["", "/a", "ftp://e.com/", "\u{0}"] {
        assert!(matches!(open.signals(&Page::new(url), NOW), Err(GateError::Url(_))), "{url:?}");
    }
    assert!(open.signals(&Page::new(b"https://e.com/\xff"), NOW).is_err());
}

/// A file of which something was lost allows nothing, also if it is kept as it came: [gate.signals]
#[test]
fn a_file_with_a_loss_allows_nothing() {
    let long = format!("User-agent: *\nAllow: /\n#{}\nUser-agent: *\nDisallow: /b\n", "x".repeat(600_000));
    for keeps_raw in [false, true] {
        for came in
            [Fetched::new(200, long.clone()), Fetched::new(200, "User-agent: *\nAllow: /\nDisallow: /b").broken_off()]
        {
            let answer = of(&core(&["MyBot"], keeps_raw, came), "/a");
            assert!(answer.uses.iter().all(|(_, allowed)| *allowed != Allowed::Yes), "{answer:?}");
        }
        // A value that cannot be read is not in the text: nothing is allowed, and the file itself also forbids.
        let answer = of(
            &core(&["MyBot"], keeps_raw, Fetched::new(200, "User-agent: *\nAllow: /\nContent-Usage: train-ai=(n\n")),
            "/a",
        );
        assert_ne!(answer.of(Use::ALL[8]), Allowed::Yes);
        assert_eq!(answer.of(Use::Index), if keeps_raw { Allowed::Yes } else { Allowed::Unsaid });
    }
}

/// The crawler, the time and a robots.txt of the page: [gate.signals]
#[test]
fn the_gate_says_for_whom_and_when() {
    let core = core(&["MyBot-Image", "MyBot"], false, Fetched::new(200, "User-agent: MyBot\nDisallow: /x\n"));
    let url = "https://e.com/a";
    let page = Page::new(url).header("X-Robots-Tag", "mybot: noarchive").header("X-Robots-Tag", "otherbot: noindex");
    let page = page.robots("User-agent: *\nDisallow: /");
    let answer = core.signals(&page, NOW).unwrap();
    let uses = [Use::Fetch, Use::Archive, Use::Index].map(|what| answer.of(what));
    assert_eq!(uses, [Allowed::Yes, Allowed::No, Allowed::Unsaid]);
    let late = Page::new(url).header("X-Robots-Tag", "unavailable_after: 2025-11-24T16:00:01Z");
    for (seconds, expected) in [(0, Allowed::Unsaid), (1, Allowed::No)] {
        let answer = core.signals(&late, NOW.after(Duration::from_secs(seconds))).unwrap();
        assert_eq!(answer.of(Use::Index), expected, "{seconds}");
    }
}
