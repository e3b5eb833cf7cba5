//! Field names: which misspellings are understood, which lines continue their values, and names that the caller adds.

use robosieve::Options;
use robosieve::settings::{DirectiveScope, Leniency, Limits, Vocabulary};

use crate::common::text_with;

#[track_caller]
fn text(input: &str) -> String {
    text_with(Options::default(), input)
}

fn with(vocabulary: Vocabulary) -> Options {
    Options { vocabulary, ..Options::default() }
}

/// [field.missing-colon]
#[test]
fn a_colon_is_supplied_from_common_on() {
    let input = "User-agent: *\nDisallow /a\nFoo /b\n";
    for (leniency, supplies) in [
        (Leniency::Strict, false),
        (Leniency::Processor, false),
        (Leniency::Common, true),
        (Leniency::Generous, true),
        (Leniency::Prefix, true),
    ] {
        let rule = if supplies { "Disallow: /a\n" } else { "Disallow:\n" };
        let text = text_with(with(Vocabulary::new(leniency)), input);
        assert_eq!(text, format!("User-agent: *\n{rule}"), "{leniency:?}");
    }
}

/// An empty value of several words may be on the next line. A value that has begun cannot continue there. [line.fold]
#[test]
fn a_value_is_continued_by_the_form_of_its_directive() {
    let file = |lines: &str| format!("User-agent: *\nDisallow: /x\n{lines}");
    for (name, value, more) in
        [("Request-rate", "1/5", "0600-0845"), ("Visit-time", "0600 -", "0845"), ("Clean-param", "ref&sid", "/shop/")]
    {
        let joined = text(&file(&format!("{name}:\n  {value} {more}\n")));
        let expected = text(&file(&format!("{name}: {value} {more}\n")));
        assert!(joined == expected && joined.contains(name), "{name}: {joined}");
        let alone = text(&file(&format!("{name}: {value}\n")));
        assert_eq!(text(&file(&format!("{name}: {value}\n  {more}\n"))), alone, "{name}");
    }
    let input = "User-agent:\n  MyBot and more\nDisallow: /m\nLicense:\n  https://e.com/l\n  and that\n";
    assert_eq!(text(input), "User-agent: *\nDisallow: /m\n\nLicense: https://e.com/l\n");
    let list = "User-agent: *\nDisallow: /x\nContent-Usage: a=y,\n  b=n,\n  c=y\n";
    assert_eq!(text(list), "User-agent: *\nDisallow: /x\nContent-Usage: a=y, b=n, c=y\n");
}

/// A name that some reader reads as a rule is not written either. Others are sorted. [ext.unknown] [text.order]
#[test]
fn unknown_names_that_some_reader_knows_are_left_out() {
    let options = Options { keep_unknown: true, ..with(Vocabulary::new(Leniency::Strict)) };
    let known = "Allowance: /a\nCrawldelay: 5\nDisalow: /x\nDisallowed: /y\nUseragent: z\nUser-agent-x: b\n";
    let input = format!("User-agent: *\n{known}Zed: 1\nSee: 3\nAbc: 2\nZed: 1\nSee: 1\n");
    assert_eq!(text_with(options, &input), "User-agent: *\nDisallow:\nAbc: 2\nSee: 3\nSee: 1\nZed: 1\n");
}

/// The colon may be on the next line if the name is not too long to be a known one. [line.fold]
#[test]
fn a_colon_may_be_below_a_name_that_may_be_known() {
    for (length, kept) in [(1, true), (31, true), (32, true), (33, false)] {
        let limits = Limits { max_directive_length: 100, ..Limits::default() };
        let options = Options { keep_unknown: true, limits, ..Options::default() };
        let name = "z".repeat(length);
        let text = text_with(options, &format!("User-agent: *\nDisallow: /\n{name}\n : 1\n"));
        assert_eq!(text.contains("z: 1") || text.contains("Z: 1"), kept, "{length}");
    }
    assert_eq!(
        text("User-agent: *\nDisallow x\n : /a\nDisallow\n  : /b\n"),
        "User-agent: *\nDisallow: /b\nDisallow: /x\n"
    );
}

/// Any blanks may surround a name and a value, but no other byte. [field.syntax] [field.name]
#[test]
fn blanks_may_surround_names_and_values() {
    for line in [
        "Disallow:/a",
        "Disallow: /a",
        "Disallow:  /a",
        "Disallow:\t/a",
        "Disallow: \t /a\t ",
        " Disallow :/a",
        "DISALLOW\t:\t/a",
        "disallow: /a#b",
        "disallow: /a # b",
        "Disallow: a",
        "Disallow:  a",
        "Disallow /a",
        "Disallow\t /a # b",
    ] {
        assert_eq!(text(&format!("User-agent: *\n{line}\n")), "User-agent: *\nDisallow: /a\n", "{line:?}");
        assert_eq!(text(&format!("User-agent:\t*\r\n{line}")), "User-agent: *\nDisallow: /a\n", "{line:?}");
    }
    for line in [
        "\u{b}Disallow: /a",
        "Dis allow: /a",
        ".Disallow: /a",
        "Disallow; /a",
        "Disallow\u{a0}: /a",
        "Disallow /a b",
        ":/a",
    ] {
        assert_eq!(text(&format!("User-agent: *\n{line}\n")), "User-agent: *\nDisallow:\n", "{line:?}");
    }
}

/// Names that differ in one byte are different names. [field.name] [line.end]
#[test]
fn names_match_exactly() {
    let rules = "User-agent: *\nDisallow: /b\n";
    for (name, agent) in [
        ("User-agent", true),
        ("uSER-AGENT", true),
        ("User-agenx", false),
        ("User-agexT", false),
        ("User-ag3nt", false),
        ("User\ragent", false),
        ("User\nagent", false),
        ("Uses-agent", false),
        ("User-agentt", false),
        ("User-agen", false),
        ("User\u{1}agent", false),
        ("Vser-agent", false),
        ("User_agent", false),
    ] {
        let input = format!("{rules}{name}: MyBot\nDisallow: /a\n");
        let expected =
            if agent { "User-agent: *\nDisallow: /a\n" } else { "User-agent: *\nDisallow: /a\nDisallow: /b\n" };
        assert_eq!(text(&input), expected, "{name:?}");
    }
    for name in
        ["Disallox", "Disal1ow", "Eisallow", "Disallow1", "Allox", "Al-ow", "Bllow", "Allowx", "Allow-", "D\u{9}sallow"]
    {
        assert_eq!(text(&format!("{rules}{name}: /a\n")), rules, "{name}");
    }
    for name in ["Sitemax", "Titemap", "Sitemap\u{1a}", "Sitema", "Sitemap1", "S1temap"] {
        assert_eq!(text(&format!("{rules}{name}: https://e.com/\n")), rules, "{name}");
    }
    assert_eq!(
        text("User-agent: *\nallow: /a\naLLOW:/c\ndisALLOW: /b\n"),
        "User-agent: *\nAllow: /a\nAllow: /c\nDisallow: /b\n"
    );
}

/// A field is not a continuation, except for a URL, which looks like a field. [line.fold]
#[test]
fn fields_below_an_empty_value_are_fields() {
    let expected = |rules: &str| format!("User-agent: *\n{rules}");
    for (lines, rules) in [
        ("Disallow:\n  Allow:/z\n", "Allow: /z\n"),
        ("Disallow:\n  Disallow:/z\n", "Disallow: /z\n"),
        ("Disallow:\n  foo://z\n", "Disallow:\n"),
        ("Disallow:\n  http:z\n", "Disallow:\n"),
        ("Disallow:\n  https:\n", "Disallow:\n"),
        ("Disallow:\n  https://e.com/z\n", "Disallow: /https://e.com/z\n"),
        ("Disallow:\n  HTTP://e.com/z\n", "Disallow: /HTTP://e.com/z\n"),
        ("Disallow:\n  http://e.com/z y\n", "Disallow:\n"),
        ("Disallow: /a\n  http://e.com/z\n", "Disallow: /a\n"),
        ("Disallow:\n  /a\n  /b\n", "Disallow: /a\n"),
        ("Disallow:\n  /a # b\n  /c\n", "Disallow: /a\n"),
        ("Disallow: # b\n  /c\n", "Disallow:\n"),
        ("Disallow:\n\n  /c\n", "Disallow:\n"),
        ("  Disallow:\n  /c\n", "Disallow:\n"),
        ("  Disallow:\n   /c\n", "Disallow: /c\n"),
        ("Disallow\n  :\n  /c\n", "Disallow: /c\n"),
        ("Disallow\n  /c\n", "Disallow:\n"),
        ("Disallow\n:/c\n", "Disallow:\n"),
        ("Disallow # b\n  :/c\n", "Disallow:\n"),
        ("Disallow: /a\n<p>\n  /b\n", "Disallow: /a\n"),
    ] {
        assert_eq!(text(&format!("User-agent: *\n{lines}")), expected(rules), "{lines:?}");
        let behind = format!("User-agent: *\n{lines}Allow: /behind\n");
        assert!(text(&behind).contains("Allow: /behind\n"), "{lines:?}");
    }
}

/// [ext.own] [google.name]
#[test]
fn own_names_are_no_rules_for_google() {
    let words = |name: &str| Vocabulary::default().with_directive(name, DirectiveScope::File);
    for name in ["Disallow-AI", "allowed", "DISALLOWAITRAINING", "disalow-x", "Allow-", "diasllowed"] {
        let error = words(name).unwrap_err();
        assert!(error.to_string().contains("would be a rule for Google"), "{error}");
        assert_eq!(Vocabulary::default().with_user_agent_name(name).unwrap_err(), error);
    }
    for name in ["X-Allow", "Allo", "Sitemap-index", "User-agent-x"] {
        assert!(words(name).is_ok(), "{name}");
    }
}
