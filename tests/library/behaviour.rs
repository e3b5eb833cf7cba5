//! Clauses of SPEC.md that an example cannot show.

use robosieve::agent::{Agent, AnsweredBy, Interest, ProductToken};
use robosieve::path::{PathForm, UrlPath};
use robosieve::policy::{Parser, filter_for};
use robosieve::report::{Effect, FindingKind, Report};
use robosieve::settings::{ConfigError, Dialect, Limits, Options};
use robosieve::syntax::{DirectiveScope, Leniency, LineForm, ValueForm, Vocabulary};
use robosieve::text::{CanonicalText, Newline, TextForm};
use robosieve::verdict::{SiteAccess, VerdictReason};
use robosieve::{Sieve, Tester, sieve};

use crate::common::text_with;

#[track_caller]
fn text(input: impl AsRef<[u8]>) -> String {
    sieve(input.as_ref(), ["MyBot"]).text().to_string()
}

fn interest(agents: &[&str]) -> Interest {
    Interest::new(agents)
}

/// [input.bytes]
#[test]
fn any_bytes_are_a_file() {
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let mut input = b"User-agent: *\nDisallow: /".to_vec();
    input.extend(every_byte.iter().filter(|byte| !b"\r\n#".contains(byte)));
    for input in [&every_byte[..], &input, &every_byte.repeat(40), b"", b"\n", b"\r", b":", b"#", b"\xFF"] {
        let out = text(input);
        assert!(out.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')), "{out:?}");
    }
}

/// Both byte orders, without a byte order mark: [input.utf16]
#[test]
fn utf16_is_reported() {
    let little: Vec<u8> = "User-agent: *\nDisallow: /\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "User-agent: *\nDisallow: /\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for input in [little, big] {
        let sieved = sieve(&input, ["MyBot"]);
        assert_eq!(sieved.report().count(FindingKind::Utf16), 1);
        assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow:\n");
    }
    for other in [&b"User-agent: *\n"[..], b"a\0\x01\0", b"\x01\0a\0", b"\0a\0\x01", b"\0\x01\0a", b"\xFF", b"a\0"] {
        assert_eq!(sieve(other, ["MyBot"]).report().count(FindingKind::Utf16), 0, "{other:?}");
    }
}

/// [line.number]
#[test]
fn lines_are_numbered_as_people_count_them() {
    let input = b"User-agent: *\r\n\r\n\rDisallow:\n\t/x\nDisallow: /y";
    let set = Parser::default().parse(input);
    let lines: Vec<u32> = set.records().next().unwrap().rules().iter().map(robosieve::policy::Rule::line).collect();
    assert_eq!(lines, [4, 6]);
}

/// [line.trailing-blanks]
#[test]
fn trailing_blanks_can_stay() {
    let keep = Options { lines: LineForm { keep_trailing_spaces: true, ..LineForm::default() }, ..Options::default() };
    let input = "User-agent: *\nDisallow: /a \t\nDisallow: /b  # no\nDisallow: /c\n";
    assert_eq!(text(input), "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\n");
    assert_eq!(text_with(keep.clone(), input), "User-agent: *\nDisallow: /a%20%09\nDisallow: /b\nDisallow: /c\n");
    let folded =
        "User-agent: *\nDisallow:\n /a \t\nDisallow:\n /b  # no\nDisallow\n : /c\nDisallow /d \nDisallow /e # no\n";
    assert_eq!(text(folded), "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\nDisallow: /d\nDisallow: /e\n");
    let kept = "User-agent: *\nDisallow: /a%20%09\nDisallow: /b\nDisallow: /c\nDisallow: /d\nDisallow: /e\n";
    assert_eq!(text_with(keep, folded), kept);
}

/// [line.fold]
#[test]
fn folding_works_across_any_line_end_and_can_be_off() {
    let off = Options { lines: LineForm { fold: false, ..LineForm::default() }, ..Options::default() };
    for end in ["\n", "\r", "\r\n"] {
        let input = format!("User-agent: *{end}Disallow:{end}\t/b # c{end} /d{end}Disallow: /e{end} /f");
        assert_eq!(text(&input), "User-agent: *\nDisallow: /b\nDisallow: /e\n", "{end:?}");
        assert_eq!(text_with(off.clone(), &input), "User-agent: *\nDisallow: /e\n", "{end:?}");
    }
    assert_eq!(
        text("User-agent: *\nDisallow:\n  # /x\n  /y\n"),
        "User-agent: *\nDisallow:\n",
        "a comment ends the folding"
    );
    assert_eq!(text("User-agent: *\nDisallow: /x\n  Disallow /y\n"), "User-agent: *\nDisallow: /x\nDisallow: /y\n");
    assert_eq!(text("User-agent:\n MyBot\nDisallow:\n  "), "User-agent: *\nDisallow:\n", "at the end of the file");
}

/// [field.typo]
#[test]
fn leniency_is_a_choice() {
    let with = |leniency| Options { vocabulary: Vocabulary::new(leniency), ..Options::default() };
    let input = "User-agent: *\nDisallow: /a\nDisalow: /b\nDesallow: /c\n";
    assert_eq!(text_with(with(Leniency::Strict), input), "User-agent: *\nDisallow: /a\n");
    assert_eq!(text_with(with(Leniency::Common), input), "User-agent: *\nDisallow: /a\nDisallow: /b\n");
    assert_eq!(text_with(with(Leniency::Generous), input), "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\n");
    assert_eq!(text_with(with(Leniency::Strict), "Useragent: *\nDisallow: /\n"), "User-agent: *\nDisallow:\n");
}

/// [agent.any] [agent.fallback]
#[test]
fn any_agent_name_gets_an_answer() {
    let input = b"User-agent: googlebot\nDisallow: /g\nUser-agent: Foo\nDisallow: /f\nUser-agent: 008\nDisallow: /8\nUser-agent: *\nDisallow: /all\n";
    let set = Parser::default().parse(input);
    let blocked = |agent: &str| {
        let tester = Tester::new(&set, &interest(&[agent]));
        ["/g", "/f", "/8", "/all"].into_iter().filter(|path| !tester.is_allowed(path)).collect::<Vec<_>>()
    };
    assert_eq!(blocked("googlebot/2.1"), ["/g"]);
    assert_eq!(blocked("Foo Bar"), ["/f"]);
    assert_eq!(blocked("008"), ["/8"]);
    for nobody in ["", "*", "\u{e9}", "foo\u{e9}", "constructor", "googlebot-news", "goog", "0088"] {
        assert_eq!(blocked(nobody), ["/all"], "{nobody:?}");
    }
    let no_fallback = Interest::new(["x"]).fallback(false);
    let tester = Tester::new(&set, &no_fallback);
    assert!(tester.is_allowed("/all"));
    assert_eq!(tester.answered_by(), AnsweredBy::Nobody);
}

/// [agent.header]
#[test]
fn a_header_has_a_token() {
    for (header, token) in [
        ("Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about-danbot)", "DanBot"),
        ("MyBot/1.0 (+https://example.com)", "MyBot"),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://e.com) Chrome/9",
            "Googlebot",
        ),
        ("MJ12bot", "MJ12bot"),
        ("Mozilla/5.0 (X11; Linux) MyBot/1.0", "MyBot"),
    ] {
        assert_eq!(Agent::new(header).token().unwrap().as_str(), token, "{header}");
    }
    for header in ["(none)", "Mozilla/5.0 (compatible; )"] {
        assert!(Agent::new(header).token().is_none(), "{header}");
    }
}

/// Digits and dots belong to a name only if the requested name contains them: [agent.token]
#[test]
fn tokens_match_as_a_whole() {
    let names = |line: &str, agent: &str| {
        let input = format!("User-agent: {line}\nDisallow: /\n");
        !Tester::new(&Parser::default().parse(input.as_bytes()), &interest(&[agent])).is_allowed("/x")
    };
    for (line, agent) in [
        ("MJ12bot", "mj12bot"),
        ("MJ12bot/v1.4", "MJ12bot"),
        ("MJ12bot.", "MJ12bot"),
        ("Googlebot/2.1", "googlebot"),
        ("Mediapartners-Google*", "Mediapartners-Google"),
        ("foo2", "foo"),
        ("foo.bar", "foo"),
        ("a.b", "a.b"),
    ] {
        assert!(names(line, agent), "{line} names {agent}");
    }
    for (line, agent) in [
        ("MJ12bot2", "MJ12bot"),
        ("Googlebot-Image", "Googlebot"),
        ("Googlebot_x", "Googlebot"),
        ("Googlebo", "Googlebot"),
        ("a.b.c", "a.b"),
        ("notfoo", "foo"),
        ("*foo", "foo"),
    ] {
        assert!(!names(line, agent), "{line} does not name {agent}");
    }
}

/// [url.path]
#[test]
fn urls_are_split() {
    for (url, path) in [
        ("https://example.com/a?b=c#d", "/a?b=c"),
        ("https://example.com", "/"),
        ("https://example.com?a", "/?a"),
        ("https://example.com;a", "/;a"),
        ("//example.com/a", "/a"),
        ("example.com/a", "/a"),
        ("/a/../b//c", "/a/../b//c"),
        ("/a?u=https://other.example/x", "/a?u=https://other.example/x"),
        ("/a?", "/a?"),
        ("#/a", "/"),
        ("", "/"),
        ("/%e3%83%84%7e", "/%E3%83%84~"),
        ("/\u{30c4}", "/%E3%83%84"),
        ("/a*b$", "/a%2Ab%24"),
        ("/a*b", "/a%2Ab"),
        ("/a$b", "/a%24b"),
    ] {
        assert_eq!(UrlPath::of(url.as_bytes(), PathForm::default()).text().to_string(), path, "{url}");
    }
}

/// [ext.unknown] [ext.own]
#[test]
fn directives_can_be_added() {
    let vocabulary = Vocabulary::new(Leniency::Common)
        .with_directive("X-Throttle", DirectiveScope::Record, ValueForm::Text)
        .and_then(|words| words.with_directive("Noarchive", DirectiveScope::File, ValueForm::Path))
        .and_then(|words| words.with_user_agent_name("Crawler"))
        .unwrap();
    let own = Options { vocabulary: vocabulary.clone(), ..Options::default() };
    let input = "Crawler: MyBot\nX-THROTTLE: 5\nNoarchive: a*b\nFont-size: 2em\nDisallow: /x\n";
    assert_eq!(text_with(own.clone(), input), "User-agent: *\nDisallow: /x\nX-throttle: 5\n\nNoarchive: /a*b\n");
    let unknown = Options { keep_unknown: true, ..own };
    let expected = "User-agent: *\nDisallow: /x\nX-throttle: 5\nFont-size: 2em\n\nNoarchive: /a*b\n";
    assert_eq!(text_with(unknown, input), expected);
    let taken = |name| vocabulary.clone().with_user_agent_name(name).unwrap_err();
    assert!(matches!(taken("x-throttle"), ConfigError::DirectiveTaken(_)));
    assert!(matches!(taken("disallow"), ConfigError::DirectiveTaken(_)));
    assert!(matches!(taken("a b"), ConfigError::DirectiveName(_)));
    assert!(ProductToken::new("").unwrap_err().to_string().contains("letters, digits"));
}

/// Control characters in a configuration are escaped in error messages and cannot start a new line. [harmless.bytes]
/// [harmless.lines]
#[test]
fn errors_escape_what_they_quote() {
    for (evil, shown) in [
        ("a\nb", "\"a\\x0Ab\""),
        ("\r\u{1b}[2J", "\\x0D\\x1B[2J"),
        ("caf\u{e9}!", "caf\u{e9}!"),
        ("\u{202e}\u{85}\u{7f}", "\\xE2\\x80\\xAE\\xC2\\x85\\x7F"),
    ] {
        let words = Vocabulary::new(Leniency::Strict);
        let errors = [
            ProductToken::new(evil).unwrap_err(),
            words.clone().with_user_agent_name(evil).unwrap_err(),
            words.with_directive(evil, DirectiveScope::File, ValueForm::Text).unwrap_err(),
            ConfigError::DirectiveTaken(evil.into()),
        ];
        for message in errors.map(|error| error.to_string()) {
            assert!(message.contains(shown), "{message}");
            assert!(message.chars().all(robosieve::printable::is_shown), "{message:?}");
        }
    }
}

/// [ext.record]
#[test]
fn values_belong_to_one_record() {
    let input =
        b"User-agent: a\nUser-agent: b\nCrawl-delay: 5\nDisallow: /\nUser-agent: c\nDisallow: /c\nDisallow: /d\n";
    let set = Parser::default().parse(input);
    let records: Vec<_> = set.records().collect();
    assert_eq!(records[0].crawl_delay().unwrap().raw(), "5");
    assert!(records[1].crawl_delay().is_none());
    assert_eq!(records[1].value("DISALLOW").unwrap(), "/c");
    assert_eq!(records[1].values("disallow").count(), 2);
    assert_eq!(records[1].value("nothing"), None);
}

/// The parts and the one-call function give the same result: [text.one-record]
#[test]
fn the_parts_and_the_one_call_function_agree() {
    let input = b"User-agent: MyBot\nDisallow: /a\nUser-agent: *\nDisallow: /b\nSitemap: https://e.com/\n";
    let set = Parser::default().parse(input).into_owned();
    let (filtered, by) = filter_for(&set, &interest(&["MyBot"])).unwrap();
    assert_eq!(by, AnsweredBy::Agent(0));
    let (written, _) = filtered.to_text(Newline::Lf);
    assert_eq!(written.as_str(), text(input));
    assert_eq!(written.as_str().matches("User-agent").count(), 1);
}

/// [text.newline]
#[test]
fn lines_can_end_with_crlf() {
    let sieved = Sieve::new(["MyBot"])
        .newline(Newline::Crlf)
        .run(b"User-agent: *\nDisallow: /\nSitemap: http://e.com/\n")
        .unwrap();
    assert_eq!(sieved.text().as_str(), "User-agent: *\r\nDisallow: /\r\n\r\nSitemap: http://e.com/\r\n");
    let set = Parser::default().parse(b"User-agent: *\nDisallow: /a*\n");
    let written = |form: robosieve::text::TextOptions| set.to_text(form).0.into_string();
    assert_eq!(written(Newline::Crlf.into()), "User-agent: *\r\nDisallow: /a*\r\n");
    assert_eq!(written(TextForm::Portable.into()), "User-agent: *\nDisallow: /a\n");
}

/// [text.idempotent] [text.parse]
#[test]
fn sieving_a_text_again_changes_nothing() {
    for input in ["", "User-agent: *\nDisallow: /%%34%31*$x$\nAllow: /**%2a\nCrawl-delay: 1.050\n\nHost: X.com/\n"] {
        let once = text(input);
        assert_eq!(text(&once), once);
        assert!(sieve(once.as_bytes(), ["MyBot"]).report().total() == 0, "nothing is left to repair");
    }
}

/// [text.size]
#[test]
fn long_texts_are_reported() {
    let rules = |count: usize| -> String { (0..count).map(|n| format!("Disallow: /{n}\n")).collect() };
    let many = Limits { max_lines: 2000, ..Limits::default() };
    for (count, reported) in [(CanonicalText::SAFE_RULES, 0), (CanonicalText::SAFE_RULES + 1, 1)] {
        let input = format!("User-agent: *\n{}", rules(count));
        let sieved = Sieve::new(["MyBot"]).limits(many).run(input.as_bytes()).unwrap();
        assert_eq!(sieved.report().count(FindingKind::LongText), reported, "{count}");
    }
    for (length, reported) in [(CanonicalText::SAFE_LENGTH, 0), (CanonicalText::SAFE_LENGTH + 1, 1)] {
        let input = format!("User-agent: *\nDisallow: /{}\n", "a".repeat(length - 26));
        let sieved = Sieve::new(["MyBot"]).limits(Limits::NONE).run(input.as_bytes()).unwrap();
        assert_eq!((sieved.text().to_string().len(), sieved.text().as_str().len()), (length, length));
        assert_eq!(sieved.report().count(FindingKind::LongText), reported, "{length}");
    }
    let bytes: String = (0..300).map(|n| format!("Disallow: /{n}{}\n", "\u{e9}".repeat(300))).collect();
    let input = format!("User-agent: *\n{bytes}");
    let wide = Limits { max_bytes: 1_000_000, ..Limits::default() };
    let sieved = Sieve::new(["MyBot"]).limits(wide).run(input.as_bytes()).unwrap();
    assert!(sieved.text().as_str().len() > CanonicalText::SAFE_LENGTH);
    assert_eq!(sieved.report().count(FindingKind::LongText), 1);
}

/// A text is compared and borrowed as the string that it is: [text.form]
#[test]
fn a_text_is_a_string() {
    let sieved = sieve(b"User-agent: *\nDisallow: /a", ["MyBot"]);
    let expected = "User-agent: *\nDisallow: /a\n";
    let text = sieved.text();
    assert!(text == expected && *text == *expected && text != "" && *text != *"");
    let (borrowed, bytes): (&str, &[u8]) = (text.as_ref(), text.as_ref());
    assert_eq!((borrowed, bytes), (expected, expected.as_bytes()));
}

/// Escapes can make a text longer than its file, but it stays within the limit. [limit.bytes]
/// [limit.after-normalising]
#[test]
fn a_text_is_no_longer_than_max_bytes() {
    let rules: String = (0..700).map(|n| format!("Disallow: /{n}{}\n", "\u{e3}".repeat(300))).collect();
    let input = format!("User-agent: *\n{rules}Sitemap: https://example.com/\n");
    let sieved = sieve(input.as_bytes(), ["MyBot"]);
    let text = sieved.text().as_str();
    assert!(text.len() <= Limits::default().max_bytes && text.len() > 500_000, "{}", text.len());
    assert!(sieved.report().count(FindingKind::TextTooLong) > 0 && !sieved.report().is_exact());
    assert!(sieve(text.as_bytes(), ["MyBot"]).report().is_exact());
    let limits = Limits { max_bytes: 30, ..Limits::default() };
    let widen = Sieve::new(["MyBot"]).limits(limits).over_limit(robosieve::settings::OverLimit::Widen);
    let widened = widen.run("User-agent:*\nDisallow:\u{e3}\u{e3}".as_bytes()).unwrap();
    assert_eq!(widened.text().as_str(), "User-agent: *\nDisallow: /\n");
}

/// Two files with the same meaning have the same text: [text.spelling]
#[test]
fn spelling_makes_no_difference() {
    let one = "User-agent: *\nDisallow: /~a\nAllow: /b\nSitemap: https://e.com/s\n";
    for other in [
        "\u{feff}USER-AGENT:*\r\nallow : /b#c\r\ndisallow: /%7Ea\r\nsitemap: HTTPS://E.com/s\r\n",
        "Sitemap: https://e.com/s\nUser-agent: *\nDisallow: /~a\nUser-agent: *\nAllow: /b\nDisallow: /%7ea\n",
    ] {
        assert_eq!(text(other), text(one));
    }
}

/// [report.bounded]
#[test]
fn a_report_stays_small() {
    let input = "User-agent: *\n".to_owned() + &"junk\n".repeat(100_000);
    let sieved = sieve(input.as_bytes(), ["MyBot"]);
    assert_eq!(sieved.report().count(FindingKind::NotAField), 100_000);
    assert_eq!(sieved.report().details().len(), Report::DEFAULT_DETAILS);
    assert_eq!(sieved.report().details()[0].line, 2);
}

/// [report.exact]
#[test]
fn exactness_depends_on_losses_only() {
    let over = "*a".repeat(11);
    let exact = |rule: &str| sieve(format!("User-agent: *\n{rule}\n").as_bytes(), ["MyBot"]).report().is_exact();
    assert!(exact("Disallow: /a"));
    assert!(exact("Disalow: a b # repaired"));
    assert!(!exact(&format!("Disallow: /{over}")));
    assert!(!exact(&format!("Allow: /{over}")));
    let report = sieve(b"Disallow: /\n", ["MyBot"]).report().clone();
    assert!(report.is_exact(), "by the standard, that rule applies to no agent");
    assert_eq!(report.details()[0].effect, Effect::MorePermissive);
}

/// [status.access]
#[test]
fn statuses_allow_or_disallow_all() {
    for (status, standard, processor) in [
        (200, SiteAccess::Rules, SiteAccess::Rules),
        (206, SiteAccess::Rules, SiteAccess::Rules),
        (301, SiteAccess::AllowAll, SiteAccess::DisallowAll),
        (304, SiteAccess::AllowAll, SiteAccess::DisallowAll),
        (400, SiteAccess::AllowAll, SiteAccess::AllowAll),
        (401, SiteAccess::AllowAll, SiteAccess::DisallowAll),
        (403, SiteAccess::AllowAll, SiteAccess::DisallowAll),
        (404, SiteAccess::AllowAll, SiteAccess::AllowAll),
        (499, SiteAccess::AllowAll, SiteAccess::AllowAll),
        (500, SiteAccess::DisallowAll, SiteAccess::DisallowAll),
        (599, SiteAccess::DisallowAll, SiteAccess::DisallowAll),
        (100, SiteAccess::DisallowAll, SiteAccess::DisallowAll),
        (0, SiteAccess::DisallowAll, SiteAccess::DisallowAll),
    ] {
        assert_eq!(SiteAccess::of_status(status, Dialect::Standard.statuses()), standard, "{status}");
        assert_eq!(SiteAccess::of_status(status, Dialect::Processor.statuses()), processor, "{status}");
    }
    let set = Parser::default().parse(b"User-agent: *\nDisallow: /a\n");
    let tester = Tester::new(&set, &interest(&["x"]));
    let closed = tester.clone().with_access(SiteAccess::of_status(403, Dialect::Processor.statuses()));
    assert_eq!(closed.test(b"/b").reason(), VerdictReason::Status(false));
    assert!(tester.clone().with_access(SiteAccess::AllowAll).is_allowed("/a"));
    assert!(!tester.is_allowed("/a"));
}

/// Skipping records of other agents must not stop within a continued line. [input.directed] [line.fold]
#[test]
fn continued_lines_of_other_records_are_skipped() {
    let file = "User-agent: *\nDisallow: /\nUser-agent: other\nAllow: /\nContent-Signal: a=b,\n  user-agent\n    : MyBot\nAllow: /\n";
    assert_eq!(text(file), "User-agent: *\nDisallow: /\n");
    let set = Parser::default().parse(file.as_bytes());
    let (filtered, _) = filter_for(&set, &interest(&["MyBot"])).unwrap();
    assert_eq!(filtered.to_text(Newline::Lf).0.as_str(), text(file));
}

/// A set that was parsed for other agents reports that, and is not read as a site without rules. [input.directed]
/// [report.exact]
#[test]
fn a_set_for_other_agents_reports_a_loss() {
    let file = b"User-agent: B\nDisallow: /\n";
    let set = Parser::default().for_agents(interest(&["A"])).parse(file);
    let (filtered, _) = filter_for(&set, &interest(&["B"])).unwrap();
    assert_eq!(filtered.report().count(FindingKind::ReadForOthers), 1);
    assert!(!filtered.report().is_exact());
}

/// Repairs of lines that belong to the file are reported, wherever these lines are. [ext.record] [field.typo]
#[test]
fn repairs_of_file_lines_are_reported() {
    let sieved = sieve(b"User-agent: other\nDisallow: /\nSite-map: https://e.com/s.xml\n", ["MyBot"]);
    assert_eq!(sieved.report().count(FindingKind::MisspelledDirective), 1);
}

/// [value.sitemap] [text.spelling]
#[test]
fn sitemaps_have_one_spelling() {
    for (one, other) in [
        ("http://e.com/%7ea", "http://e.com/~a"),
        ("http://e.com/%aa", "http://e.com/%AA"),
        ("HTTP://E.com", "http://e.com/"),
        ("http://e.com?a", "http://e.com/?a"),
        ("http://\u{c9}.com", "http://xn--9ca.com/"),
    ] {
        assert_eq!(text(format!("Sitemap: {one}\nSitemap: {other}\n")), text(format!("Sitemap: {other}\n")));
    }
    for none in ["http://e\x1b.com/", "http://e%1b.com/", "http:///a", "ftp://e.com/", "http://\u{e9}\u{202e}.com/"] {
        assert!(!text(format!("Sitemap: {none}\n")).contains("Sitemap"), "{none:?}");
    }
}

/// A name that another reader could read as a rule is not kept as an unknown directive. [ext.unknown]
#[test]
fn unknown_lines_are_no_rules_for_other_readers() {
    let options = Options { vocabulary: Vocabulary::new(Leniency::Strict), keep_unknown: true, ..Options::default() };
    let input = "User-agent: *\nDisalow: /x\nDisallowed: /y\nUseragent: z\nFoo: bar\n";
    assert_eq!(text_with(options, input), "User-agent: *\nDisallow:\nFoo: bar\n");
}

/// [diff.rules] [diff.flips]
#[test]
fn rules_without_effect_are_no_change() {
    let diff = |old: &str, new: &str| {
        let (old, new) = (sieve(old.as_bytes(), ["x"]), sieve(new.as_bytes(), ["x"]));
        robosieve::diff::Diff::of(old.records(), new.records())
    };
    let old = "User-agent: *\nDisallow: /a\n";
    assert!(diff(old, "User-agent: *\nDisallow: /a\nDisallow: /a/b\nDisallow: /a*\n").is_empty());
    let flipped = diff(old, "User-agent: *\nDisallow: /a\nAllow: /a/*.gif$\n");
    assert_eq!(flipped.rules_added.len(), 1);
    assert_eq!((flipped.flips[0].path.as_str(), flipped.flips[0].allowed), ("/a/x.gif", true));
    assert_eq!((flipped.flips[0].old_line, flipped.flips[0].new_line), (Some(2), Some(3)));
}

/// Types can be sent between threads, and testing needs only a shared reference: [input.bytes]
#[test]
fn types_are_send_and_sync() {
    fn check<T: Send + Sync + Clone>() {}
    check::<robosieve::policy::RecordSet<'static>>();
    check::<Tester<'static>>();
    check::<Sieve>();
    check::<Parser>();
    check::<Report>();
    check::<robosieve::Sieved<'static>>();
}
