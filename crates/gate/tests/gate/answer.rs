//! Answers: their words, and the one JSON for all languages.

use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::retrieve::{Fetched, RetrievalLimits};
use robosieve_gate::{Action, Answer, Ask, Core, MemoryStore, Next};
use serde_json::json;

use crate::making::{FILE, Web, all, at, of_class, settings};

use crate::making::Played;

const URL: &str = "https://example.com/free";

/// Only a URL that may be fetched is `go`; each answer says why, and its JSON has times in milliseconds: [gate.answer]
/// [gate.advice]
#[test]
fn the_json_of_answers() {
    let json = |answer: &Answer| serde_json::to_value(answer).unwrap();
    let web = Web::file("User-agent: *\nDisallow: /private\nCrawl-delay: 600\n");
    let gate = Played::new(&web);
    assert_eq!(
        json(&gate.check("https://u:p@Example.com/a/../free#x", at(0))),
        json!({
            "action": "go", "wait_ms": 300_000, "reason": "allowed", "asks_ms": 600_000, "attempts": 0,
            "why": "allowed after 300000 ms (the site asks for 600 s between two requests)",
            "target": "https://example.com/free",
        })
    );
    assert_eq!(
        json(&gate.check("https://example.com/private", at(0))),
        json!({
            "action": "no", "wait_ms": 0, "reason": "rule", "rule": "Disallow: /private", "line": 2, "attempts": 0,
            "why": "denied by line 2, Disallow: /private", "target": "https://example.com/private",
        })
    );
    let later = json(&gate.start(URL, at(0)));
    assert_eq!((&later["action"], &later["reason"]), (&json!("wait"), &json!("pace")));
    assert_eq!((&later["wait_ms"], &later["until_ms"]), (&json!(600_000), &json!(at(600).as_millis())));
    let far = gate.ask(URL, Ask::Slot, at(0));
    assert!(far.is_allowed());
    for (url, why) in [("/private", "not an absolute URL"), ("mailto:a@example.com", "only http and https")] {
        let answer = json(&gate.check(url, at(0)));
        assert_eq!((&answer["action"], &answer["reason"]), (&json!("no"), &json!("not-a-url")));
        assert!(answer["why"].as_str().unwrap().contains(why));
    }
    for (next, action, reason) in [
        (Next::Again(at(1)), Action::Wait, "retrieving"),
        (Next::Again(at(0)), Action::Wait, "learnt"),
        (std::sync::Arc::clone(&gate.core).ask("https://new.example/", Ask::Start, at(0)), Action::Fetch, "robots-txt"),
    ] {
        let (answer, errand) = next.answer(at(0));
        assert_eq!((answer.action, answer.reason, errand.is_some()), (action, reason, action == Action::Fetch));
        assert_eq!(answer.request.map(|request| request.url), errand.map(|_| "https://new.example/robots.txt".into()));
    }
}

/// Where no rules count, an answer says by what: [gate.answer]
#[test]
fn why_there_are_no_rules() {
    for (class, status, words) in [
        (Class::NoFile, 404, "no rules: status 404"),
        (Class::Forbidden, 403, "no rules: status 403"),
        (Class::OtherRefusal, 418, "no rules: status 418"),
        (Class::NotRobotsTxt, 200, "no rules: not a robots.txt"),
    ] {
        let gate = Played::new(&Web::new(of_class(class, at(0))));
        let answer = gate.permits(URL, at(0));
        assert_eq!(
            (answer.why, answer.status, answer.class),
            (format!("allowed ({words})"), Some(status), Some(class))
        );
    }
    let rules = Played::new(&Web::file(FILE)).permits(URL, at(0));
    assert_eq!((rules.why.as_str(), rules.status, rules.class), ("allowed", None, None));
}

/// The words and names of refusals: [gate.answer]
#[test]
fn refusals_have_words() {
    for (preset, class, kind, reason, why) in [
        (
            Preset::Google,
            Class::TooManyRequests,
            "not-now",
            "unreachable",
            "not now: robots.txt unreachable (too many requests; failures in a row: 1)",
        ),
        (
            Preset::Strict,
            Class::Forbidden,
            "not-now",
            "disqualified",
            "not now: the site is disqualified until the next attempt (access to the file is forbidden; failures in a row: 1)",
        ),
        (
            Preset::Rfc9309,
            Class::ServerError,
            "closed",
            "closed",
            "closed: robots.txt returned status 503 (failures in a row: 1)",
        ),
        (
            Preset::Rfc9309,
            Class::NoAnswer,
            "closed",
            "closed",
            "closed: no server answered for robots.txt (failures in a row: 1)",
        ),
    ] {
        let gate =
            Played::with(&Web::new(of_class(class, at(0))), settings(|settings| settings.policy = preset.into()));
        let answer = gate.check(URL, at(0));
        assert_eq!((answer.action, answer.kind(), answer.reason), (Action::No, kind, reason));
        assert_eq!((answer.to_string().as_str(), answer.failures, answer.until), (why, Some(1), Some(at(300))));
    }
    let given_up = settings(|settings| settings.lifetimes.max_failures = Some(1));
    let answer = Played::with(&Web::new(of_class(Class::NoAnswer, at(0))), given_up).check(URL, at(0));
    assert_eq!(
        (answer.reason, answer.why.as_str()),
        ("given-up", "not now: the site is disqualified after 1 failures in a row")
    );
}

/// An answer after a retrieval that failed says how it ended, and after how many requests: [gate.advice]
#[test]
fn the_last_error_stands_next_to_the_answer() {
    let said = |came: Vec<Fetched>| {
        let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::default() };
        let core = Core::new(settings(|settings| settings.limits = limits), MemoryStore::default());
        let core = std::sync::Arc::new(core);
        let (mut came, mut now, mut next) = (came.into_iter(), at(0), core.ask(URL, Ask::Permission, at(0)));
        loop {
            next = match next {
                Next::Answer(answer) => break answer,
                Next::Again(until) => core.ask(URL, Ask::Permission, now.max(until)),
                Next::Fetch(errand) => {
                    now = errand.starts_at();
                    errand.came(came.next().unwrap(), now)
                }
            };
        }
    };
    let broken = "status 200, then: its body is not whole";
    let moved = || Fetched::new(302, "").header("Location", b"https://www.example.com/robots.txt");
    for (came, error, attempts) in [
        (vec![Fetched::new(404, "")], None, 0),
        (vec![moved(), Fetched::new(200, "")], None, 0),
        (vec![Fetched::failed("reset")], Some("reset"), 1),
        (vec![moved(), Fetched::new(503, "")], Some("status 503"), 2),
        (vec![Fetched::new(200, "User").broken_off()], Some(broken), 1),
        (vec![Fetched::not_asked("no descriptor")], Some("no descriptor"), 0),
    ] {
        let answer = said(came);
        assert_eq!((answer.error.as_deref(), answer.attempts), (error, attempts), "{answer:?}");
    }
}

/// Each answer and each retrieval counts once, by its kind: [gate.counts]
#[test]
fn answers_and_retrievals_count_by_kind() {
    let web = Web::file(FILE);
    let gate = Played::new(&web);
    for url in ["https://example.com/", "https://example.com/private", "https://example.com/private", "mailto:a@b"] {
        let _ = gate.permits(url, at(0));
    }
    for class in [Class::NoAnswer, Class::NoFile] {
        web.set(of_class(class, at(0)));
        let _ = gate.permits(&format!("https://{class:?}.example/"), at(0));
    }
    let some =
        |counts: Vec<(&'static str, u64)>| counts.into_iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>();
    let answers = some(gate.counts().answers().collect());
    assert_eq!(answers, [("allowed", 2), ("denied", 2), ("closed", 1), ("no-url", 1)]);
    let retrievals = some(gate.counts().retrievals().collect());
    assert_eq!(retrievals, [("rules", 1), ("no-rules", 1), ("unreachable", 1)]);
    assert_eq!(all(&**gate.store()).len(), 3);
}
