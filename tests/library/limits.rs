//! Every limit at 0, 1, one below, exactly at it and one above. Losses are reported, and nothing after a lost line is
//! lost with it.

use robosieve::report::{Effect, FindingKind};
use robosieve::settings::{Limits, Options, OverLimit};
use robosieve::text::{Newline, TextForm};
use robosieve::{Sieve, Sieved};

fn sieve_with(limits: Limits) -> Sieve {
    Sieve::new(["MyBot"]).limits(limits)
}

#[track_caller]
fn run(limits: Limits, input: &str) -> (String, Sieved<'_>) {
    let sieved = sieve_with(limits).run(input.as_bytes()).unwrap();
    (sieved.text().as_str().to_owned(), sieved)
}

/// Checks that the text is `rules` under `User-agent: *`, and that this many findings of the kind were made. The
/// first loss has this effect.
#[track_caller]
fn leaves(limits: Limits, input: &str, rules: &str, kind: FindingKind, count: u64, effect: Option<Effect>) {
    let (text, sieved) = run(limits, input);
    let rules = if rules.is_empty() { "Disallow:\n" } else { rules };
    assert_eq!(text, format!("User-agent: *\n{rules}"));
    assert_eq!(sieved.report().count(kind), count, "{:?}", sieved.report());
    assert_eq!(sieved.report().first_loss().map(|loss| loss.effect), effect);
    assert_eq!(sieved.report().is_exact(), effect.is_none());
}

/// [limit.bytes]
#[test]
fn bytes() {
    let input = "User-agent: *\nDisallow: /a\nDisallow: /b\n";
    let after_a = "User-agent: *\nDisallow: /a\n".len();
    let kind = FindingKind::InputCut;
    let with = |max_bytes| Limits { max_bytes, ..Limits::default() };
    let (all, a, lost) = ("Disallow: /a\nDisallow: /b\n", "Disallow: /a\n", Some(Effect::Either));
    leaves(with(input.len()), input, all, kind, 0, None);
    leaves(with(input.len() + 1), input, all, kind, 0, None);
    leaves(with(usize::MAX), input, all, kind, 0, None);
    // Only the last line end is cut. The line is whole and is read, but a text with its line end would be too long.
    leaves(with(input.len() - 1), input, a, kind, 0, Some(Effect::MorePermissive));
    leaves(with(input.len() - 1), input, a, FindingKind::TextTooLong, 1, Some(Effect::MorePermissive));
    leaves(with(input.len() - 2), input, a, kind, 1, lost);
    leaves(with(input.len() - 2), input, a, FindingKind::TextTooLong, 0, lost);
    leaves(with(after_a), input, a, kind, 1, lost);
    // The line is whole and is read, but the text would be too long. The cut comes after it.
    leaves(with(after_a - 1), input, "", kind, 1, Some(Effect::MorePermissive));
    leaves(with(after_a - 2), input, "", kind, 1, lost);
    leaves(with(1), input, "", kind, 1, lost);
    leaves(with(0), input, "", kind, 1, lost);
    leaves(with(0), "", "", kind, 0, None);
}

/// A cut is reported at the first line that was not read: [limit.bytes] [line.number]
#[test]
fn bytes_name_the_first_line_that_was_not_read() {
    for (input, max_bytes, line) in [("a\nb\nc\n", 2, 2), ("a\nb\nc\n", 3, 3), ("a\r\nb\r\nc", 4, 3), ("aaaa", 2, 1)] {
        let (_, sieved) = run(Limits { max_bytes, ..Limits::default() }, input);
        assert_eq!(sieved.report().first_loss().unwrap().line, line, "{input:?} at {max_bytes}");
    }
}

/// A lost record is a loss only for the agents that it applies to. [limit.records] [report.scope]
#[test]
fn records_lost_by_other_agents_are_no_loss() {
    let file = "User-agent: MyBot\nDisallow: /a\nUser-agent: *\nDisallow: /\n";
    let one = Limits { max_records: 1, ..Limits::default() };
    leaves(one, file, "Disallow: /a\n", FindingKind::TooManyRecords, 0, None);
    let widen = sieve_with(one).over_limit(OverLimit::Widen).run(file.as_bytes()).unwrap();
    assert_eq!(widen.text().as_str(), "User-agent: *\nDisallow: /a\n");
    assert!(sieve_with(one).over_limit(OverLimit::Refuse).run(file.as_bytes()).is_ok());
    let other = Sieve::new(["other"]).limits(one).run(file.as_bytes()).unwrap();
    assert_eq!(other.report().count(FindingKind::TooManyRecords), 2);
    // The loss of a less preferred agent does not count either; that of a more preferred one does.
    let lost = |agents: [&str; 2]| {
        let two = "User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\n";
        Sieve::new(agents).limits(one).run(two.as_bytes()).unwrap().report().count(FindingKind::TooManyRecords)
    };
    assert_eq!((lost(["a", "b"]), lost(["b", "a"])), (0, 2));
    // If several agents lost records, their losses are distinguished.
    let again = "User-agent: a\nDisallow: /1\nUser-agent: a\nDisallow: /2\nUser-agent: b\nDisallow: /3\n";
    let sieved = Sieve::new(["a", "b"]).limits(one).run(again.as_bytes()).unwrap();
    assert_eq!(sieved.report().count(FindingKind::TooManyRecords), 2);
}

/// The requested record comes after many others: its loss is reported. [limit.records] [report.direction]
#[test]
fn records() {
    let others =
        |count: usize| -> String { (0..count).map(|n| format!("User-agent: bot-{n}\nDisallow: /\n")).collect() };
    let ours = "User-agent: MyBot\nDisallow: /a\nAllow: /b\n";
    let kind = FindingKind::TooManyRecords;
    let lost = Some(Effect::Either);
    let with = |max_records| Limits { max_records, max_user_agents: usize::MAX, ..Limits::default() };
    for max in [1, 2, 1000] {
        leaves(with(max), &(others(max - 1) + ours), "Allow: /b\nDisallow: /a\n", kind, 0, None);
        leaves(with(max), &(others(max) + ours), "", kind, 3, lost);
        leaves(with(max + 1), &(others(max) + ours), "Allow: /b\nDisallow: /a\n", kind, 0, None);
    }
    leaves(with(0), ours, "", kind, 3, lost);
    // Records of other agents over the limit are not a loss for the requested agent.
    leaves(with(1), &(ours.to_owned() + &others(3)), "Allow: /b\nDisallow: /a\n", kind, 0, None);
}

/// [limit.lines] [record.merge]
#[test]
fn lines() {
    let rules = |from: usize, to: usize| -> String { (from..to).map(|n| format!("Disallow: /{n:04}\n")).collect() };
    let kind = FindingKind::TooManyLines;
    let lost = Some(Effect::MorePermissive);
    for max in [1, 2, 1000] {
        let with = Limits { max_lines: max, ..Limits::default() };
        let file = |count| format!("User-agent: *\n{}", rules(0, count));
        leaves(with, &file(max - 1), &rules(0, max - 1), kind, 0, None);
        leaves(with, &file(max), &rules(0, max), kind, 0, None);
        leaves(with, &file(max + 1), &rules(0, max), kind, 1, lost);
        // Merged records of one agent have the limit of one record.
        let again = format!("{}User-agent: *\n{}", file(max), rules(max, max + 1));
        leaves(with, &again, &rules(0, max), kind, 1, lost);
    }
    leaves(Limits { max_lines: 0, ..Limits::default() }, "User-agent: *\nDisallow: /\n", "", kind, 1, lost);
    let allow = "User-agent: *\nDisallow: /\nAllow: /a\n";
    let one = Limits { max_lines: 1, ..Limits::default() };
    leaves(one, allow, "Disallow: /\n", kind, 1, Some(Effect::MoreRestrictive));
}

/// Lines of the file have a separate limit: [limit.lines]
#[test]
fn lines_of_the_file() {
    let sitemaps: String = (0..3).map(|n| format!("Sitemap: https://example.com/{n}\n")).collect();
    let input = format!("User-agent: *\nDisallow: /\n{sitemaps}");
    let (text, sieved) = run(Limits { max_lines: 2, ..Limits::default() }, &input);
    assert!(text.ends_with("/1\n") && text.contains("Disallow: /\n"), "{text}");
    assert_eq!(sieved.report().count(FindingKind::TooManyLines), 1);
    assert!(sieved.report().is_exact(), "a sitemap affects no verdict");
}

/// [limit.user-agents]
#[test]
fn user_agents() {
    let kind = FindingKind::TooManyAgents;
    let others = |count: usize| -> String { (0..count).map(|n| format!("User-agent: bot-{n}\n")).collect() };
    for max in [1, 2, 1000] {
        let with = Limits { max_user_agents: max, ..Limits::default() };
        let file = |before| format!("{}User-agent: MyBot\nDisallow: /a\n", others(before));
        leaves(with, &file(max - 1), "Disallow: /a\n", kind, 0, None);
        // The line with the requested agent, and the rule below it.
        leaves(with, &file(max), "", kind, 2, Some(Effect::Either));
        leaves(with, &file(max + 1), "", kind, 2, Some(Effect::Either));
    }
    let none = Limits { max_user_agents: 0, ..Limits::default() };
    leaves(none, "User-agent: *\nDisallow: /\n", "", kind, 2, Some(Effect::Either));
}

/// A known name counts in its canonical spelling: [limit.directive-length]
#[test]
fn directive_length() {
    let kind = FindingKind::DirectiveTooLong;
    let with = |max_directive_length| Limits { max_directive_length, ..Limits::default() };
    let file = "Useragent: *\nDisallow: /a\nAllow: /b\n";
    leaves(with(10), file, "Allow: /b\nDisallow: /a\n", kind, 0, None);
    // The line with `*`, and the two rules below it.
    leaves(with(9), file, "", kind, 3, Some(Effect::Either));
    leaves(with(1), file, "", kind, 3, Some(Effect::Either));
    leaves(with(0), file, "", kind, 3, Some(Effect::Either));
    for (length, kept) in [(31, true), (32, true), (33, false)] {
        let mut options =
            robosieve::settings::Options { keep_unknown: true, ..robosieve::settings::Options::default() };
        options.limits = Limits::default();
        let input = format!("User-agent: *\n{}: x\nDisallow: /a\n", "x".repeat(length));
        let sieved = Sieve::new(["MyBot"]).options(options).run(input.as_bytes()).unwrap();
        assert_eq!(sieved.text().as_str().contains("Xx"), kept, "{length}");
        assert!(sieved.text().as_str().contains("Disallow: /a\n"));
    }
}

/// Names are dropped, never cut: [limit.name-length]
#[test]
fn name_length() {
    let kind = FindingKind::NameTooLong;
    for max in [1_usize, 2, 200] {
        let name = |length: usize| "a".repeat(length);
        let asked =
            |length: usize| Sieve::new([name(length)]).limits(Limits { max_name_length: max, ..Limits::default() });
        for (length, kept) in [(max.saturating_sub(1), true), (max, true), (max + 1, false)] {
            let input = format!("User-agent: {}\nDisallow: /a\n", name(length));
            let sieved = asked(length).run(input.as_bytes()).unwrap();
            assert_eq!(sieved.text().as_str().contains("/a"), kept && length > 0, "{length} of {max}");
            assert_eq!(sieved.report().count(kind) == 0, kept, "{length} of {max}");
        }
        let longer = format!("User-agent: {}\nDisallow: /a\n", name(max + 1));
        let sieved = asked(max).run(longer.as_bytes()).unwrap();
        assert!(!sieved.text().as_str().contains("/a"), "a cut name became another crawler's");
    }
    let none = Limits { max_name_length: 0, ..Limits::default() };
    leaves(none, "User-agent: *\nDisallow: /\n", "", kind, 2, Some(Effect::Either));
}

/// Checked on the normalised value: [limit.value-length] [limit.after-normalising]
#[test]
fn value_length() {
    let kind = FindingKind::ValueTooLong;
    for max in [2_usize, 3, 2000] {
        let with = Limits { max_value_length: max, ..Limits::default() };
        let rule = |length: usize| format!("Disallow: /{}\n", "a".repeat(length - 1));
        let file = |rule: &str| format!("User-agent: *\n{rule}Disallow: /z\n");
        let kept = |length: usize| {
            if length > 2 { rule(length) + "Disallow: /z\n" } else { "Disallow: /z\n".to_owned() + &rule(length) }
        };
        if max > 2 {
            leaves(
                with,
                &file(&rule(max - 1)),
                &if max - 1 == 2 { "Disallow: /a\nDisallow: /z\n".into() } else { kept(max - 1) },
                kind,
                0,
                None,
            );
            leaves(with, &file(&rule(max)), &kept(max), kind, 0, None);
        }
        leaves(with, &file(&rule(max + 1)), "Disallow: /z\n", kind, 1, Some(Effect::MorePermissive));
        // Shorter when decoded, longer when encoded, longer with its slash.
        if max > 3 {
            let decoded = format!("Disallow: /{}%61\n", "a".repeat(max - 2));
            leaves(with, &file(&decoded), &kept(max), kind, 0, None);
            let encoded = format!("Disallow: /{}\u{e9}\n", "a".repeat(max - 6));
            leaves(with, &file(&encoded), "Disallow: /z\n", kind, 1, Some(Effect::MorePermissive));
            let unslashed = format!("Disallow: {}\n", "a".repeat(max));
            leaves(with, &file(&unslashed), "Disallow: /z\n", kind, 1, Some(Effect::MorePermissive));
        }
    }
    for max_value_length in [0, 1] {
        let with = Limits { max_value_length, ..Limits::default() };
        leaves(with, "User-agent: *\nAllow: /a\n", "", kind, 1, Some(Effect::MoreRestrictive));
    }
    leaves(
        Limits { max_value_length: 1, ..Limits::default() },
        "User-agent: *\nDisallow: /\n",
        "Disallow: /\n",
        kind,
        0,
        None,
    );
    let none = Limits { max_value_length: 0, ..Limits::default() };
    leaves(none, "User-agent: *\nDisallow: /\n", "", kind, 1, Some(Effect::MorePermissive));
}

/// Runs of stars count once, unless one has more stars than are allowed; escaped stars count each: [limit.wildcards]
#[test]
fn wildcards() {
    let kind = FindingKind::TooManyWildcards;
    for max in [0_usize, 1, 10] {
        let with = Limits { max_wildcards: max, ..Limits::default() };
        for (star, text) in [("*", "*"), ("***", "*"), ("%2a", "%2A")] {
            if star.len() > max && star.contains('*') && max > 0 {
                continue;
            }
            let rule = |star: &str, count: usize| format!("Disallow: /{}\n", format!("a{star}").repeat(count));
            let file = |count| format!("User-agent: *\n{}Disallow: /z\n", rule(star, count));
            for count in [max.saturating_sub(1), max] {
                let expected = if count == 0 {
                    "Disallow: /z\nDisallow: /\n".to_owned()
                } else {
                    rule(text, count) + "Disallow: /z\n"
                };
                leaves(with, &file(count), &expected, kind, 0, None);
            }
            leaves(with, &file(max + 1), "Disallow: /z\n", kind, 1, Some(Effect::MorePermissive));
        }
    }
    for stars in [9, 10, 11] {
        let run = format!("User-agent: *\nAllow: /aaaaaaaaaaaaaaaaa\nDisallow: /{}b\n", "*".repeat(stars));
        let (text, lost, effect) =
            if stars > 10 { ("", 1, Some(Effect::MorePermissive)) } else { ("Disallow: /*b\n", 0, None) };
        leaves(Limits::default(), &run, &format!("Allow: /aaaaaaaaaaaaaaaaa\n{text}"), kind, lost, effect);
    }
    // A mixed run: raw stars are collapsed around an escaped one, which stays.
    let mixed = format!("User-agent: *\nDisallow: /{}\n", "*%2A**".repeat(4));
    leaves(Limits::default(), &mixed, "Disallow: /*%2A*%2A*%2A*%2A*\n", kind, 0, None);
}

/// All limits at once: [limit.after-normalising] [input.bytes]
#[test]
fn all_limits_at_zero_and_one() {
    let file = b"User-agent: *\nUser-agent: b\nDisallow: /*a*\nAllow: /\xff\nSitemap: https://e.com/\nCrawl-delay: 1\n";
    for n in [0, 1] {
        let limits = Limits {
            max_bytes: usize::MAX,
            max_records: n,
            max_lines: n,
            max_user_agents: n,
            max_directive_length: n,
            max_name_length: n,
            max_value_length: n,
            max_wildcards: n,
        };
        for over in [OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse] {
            let expected = match (over, n) {
                (OverLimit::Drop, _) => Some("User-agent: *\nDisallow:\n"),
                (OverLimit::Widen, 1) => Some("User-agent: *\nDisallow: /\n"),
                _ => None,
            };
            let text = sieve_with(limits).over_limit(over).run(file).map(|sieved| sieved.text().to_string());
            assert_eq!(text.as_deref().ok(), expected, "{over:?} at {n}");
        }
    }
}

/// [over-limit.refuse]
#[test]
fn the_first_loss_is_that_of_the_least_line() {
    // The parser finds the long value first. The filter finds later that there are too many lines before it.
    let file = ["User-agent: *\n", &"Disallow: /a\n".repeat(3), "Disallow: /", &"b".repeat(50), "\n"].concat();
    let limits = Limits { max_lines: 2, max_value_length: 20, ..Limits::DEFAULT };
    let merged = format!("User-agent: *\nDisallow: /c\n{file}");
    for (file, line) in [(file, 4), (merged, 5)] {
        let report = Sieve::new(["MyBot"]).limits(limits).run(file.as_bytes()).unwrap().report().clone();
        assert_eq!(report.first_loss().unwrap().line, line);
    }
    // The missing end of the file is found before its beginning is read.
    let cut = Limits { max_value_length: 3, max_bytes: 44, ..Limits::DEFAULT };
    let sieved =
        Sieve::new(["MyBot"]).limits(cut).run(b"User-agent: *\nDisallow: /long\nDisallow: /b\nDisallow: /c\n").unwrap();
    assert_eq!(sieved.report().first_loss().unwrap().line, 2);
    assert_eq!(sieved.report().count(FindingKind::InputCut), 1);
}

/// [over-limit.refuse]
#[test]
fn refusing_names_the_first_loss_of_the_agent() {
    let over = "*a".repeat(11);
    let file = format!("User-agent: other\nDisallow: /{over}\n\nUser-agent: MyBot\nAllow: /\nDisallow: /{over}\n");
    let refused = Sieve::new(["MyBot"]).over_limit(OverLimit::Refuse).run(file.as_bytes()).unwrap_err();
    assert_eq!((refused.finding.line, refused.finding.kind), (6, FindingKind::TooManyWildcards));
    assert_eq!(refused.finding.effect, Effect::MorePermissive);
    assert_eq!(
        refused.to_string(),
        "refused: line 6: a rule with more than max_wildcards stars was left out (permits more) [limit.wildcards]; \
         raise the limit, or let over-limit rules be dropped or widened"
    );
    let other = Sieve::new(["third"]).over_limit(OverLimit::Refuse);
    assert!(other.run(file.as_bytes()).is_ok(), "that agent lost nothing");
}

/// [over-limit.widen]
#[test]
fn widening_forbids_more() {
    let widen = |limits: Limits, input: &str| {
        let sieved =
            sieve_with(limits).over_limit(OverLimit::Widen).run(input.as_bytes()).map(|it| it.text().to_string());
        sieved.map_err(|refused| refused.finding.kind)
    };
    let text = |rules: &str| Ok(format!("User-agent: *\n{rules}"));
    let short = Limits { max_value_length: 8, ..Limits::default() };
    // A cut falls between bytes or before a star, never within an escape, and never makes an anchor.
    assert_eq!(widen(short, "User-agent: *\nDisallow: /abcdefghi\n"), text("Disallow: /abcdefg\n"));
    assert_eq!(widen(short, "User-agent: *\nDisallow: /abcdef%20g\n"), text("Disallow: /abcdef\n"));
    assert_eq!(widen(short, "User-agent: *\nDisallow: /abcdef$gh\n"), text("Disallow: /abcdef\n"));
    assert_eq!(widen(short, "User-agent: *\nDisallow: /abcdef*gh\n"), text("Disallow: /abcdef\n"));
    assert_eq!(widen(short, "User-agent: *\nDisallow: *$bcdefghi\n"), text("Disallow: *$bcdefg\n"));
    let starless = Limits { max_wildcards: 0, ..Limits::default() };
    assert_eq!(widen(starless, "User-agent: *\nDisallow: *.zip\n"), text("Disallow: /\n"));
    // No cut can compensate for this loss.
    let one_line = Limits { max_lines: 1, ..Limits::default() };
    assert_eq!(widen(one_line, "User-agent: *\nAllow: /\nDisallow: /a\n"), text("Disallow: /\n"));
    assert_eq!(widen(one_line, "User-agent: *\nDisallow: /\nAllow: /a\n"), text("Disallow: /\n"));
    let no_room = Limits { max_value_length: 0, ..Limits::default() };
    assert_eq!(widen(no_room, "User-agent: *\nDisallow: /a\n"), Err(FindingKind::ValueTooLong));
}

/// If a record is opened again, its first lines in the file are kept, of whatever kind. [limit.lines] [record.merge]
#[test]
fn lines_are_kept_in_file_order() {
    let with = |max_lines| Limits { max_lines, ..Limits::default() };
    let file = "User-agent: *\nCrawl-delay: 5\nDisallow: /1\nUser-agent: *\nDisallow: /2\nVisit-time: 0000-0100\n";
    for (max, expected) in [
        (1, "Disallow:\nCrawl-delay: 5\n"),
        (2, "Disallow: /1\nCrawl-delay: 5\n"),
        (3, "Disallow: /1\nDisallow: /2\nCrawl-delay: 5\n"),
        (4, "Disallow: /1\nDisallow: /2\nCrawl-delay: 5\nVisit-time: 0000-0100\n"),
    ] {
        assert_eq!(run(with(max), file).0, format!("User-agent: *\n{expected}"), "{max}");
    }
}

/// Other lines have the same limits as rules, in their canonical spelling. [limit.value-length] [limit.wildcards]
#[test]
fn other_lines_are_limited_too() {
    let holds = |limits: Limits, line: &str, spelled: &str| {
        let sieved =
            sieve_with(limits).run(format!("User-agent: *\n{line}\n").as_bytes()).map(|it| it.text().to_string());
        sieved.unwrap().contains(&format!("{spelled}\n"))
    };
    for (line, spelled) in [
        ("Sitemap: https://e.com/a", "Sitemap: https://e.com/a"),
        ("Sitemap: https://E.com/a%7e", "Sitemap: https://e.com/a~"),
        ("License: https://e.com/l", "License: https://e.com/l"),
        ("License: https://e.com/\u{e9}", "License: https://e.com/%C3%A9"),
        ("Clean-param: some /text", "Clean-param: some /text"),
        ("Noindex: /abc", "Noindex: /abc"),
        ("Request-rate: 1/24h", "Request-rate: 1/86400"),
        ("Crawl-delay: 12.50", "Crawl-delay: 12.5"),
    ] {
        let value = |line: &str| line.split_once(": ").map_or(0, |it| it.1.len());
        let length = value(spelled).max(if line.starts_with("Crawl") { value(line) } else { 0 });
        for (max_value_length, kept) in [(length - 1, false), (length, true), (length + 1, true)] {
            let limits = Limits { max_value_length, ..Limits::default() };
            assert_eq!(holds(limits, line, spelled), kept, "{line} within {max_value_length}");
        }
    }
    for (max_wildcards, kept) in [(1, false), (2, true), (3, true)] {
        let limits = Limits { max_wildcards, ..Limits::default() };
        assert_eq!(holds(limits, "Noindex: /*a*b", "Noindex: /*a*b"), kept, "{max_wildcards}");
    }
}

/// The rule that forbids everything is also within the limits. [over-limit.widen] [limit.lines] [limit.bytes]
#[test]
fn forbidding_everything_has_its_limits() {
    let widen = |limits: Limits, input: &str| {
        let sieve = sieve_with(limits).over_limit(OverLimit::Widen);
        sieve.run(input.as_bytes()).map(|it| it.text().to_string()).unwrap()
    };
    let lines = "User-agent: *\nVisit-time: 0000-0100\nVisit-time: 0100-0200\nDisallow: /a\n";
    for (max_lines, expected) in [
        (1, "Disallow: /\n"),
        (2, "Disallow: /\nVisit-time: 0000-0100\n"),
        (3, "Disallow: /a\nVisit-time: 0000-0100\nVisit-time: 0100-0200\n"),
    ] {
        let limits = Limits { max_lines, ..Limits::default() };
        assert_eq!(widen(limits, lines), format!("User-agent: *\n{expected}"), "{max_lines}");
    }
    // The text has space for only one of the rules.
    let limits = Limits { max_bytes: 45, ..Limits::default() };
    let rules = "User-agent:*\nDisallow:/a\nDisallow:\u{e3}\u{e3}";
    assert_eq!(widen(limits, rules), "User-agent: *\nDisallow: /\n");
}

/// An empty rule has no meaning, so its loss changes nothing. [path.empty] [report.direction]
#[test]
fn an_empty_rule_is_lost_without_effect() {
    for (rule, effect) in [
        ("Disallow:", Effect::None),
        ("Allow:", Effect::None),
        ("Disallow: /", Effect::MorePermissive),
        ("Allow: /", Effect::MoreRestrictive),
    ] {
        let input = format!("{rule}\n");
        let sieved = sieve_with(Limits::default()).run(input.as_bytes()).unwrap();
        assert_eq!(sieved.report().details()[0].effect, effect, "{rule}");
    }
}

/// A star counts no matter where it comes from. [limit.wildcards] [path.decode-wildcard]
#[test]
fn decoded_stars_are_counted() {
    for (value, stars) in [("/%2Aa", 1), ("/*a%2a", 2), ("/%2a/%2A", 2), ("/*a*b", 2), ("/%2A*", 2), ("/%41", 0)] {
        let file = format!("User-agent: *\nDisallow: {value}\n");
        for max_wildcards in 0..=3 {
            let limits = Limits { max_wildcards, ..Limits::default() };
            for escaped_wildcard in [false, true] {
                let mut options = Options { limits, ..Options::default() };
                options.paths.decode_wildcard = true;
                options.paths.escaped_wildcard = escaped_wildcard;
                let sieved = Sieve::new(["MyBot"]).options(options).run(file.as_bytes()).unwrap();
                assert_eq!(sieved.report().is_exact(), stars <= max_wildcards, "{value} within {max_wildcards}");
            }
        }
    }
}

/// Files that are shorter than their texts.
const GROWING: [&[u8]; 7] = [
    b"Useragent:*\nDisallow:\xe3\xe3\nHost:ab",
    b"Useragent:b\nAllow:\nUseragent:c\nAllow:\nUseragent:a\nAllow:/\xe3\nUseragent:*\nAllow:\xe3",
    b"Useragent:*\nAllow:/\nDisallow:\xe3\xe3\nCrawl-delay:1\nSitemap:http://a/\xe3\nSitemap:http://b/",
    b"Useragent:*\nX:\nY:\nZ:\nDisallow:/a\xe3\nX:y",
    b"Sitemap:http://a/\xe3\xe3\xe3\nSitemap:http://b/",
    b"Useragent:*\nDisallow:*/xxxxxxxxxxxxxxxxxxxx\nDisallow:/a*b\nAllow:*/a/\nSitemap:http://a/",
    b"Useragent:*\nAllow:\nCrawl-delay:1\nUseragent:x\nUseragent:y\nAllow:\nCrawl-delay:2\nSitemap:http://a/\xe3",
];

/// A text is never longer than the limit, in every form. It contains everything that fits, and the rest is reported.
/// [limit.bytes] [text.newline] [portable.limits] [text.idempotent]
#[test]
fn no_text_is_longer_than_the_limit() {
    for file in GROWING {
        for (newline, least) in [(Newline::Lf, 26), (Newline::Crlf, 28)] {
            for sieve in [Sieve::new(["a"]), Sieve::all_agents()] {
                for form in [TextForm::Faithful, TextForm::Portable] {
                    fits(file, least, form, &|max_bytes| {
                        let limits = Limits { max_bytes, ..Limits::default() };
                        let options = Options { limits, keep_unknown: true, ..Options::default() };
                        sieve.clone().options(options).newline(newline).form(form)
                    });
                }
            }
        }
    }
}

/// Checks that the text fits every limit under which the whole file is read.
fn fits(file: &[u8], least: usize, form: TextForm, within: &dyn Fn(usize) -> Sieve) {
    let whole = within(usize::MAX).run(file).unwrap();
    let whole = whole.text().as_str();
    let mut is_whole = false;
    for max_bytes in file.len()..=whole.len().max(file.len()) + 60 {
        let sieved = within(max_bytes).run(file).unwrap();
        let text = sieved.text().as_str();
        assert!(text.len() <= max_bytes.max(least), "{} bytes in {max_bytes}: {text}", text.len());
        let is_told = sieved.report().count(FindingKind::TextTooLong) > 0;
        if form == TextForm::Faithful {
            assert_eq!(is_told, whole.len() > max_bytes, "{max_bytes}: {text}");
            assert_eq!(is_told, text != whole, "{max_bytes}: {text}");
        } else if !is_told {
            // If both spellings of a rule do not fit, the text contains one of them.
            assert_eq!(whole.len() <= max_bytes, text == whole, "{max_bytes}: {text}");
        }
        let again = within(max_bytes).run(text.as_bytes()).unwrap();
        assert!(text.len() > max_bytes || again.text().as_str() == text, "{max_bytes}: {text}{}", again.text());
        is_whole = text == whole;
    }
    assert!(is_whole, "something is missing although it fits");
}

/// If rules are lost because the text is too long, the text still has space to forbid everything. [limit.bytes]
/// [over-limit.widen]
#[test]
fn forbidding_everything_always_fits() {
    let file = GROWING[0];
    for max_bytes in file.len()..60 {
        let limits = Limits { max_bytes, ..Limits::default() };
        let sieve = Sieve::new(["a"]).limits(limits).over_limit(OverLimit::Widen);
        let text = sieve.run(file).unwrap().text().to_string();
        let expected = match max_bytes {
            0..32 => "Disallow: /\n",
            32..42 => "Disallow: /%E3%E3\n",
            42.. => "Disallow: /%E3%E3\n\nHost: ab\n",
        };
        assert_eq!(text, format!("User-agent: *\n{expected}"), "{max_bytes}");
    }
}

/// The rules of agents with different values are copied only as often as the text has space for them. [text.values]
#[test]
fn copies_of_long_rules_are_bounded() {
    let agents: String = (0..40).map(|at| format!("User-agent: a{at}\nCrawl-delay: {at}\n")).collect();
    let rules: String = (0..200).map(|at| format!("Disallow: /{at:0>1000}\n")).collect();
    let file = format!("{agents}{rules}");
    let text = Sieve::all_agents().run(file.as_bytes()).unwrap().text().to_string();
    assert!(text.len() < 2 * file.len(), "{} of {}", text.len(), file.len());
}
