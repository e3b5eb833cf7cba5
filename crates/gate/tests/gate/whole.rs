//! The gate answers from the whole file, up to `max_bytes`: the stored text decides as the file does.

use robosieve::settings::{Dialect, Interest, Limits, OverLimit};
use robosieve::{Options, Sieve};
use robosieve_gate::decide::{Class, Policy, Preset, Ruling};
use robosieve_gate::retrieve::{Cut, Outcome, Retrieval};

use crate::making::{Played, Web, at, origin, reader, retrieval, settings};

fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Files that disallow `/x` by a line that a limit on texts would drop, with a URL.
fn files() -> Vec<(&'static str, String, String)> {
    let x = || "/x".to_owned();
    let a = |count: usize| format!("/x{}", "a".repeat(count));
    let rule = |path: &str| format!("User-agent: *\nDisallow: {path}\n");
    vec![
        (
            "1,000 rules",
            format!("User-agent: *\n{}Disallow: /\n", repeated(1000, |n| format!("Disallow: /a/{n}\n"))),
            x(),
        ),
        (
            "1,000 groups",
            repeated(1000, |n| format!("User-agent: bot-{n}\nAllow: /\n")) + "User-agent: MyBot\nDisallow: /\n",
            x(),
        ),
        ("eleven stars", rule("/x*1*2*3*4*5*6*7*8*9*10*11"), "/x1234567891011".to_owned()),
        ("2,001 bytes", rule(&a(1999)), a(1999)),
        ("a line longer than Google's", rule(&a(16_000)), a(16_000)),
        // The text is longer than `max_bytes`.
        (
            "a text of 1 MB",
            format!(
                "User-agent: *\n{}Disallow: /x\n",
                repeated(1000, |n| format!("Disallow:/{n}{}\n", "\u{e9}".repeat(180)))
            ),
            x(),
        ),
        (
            "38,000 rules without a blank",
            format!("User-agent: *\n{}Disallow:/x\n", repeated(38_000, |n| format!("Allow:/{n:05}\n"))),
            x(),
        ),
    ]
}

/// [gate.whole] [limit.verdicts] [limit.counts]
#[test]
fn the_whole_file_answers() {
    for (name, file, path) in files() {
        assert!(file.len() <= Limits::DEFAULT.max_bytes, "{name}");
        for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
            let own = Sieve::new(["MyBot"]).options(dialect);
            assert!(!own.tester(file.as_bytes()).unwrap().is_allowed(&path), "{name} in {dialect:?}");
            for preset in [Preset::Rfc9309, Preset::Strict] {
                let both = settings(|settings| {
                    (settings.reader, settings.policy) = (reader().dialect(dialect, true), preset.into());
                });
                let gate = Played::with(&Web::file(&file), both);
                let answer = gate.permits(&format!("https://example.com{path}"), at(0));
                assert_eq!(answer.kind(), "denied", "{name} in {dialect:?} under {preset}: {answer:?}");
                let report = gate.report(&origin(), at(0)).unwrap().unwrap();
                assert!(report.contents.unwrap().len() <= 3 * file.len() + 64, "{name}");
            }
        }
    }
}

/// Google's dialect keeps a rule whose line in the text is longer than the lines that it reads: [gate.whole]
#[test]
fn a_long_rule_is_kept_in_googles_dialect() {
    let path = "\u{e9}".repeat(8_000);
    let file = format!("User-agent: *\nAllow: /x\nDisallow: /x{path}\n");
    let reader = reader().dialect(Dialect::Google, true);
    let contents = reader.read(&retrieval(Outcome::Rules, Some(200), &file, at(0)));
    let records = reader.records(&contents.text);
    let tester = robosieve::Tester::new(&records, &Interest::everyone());
    let encoded = "%C3%A9".repeat(8_000);
    assert!(!tester.is_allowed(format!("/x{encoded}")));
    assert!(tester.is_allowed(format!("/x{}", &encoded[..encoded.len() - 6])));
}

/// A loss opens no site under any policy: not where errors open it, nor where the beginning of a long file counts:
/// [gate.errors] [gate.strict] [gate.whole] [gate.cut]
#[test]
fn a_loss_is_not_an_error() {
    let body = format!("User-agent: *\nDisallow: /x\n{}", "#\n".repeat(Limits::DEFAULT.max_bytes / 2));
    let long = retrieval(Outcome::Rules, Some(200), &body, at(0));
    let cut = Retrieval { outcome: Outcome::Truncated, cut: Some(Cut::AtCap), ..long.clone() };
    let strict = Policy::from(Preset::Strict).with(Class::Oversize, Ruling::Rules);
    for answer in [long, cut] {
        let contents = reader().read(&answer);
        assert!(!contents.has_errors && contents.report.contains("\"input-cut\":1"), "{}", contents.report);
        let gate = Played::with(&Web::new(answer), settings(|settings| settings.policy = strict.clone()));
        assert_eq!(gate.permits("https://example.com/x", at(0)).kind(), "denied");
    }
}

/// A cut file closes the site if the options say so: [gate.reader] [gate.whole]
#[test]
fn a_cut_file_closes_the_site_if_that_is_chosen() {
    let body = "User-agent: *\nDisallow: /x\nDisallow: /y\n";
    for over_limit in [OverLimit::Refuse, OverLimit::Widen] {
        let limits = Limits { max_bytes: 30, max_lines: 0, ..Limits::DEFAULT };
        let reader = reader().options("cut", Options { over_limit, limits, ..Options::default() });
        let contents = reader.read(&retrieval(Outcome::Rules, Some(200), body, at(0)));
        assert_eq!(&*contents.text, "User-agent: *\nDisallow: /\n", "{over_limit:?}");
        assert_eq!(contents.report.contains("refused"), over_limit == OverLimit::Refuse, "{}", contents.report);
    }
}

/// An answer shows a part of a very long rule. [gate.whole] [gate.answer]
#[test]
fn a_long_rule_is_shown_in_part() {
    let path = format!("/{}", "a".repeat(5_000));
    let file = format!("User-agent: *\nDisallow: {path}\n");
    let answer = Played::new(&Web::file(&file)).permits(&format!("https://example.com{path}"), at(0));
    let rule = answer.rule.unwrap();
    assert!(rule.starts_with("Disallow: /aaa") && rule.ends_with("aaa... (5011 bytes)") && rule.len() < 2_100);
    assert_eq!(answer.line, Some(2));
}
