//! What the content of a URL may be used for.

use robosieve::Options;
use robosieve::settings::Interest;
use robosieve_explain::{Linter, Usage, UseLine};

/// The example of draft-ietf-aipref-attach-05, section 3.4, and lines of Cloudflare's.
const FILE: &[u8] = b"User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n\
    Content-Usage: /ai-ok/ train-ai=y\nContent-Signal: search=yes, ai-train=no\n\n\
    User-Agent: ExampleBot\nAllow: /\nContent-Usage: train-ai=y\n\n\
    User-agent: odd\nContent-Usage: /a search=n\nContent-Usage: /a search=y, ai-use, tdm=n\nContent-Signal: search=maybe\n";

fn usage(agent: &str, url: &str) -> Usage {
    Usage::new(FILE, &Options::default(), Interest::new([agent]), url)
}

/// Without the extent of use, of which the file says nothing.
fn said(agent: &str, url: &str) -> Vec<String> {
    let mut words: Vec<String> = usage(agent, url).uses.iter().map(robosieve_explain::AnsweredUse::words).collect();
    assert_eq!(words.pop().unwrap(), "extent of use: nothing is said");
    words
}

/// [usage.answer] [usage.path] [usage.disallowed]
#[test]
fn lines_of_both_directives_count() {
    let no_input = "input of AI models: nothing is said";
    let search = "search: allowed (line 6: Content-Signal: search=yes)";
    let training =
        "training of AI models: disallowed (line 4: Content-Usage: train-ai=n; line 6: Content-Signal: ai-train=no)";
    assert_eq!(said("MyBot", "/test"), [training, no_input, search]);
    // The strictest of both counts.
    let training = "training of AI models: disallowed (line 5: Content-Usage: /ai-ok/ train-ai=y; \
        line 6: Content-Signal: ai-train=no)";
    assert_eq!(said("MyBot", "https://e.com/ai-ok/test"), [training, no_input, search]);
    let never = usage("MyBot", "/never/test");
    assert!(!never.answer.allowed && never.uses.is_empty() && never.ignored.is_empty());
    let training = "training of AI models: allowed (line 10: Content-Usage: train-ai=y)";
    assert_eq!(said("ExampleBot", "/never/test"), [training, no_input, "search: nothing is said"]);
}

/// [usage.answer]
#[test]
fn equal_paths_are_combined_and_the_rest_is_ignored() {
    let found = usage("odd", "/a/b");
    assert_eq!(found.uses[2].allowed, Some(false));
    let lines: Vec<_> = found.uses[2].lines.iter().map(|line| line.line).collect();
    assert_eq!(lines, [13, 14]);
    assert_eq!(found.uses[1].allowed, None);
    let ignored: Vec<_> = found.ignored.iter().map(|line| (line.line, line.text.as_str())).collect();
    let expected =
        [(14, "Content-Usage: /a ai-use"), (14, "Content-Usage: /a tdm=n"), (15, "Content-Signal: search=maybe")];
    assert_eq!(ignored, expected);
    assert!(usage("odd", "/b").uses.iter().all(|one| one.allowed.is_none()));
    assert!(Usage::new(b"", &Options::default(), Interest::new(["a"]), "/").answer.allowed);
}

/// [usage.answer]: of several levels the strictest counts, and no other case of letters is one.
#[test]
fn the_strictest_extent_counts() {
    for (lines, expected) in [
        (&["use=full"][..], Some("full")),
        (&["use=full", "search=yes, use=reference"], Some("reference")),
        (&["use=reference", "use=IMMEDIATE", "use=full"], Some("immediate")),
        (&["use=Full", "use=yes"], None),
        (&["/a use=full", "use=immediate"], Some("full")),
    ] {
        let lines: String = lines.iter().map(|line| format!("Content-Signal: {line}\n")).collect();
        let file = format!("User-agent: *\n{lines}");
        let usage = Usage::new(file.as_bytes(), &Options::default(), Interest::new(["MyBot"]), "/a");
        let extent = usage.uses.last().unwrap();
        assert_eq!((extent.extent, extent.allowed), (expected, None), "{file}");
    }
}

/// [usage.inherited] [usage.answer]
#[test]
fn a_group_without_signals_has_what_restricts_everyone() {
    let file =
        b"User-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference\n\nUser-agent: MyBot\nDisallow: /x\n";
    let of = |agent: &str| {
        let usage = Usage::new(file, &Options::default(), Interest::new([agent]), "/");
        usage.uses.iter().map(|one| (one.allowed, one.extent)).collect::<Vec<_>>()
    };
    let no = (None, None);
    assert_eq!(of("MyBot"), [(Some(false), None), no, no, (None, Some("reference"))]);
    assert_eq!(of("Other"), [(Some(false), None), no, (Some(true), None), (None, Some("reference"))]);
}

/// [usage.meant]
#[test]
fn a_line_with_a_slip_in_its_name_was_meant() {
    let file =
        b"User-agent: Other\nContent-Usages: search=n\n\nUser-agent: *\nContent-Signals: ai-train=no\nContents: x\n";
    let usage = Usage::new(file, &Options::default(), Interest::new(["MyBot"]), "/");
    let meant: Vec<_> = usage.meant.iter().map(UseLine::words).collect();
    assert_eq!(meant, ["line 5: Content-Signals: ai-train=no"]);
    assert!(usage.uses.iter().all(|one| one.allowed.is_none()));
}

/// [value.labels]
#[test]
fn names_of_no_standard_are_known_as_such() {
    for name in ["LLM-Policy", "tdm-reservation", "TDM-Policy", "AllowAITraining", "ACAP-crawler"] {
        assert!(robosieve_explain::name_without_standard(name).is_some(), "{name}");
    }
    for name in ["Allow", "LLM-Policy-x", "tdm", "", "Crawl-delay", "\u{e9}"] {
        assert!(robosieve_explain::name_without_standard(name).is_none(), "{name}");
    }
}

/// Long lists are bounded, and every line counts: [usage.answer]
#[test]
fn long_lists_are_counted() {
    for number in [Usage::MAX_LINES - 1, Usage::MAX_LINES, Usage::MAX_LINES + 1] {
        let file = format!("User-agent: *\n{}", "Content-Usage: search=y, x\n".repeat(number));
        let file = format!("{file}Content-Usage: search=n\n");
        let usage = Usage::new(file.as_bytes(), &Options::default(), Interest::new(["a"]), "/");
        let search = &usage.uses[2];
        assert_eq!(search.allowed, Some(false), "the last line counts too");
        assert_eq!(search.lines.len() + search.more_lines, number + 1);
        assert_eq!(usage.ignored.len() + usage.more_ignored, number);
        assert_eq!(usage.ignored.len(), number.min(Usage::MAX_LINES));
        assert_eq!(search.words().ends_with(" more)"), number >= Usage::MAX_LINES, "{}", search.words());
    }
}

/// [lint.uses]
#[test]
fn what_has_no_meaning_is_a_lint() {
    let linted = Linter::default().lint(FILE);
    let told: Vec<_> =
        linted.lints().iter().map(|lint| (lint.line, lint.kind.as_str(), lint.message.as_str())).collect();
    let kind = "use-without-meaning";
    assert!(told.contains(&(14, kind, "`ai-use` says nothing: crawlers ignore it")), "{told:?}");
    assert!(told.contains(&(15, kind, "`search=maybe` says nothing: crawlers ignore it")), "{told:?}");
    assert_eq!(told.iter().filter(|one| one.1 == kind).count(), 2, "{told:?}");
    let linted = Linter::default().lint(b"User-agent: *\nContent-Usage: ai-train=n\nContent-Usage: Train-AI=n\n");
    let told: Vec<_> = linted.lints().iter().map(|lint| (lint.kind.as_str(), lint.help.as_str())).collect();
    assert!(told.contains(&(kind, "write one of train-ai, ai-use, search")), "{told:?}");
    let repaired = linted.lints().iter().find(|lint| lint.line == 3).unwrap();
    assert_eq!(
        (repaired.kind.as_str(), &repaired.fix.as_deref().unwrap().edit.lines[..]),
        ("repaired-value", &["Content-Usage: train-ai=n".into()][..])
    );
}
