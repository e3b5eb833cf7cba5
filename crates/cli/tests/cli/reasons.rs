//! Why a site could not be learnt of, what was lost, and trouble on our side, in `check` and `site`.

use std::process::Command;

use crate::common::Dir;
use crate::serving::{Site, WHO, answer};

const ALLOW: &str = "--allow-private";

fn check<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["check", ALLOW, "--agent", WHO, "--delay", "0", "--min-delay", "0"], more].concat()
}

/// The reason of a failure is shown by each command and in its JSON: [gate.reasons] [cmd.check] [cmd.site]
#[test]
fn reasons_of_failures() {
    let (dir, site) = (Dir::new(), Site::new(answer(503, "", "")));
    let page = site.url("/page");
    let ran = dir.run(&check(&["--store", "s", &page])).code(3);
    assert!(ran.out().contains("(status 503)"), "{}", ran.out());
    let line = dir.run(&check(&["--store", "s", "--json", &page])).code(3).one_json();
    assert_eq!((&line["error"], &line["failures"]), (&"status 503".into(), &1.into()));
    let shown = dir.run(&["site", "--store", "s", &page]).ok();
    assert_eq!(shown.out().lines().filter(|line| *line == "    status 503").count(), 1, "{}", shown.out());
    let json = dir.run(&["site", "--store", "s", &page, "--json"]).ok().one_json();
    assert_eq!((&json["error"], &json["status"]), (&"status 503".into(), &503.into()));
}

/// An answer that counts as none, although its status is below 500, is named with its reason, and not as the server's
/// error: [gate.reasons] [retrieve.redirect] [retrieve.not-modified] [cmd.fetch] [cmd.check] [cmd.site]
#[test]
fn answers_that_do_not_count_are_named() {
    for (bytes, status, why) in [
        (answer(302, "Location: /\u{e9}\r\n", ""), 302, "its Location has a byte outside ASCII"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(), 304, "nobody asked whether anything changed"),
    ] {
        let (dir, site) = (Dir::new(), Site::new(bytes));
        let page = site.url("/page");
        let text = format!("status {status}, which is no answer: {why}");
        let ran = dir.run(&["fetch", ALLOW, "--timeout", "2", &page]).code(3);
        let head = format!("unreachable (status {status}, an answer that does not count)");
        assert!(ran.err().contains(&head) && ran.err().contains(&text), "{}", ran.err());
        let ran = dir.run(&check(&["--timeout", "2", "--store", "s", &page])).code(3);
        assert!(ran.out().starts_with("closed\t") && ran.out().contains(&text), "{}", ran.out());
        let line = dir.run(&check(&["--store", "s", "--json", &page])).code(3).one_json();
        assert_eq!(line["error"].as_str(), Some(&*text));
        let shown = dir.run(&["site", "--store", "s", &page]).ok();
        assert!(shown.out().contains(&text) && !shown.out().contains("server error"), "{}", shown.out());
    }
}

/// A port of another protocol needs a flag, and is refused under each policy: [retrieve.ports] [gate.own-trouble]
#[test]
fn ports_need_a_flag() {
    let dir = Dir::new();
    for policy in ["rfc9309", "google"] {
        let ran = dir.run(&check(&["--policy", policy, "--store", "s", "http://127.0.0.1:25/"])).code(2);
        assert!(ran.out().starts_with("not-asked\t") && ran.out().contains("port 25"), "{}", ran.out());
        dir.run(&["site", "--store", "s", "http://127.0.0.1:25/"]).code(1);
    }
    let ran = dir.run(&check(&["--policy", "strict", "--allow-port", "1", "--timeout", "1", "http://127.0.0.1:1/"]));
    assert!(ran.out().starts_with("not-now\t"), "the port was asked: {}", ran.out());
}

/// Without a file descriptor the system says that there is no such name. That is no denial: [retrieve.own-trouble]
#[test]
#[cfg(unix)]
fn no_descriptors_for_a_name() {
    let program = env!("CARGO_BIN_EXE_robosieve");
    let mut not_asked = 0;
    for descriptors in 4..16 {
        // The name is in the hosts file.
        let script = format!(
            "ulimit -n {descriptors}; exec {program} check {ALLOW} --timeout 1 --policy google --agent '{WHO}' \
             http://localhost:9999/"
        );
        let ran = Command::new("sh").args(["-c", &script]).output().unwrap();
        let out = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(!out.contains("not known"), "{descriptors}: {out}");
        not_asked += usize::from(out.starts_with("not-asked"));
    }
    assert!(not_asked > 0);
}

/// Without a file descriptor no site is asked, stored or opened: [retrieve.own-trouble] [gate.own-trouble]
#[test]
#[cfg(unix)]
fn no_descriptors() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = site.url("/private");
    let program = env!("CARGO_BIN_EXE_robosieve");
    let mut seen = Vec::new();
    for descriptors in 4..24 {
        let store = dir.path(&format!("s{descriptors}"));
        let script = format!(
            "ulimit -n {descriptors}; exec {program} check {ALLOW} --timeout 1 --policy google --agent '{WHO}' --store {} {page}",
            store.display()
        );
        let ran = Command::new("sh").args(["-c", &script]).output().unwrap();
        let out = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(!out.starts_with("allowed"), "{descriptors}: {out}");
        seen.push(out.split('\t').next().unwrap_or_default().to_owned());
        if out.starts_with("not-asked") && store.exists() {
            let name = store.file_name().unwrap().to_str().unwrap();
            dir.run(&["site", "--store", name, &page]).code(1);
        }
    }
    assert!(seen.iter().any(|verdict| verdict == "not-asked"), "{seen:?}");
    assert_eq!(seen.last().unwrap(), "denied", "{seen:?}");
}
