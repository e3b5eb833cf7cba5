//! Field names: which misspellings are understood, which lines continue their values, and names that the caller adds.

use robosieve::report::FindingKind;
use robosieve::settings::{ConfigError, Dialect, Limits, Options};
use robosieve::syntax::{Directive, DirectiveScope, Leniency, ValueForm, Vocabulary};
use robosieve::{Sieve, sieve};

use crate::common::text_with;

#[track_caller]
fn text(input: &str) -> String {
    text_with(Options::default(), input)
}

fn with(vocabulary: Vocabulary) -> Options {
    Options { vocabulary, ..Options::default() }
}

/// [agent.everyone]
#[test]
fn a_star_followed_by_another_byte_names_nobody() {
    for (value, is_everyone) in
        [("*", true), ("* b", true), ("*\tb", true), ("*\u{b}b", false), ("*\u{c}b", false), ("*b", false)]
    {
        let rule = if is_everyone { "Disallow: /a\n" } else { "Disallow:\n" };
        assert_eq!(
            text(&format!("User-agent: {value}\nDisallow: /a\n")),
            format!("User-agent: *\n{rule}"),
            "{value:?}"
        );
    }
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

/// [field.typo]
#[test]
fn any_blanks_may_separate_the_words_of_a_name() {
    for name in ["user agent", "User  Agent", "USER\tAGENT", "user \t agent"] {
        let input = format!("{name}: MyBot\nDisallow: /\n");
        let sieved = sieve(input.as_bytes(), ["MyBot"]);
        assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /\n", "{name:?}");
        assert_eq!(sieved.report().count(FindingKind::MisspelledDirective), 1, "{name:?}");
    }
}

/// [google.name]
#[test]
fn a_name_that_google_understands_may_be_long() {
    let google = Sieve::new(["MyBot"]).dialect(Dialect::Google);
    for length in [0, 23, 24, 25, 100] {
        let input =
            format!("User-agent: *\nDisallow{}: /a\nallo: /a/b\nSite-mapping: https://e.com/\n", "s".repeat(length));
        let expected = "User-agent: *\nDisallow: /a\n\nSitemap: https://e.com/\n";
        assert_eq!(google.run(input.as_bytes()).unwrap().text().as_str(), expected, "{length}");
    }
}

/// [agent.glued]
#[test]
fn directives_after_an_agent_on_its_line_are_reported() {
    for (behind, glued) in
        [("disallow: /", 1), ("Allow:/", 1), ("crawl-delay: 5", 1), ("sitemap: x", 1), ("bot", 0), ("host: x", 0)]
    {
        let input = format!("User-agent: MyBot {behind}\nDisallow: /x\n");
        let sieved = sieve(input.as_bytes(), ["MyBot"]);
        assert_eq!(sieved.report().count(FindingKind::GluedDirective), glued, "{behind}");
        assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /x\n", "{behind}");
    }
}

/// Which directives are rules, and the canonical spelling of each: [field.name]
#[test]
fn directives_have_a_kind_and_a_name() {
    assert!(Directive::Allow.is_rule() && Directive::Disallow.is_rule());
    assert!(!Directive::UserAgent.is_rule() && !Directive::Sitemap.is_rule() && !Directive::Unknown.is_rule());
    assert_eq!(Directive::ContentSignal.name(), Some("Content-Signal"));
    assert_eq!(Directive::Unknown.name(), None);
    assert_eq!(Vocabulary::new(Leniency::Generous).leniency(), Leniency::Generous);
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

/// Text values of added directives can be continued; paths cannot. [line.fold] [ext.own]
#[test]
fn values_of_added_names_are_continued_like_texts() {
    let own = Vocabulary::new(Leniency::Common)
        .with_directive("X-Text", DirectiveScope::Record, ValueForm::Text)
        .and_then(|words| words.with_directive("X-Path", DirectiveScope::Record, ValueForm::Path))
        .unwrap();
    let input = "User-agent: *\nX-Text: one\n  two three\nX-Path: /a\n  b\nX-Path:\n  c%7e\n";
    let expected = "User-agent: *\nDisallow:\nX-text: one two three\nX-path: /a\nX-path: /c~\n";
    assert_eq!(text_with(with(own), input), expected);
}

/// A path is normalised in every directive: [path.encode] [ext.own]
#[test]
fn noindex_is_a_path() {
    let input = "User-agent: *\nNoindex: a%7eb c\nDisallow: /x\n";
    assert_eq!(text(input), "User-agent: *\nDisallow: /x\nNoindex: /a~b%20c\n");
}

/// [ext.own] [limit.directive-length]
#[test]
fn own_names_may_be_long() {
    for length in [1, 4, 31, 32, 33, 64] {
        let name = "x".repeat(length);
        let own =
            Vocabulary::new(Leniency::Common).with_directive(&name, DirectiveScope::Record, ValueForm::Text).unwrap();
        let limits = Limits { max_directive_length: 64, ..Limits::default() };
        let input = format!("User-agent: *\n{name}: 1\n{name}x: 2\n");
        let text = text_with(Options { limits, ..with(own) }, &input);
        let expected = format!("User-agent: *\nDisallow:\nX{}: 1\n", name.get(1..).unwrap_or_default());
        assert_eq!(text, expected);
    }
}

/// [ext.own]
#[test]
fn added_names_are_returned_in_canonical_spelling() {
    let own = Vocabulary::new(Leniency::Common)
        .with_directive("X-Throttle", DirectiveScope::Record, ValueForm::Text)
        .and_then(|words| words.with_user_agent_name("CRAWLER"))
        .unwrap();
    assert_eq!(own.own().collect::<Vec<_>>(), ["X-throttle", "Crawler"]);
    let again = own.with_directive("crawler", DirectiveScope::File, ValueForm::Text).unwrap_err();
    assert_eq!(again, ConfigError::DirectiveTaken("crawler".into()));
}

/// A name that only Google's parser or only a generous reader reads as a rule is not written either. [ext.unknown]
#[test]
fn unknown_names_that_some_reader_knows_are_left_out() {
    let options = Options { keep_unknown: true, ..with(Vocabulary::new(Leniency::Strict)) };
    let input = "User-agent: *\nAllowance: /a\nCrawldelay: 5\nUser-agent-x: b\nSee: c\n";
    assert_eq!(text_with(options, input), "User-agent: *\nDisallow:\nSee: c\n");
}

/// [text.order] [ext.unknown]
#[test]
fn unknown_lines_are_sorted_by_name() {
    let options = Options { keep_unknown: true, ..Options::default() };
    let input = "User-agent: *\nZed: 1\nSee: 3\nAbc: 2\nZed: 1\nSee: 1\nDisallow: /\n";
    let expected = "User-agent: *\nDisallow: /\nAbc: 2\nSee: 3\nSee: 1\nZed: 1\n";
    assert_eq!(text_with(options, input), expected);
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

/// A line with a comment is never continued, not even by a line that begins with a colon. [line.fold]
#[test]
fn a_colon_with_a_comment_is_not_continued() {
    for (below, expected) in [("  : # note\n    /x\n", "Disallow:"), ("  :\n    /x\n", "Disallow: /x")] {
        assert_eq!(text(&format!("User-agent: *\nDisallow\n{below}")), format!("User-agent: *\n{expected}\n"));
    }
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

/// Only certain pairs of words are a name together. [field.name] [field.syntax]
#[test]
fn only_certain_pairs_of_words_are_a_name() {
    for line in [
        "user foo: x",
        "foo agent: x",
        "user delay: x",
        "crawl map: x",
        "site agent: x",
        "no name: x",
        "user agent x: y",
    ] {
        let input = format!("User-agent: *\n{line}\nDisallow: /a\n");
        let sieved = sieve(input.as_bytes(), ["MyBot"]);
        assert_eq!(sieved.report().count(FindingKind::NotAField), 1, "{line}");
        assert_eq!(sieved.report().total(), 1, "{line}");
    }
}

/// [field.missing-colon]: a name of `User-agent` alone ends a group as `User-agent:` does.
#[test]
fn a_bare_user_agent_line_ends_a_group() {
    let file =
        |line: &str| format!("User-agent: MyBot\nDisallow: /a\n{line}\nDisallow: /b\nUser-agent: x\nDisallow: /c\n");
    for line in ["User-agent", "user agent", "USERAGENT  ", " User-agent # x"] {
        let sieved = sieve_text(&file(line));
        assert_eq!(sieved, sieve_text(&file("User-agent:")), "{line}");
        assert_eq!(sieved, "User-agent: *\nDisallow: /a\n");
    }
    for line in ["Agent", "User-agents agent x", "user"] {
        assert_eq!(sieve_text(&file(line)), "User-agent: *\nDisallow: /a\nDisallow: /b\n", "{line}");
    }
    let of = |dialect: Dialect| {
        Sieve::new(["MyBot"]).dialect(dialect).run(file("user agent").as_bytes()).unwrap().text().to_string()
    };
    assert_eq!(of(Dialect::Google), "User-agent: *\nDisallow: /a\nDisallow: /b\n");
}

/// [ext.own] [google.name]
#[test]
fn own_names_are_no_rules_for_google() {
    let words = |name: &str| Vocabulary::default().with_directive(name, DirectiveScope::File, ValueForm::Text);
    for name in ["Disallow-AI", "allowed", "DISALLOWAITRAINING", "disalow-x", "Allow-", "diasllowed"] {
        let error = words(name).unwrap_err();
        assert!(error.to_string().contains("would be a rule for Google"), "{error}");
        assert_eq!(Vocabulary::default().with_user_agent_name(name).unwrap_err(), error);
    }
    for name in ["X-Allow", "Allo", "Sitemap-index", "User-agent-x"] {
        assert!(words(name).is_ok(), "{name}");
    }
}

fn sieve_text(file: &str) -> String {
    Sieve::new(["MyBot"]).run(file.as_bytes()).unwrap().text().to_string()
}
