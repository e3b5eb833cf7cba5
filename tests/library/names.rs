//! Names of fields and of agents: which bytes are theirs, which misspellings are understood, which lines continue the
//! values of fields, and names that the caller adds.

use robosieve::Options;
use robosieve::parts::{is_one_edit, nearest_directive};
use robosieve::records::{Directive, Parser};
use robosieve::settings::{Agent, Dialect, DirectiveScope, Leniency, Limits, Vocabulary};

use crate::text_with;

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

/// Names that differ in one byte are different names. [field.name] [line.end]
#[test]
fn names_match_exactly() {
    let rules = "User-agent: *\nDisallow: /b\n";
    let asked = |name: &str| text(&format!("{rules}{name}: MyBot\nDisallow: /a\n"));
    for name in ["User-agent", "uSER-AGENT"] {
        assert_eq!(asked(name), "User-agent: *\nDisallow: /a\n", "{name:?}");
    }
    let others = "User-agenx User-agexT User-ag3nt User\ragent User\nagent Uses-agent User-agentt User-agen User\u{1}agent \
        Vser-agent User_agent";
    for name in others.split(' ') {
        assert_eq!(asked(name), "User-agent: *\nDisallow: /a\nDisallow: /b\n", "{name:?}");
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

/// [agent.token] [agent.value] [agent.any] [google.agent]
#[test]
fn a_byte_is_a_part_of_a_name_or_ends_it() {
    for byte in (0..=u8::MAX).filter(|byte| !b"\r\n".contains(byte)) {
        let value = [b'b', byte, b'b'];
        let token = Agent::new(value).token().map(str::to_owned);
        let is_token = byte.is_ascii_alphabetic() || b"_-".contains(&byte);
        let is_wide = is_token || byte.is_ascii_digit() || byte == b'.';
        let whole = String::from_utf8_lossy(&value).into_owned();
        let front = if is_wide { whole.clone() } else { "b".to_owned() };
        assert_eq!(token, byte.is_ascii().then_some(front), "{byte}");
        let file = [b"User-agent: ", &value[..], b"\nDisallow: /\n"].concat();
        for (dialect, is_part) in [(Dialect::Standard, is_wide), (Dialect::Google, is_token)] {
            let set = Parser::new(dialect.options()).parse(&file);
            let name = set.records().next().unwrap().agents()[0].name().to_string();
            assert_eq!(name, if is_part { whole.clone() } else { "b".to_owned() }, "{dialect:?} {byte}");
        }
    }
}

/// [field.name] [line.end] [line.comment]
#[test]
fn a_byte_is_a_part_of_a_directive_or_makes_it_invalid() {
    let options = Options { keep_unknown: true, ..Options::default() };
    for byte in 0..=u8::MAX {
        let file = [b"User-agent: *\nDisallow: /\nq", &[byte][..], b"q: 1\n"].concat();
        let set = Parser::new(options.clone()).parse(&file);
        let record = set.records().next().unwrap();
        let kept: Vec<String> = record.extensions().iter().map(|line| line.name().to_string().to_lowercase()).collect();
        let expected = match byte {
            b'-' => vec!["q-q".to_owned()],
            _ if byte.is_ascii_alphanumeric() => vec![format!("q{}q", char::from(byte)).to_lowercase()],
            // `q: 1` is a separate line, or the value.
            b'\r' | b'\n' | b':' => vec!["q".to_owned()],
            _ => Vec::new(),
        };
        assert_eq!(kept, expected, "{byte}");
    }
}

/// [suspect.almost]
#[test]
fn one_edit_is_one_letter_or_its_place() {
    for (one, near, others) in [
        ("GPTBot", "GTPBot gptbo GPTBott GPTBat GPBTot PTGBot GPTotB", "gptbot GPTtoB"),
        ("aaab", "aab", "ab"),
        ("ab", "ba", ""),
        ("", "a", "ab"),
        ("abcd", "", "badc"),
    ] {
        let others = others.split_whitespace().map(|other| (other, false));
        for (other, expected) in near.split_whitespace().map(|other| (other, true)).chain(others) {
            assert_eq!(is_one_edit(one.as_bytes(), other.as_bytes()), expected, "{one} {other}");
            assert_eq!(is_one_edit(other.as_bytes(), one.as_bytes()), expected, "{other} {one}");
        }
    }
}

/// [suspect.almost]
#[test]
fn names_with_a_slip_are_near_to_one_directive() {
    use Directive as D;
    for (expected, names) in [
        (Some(D::Disallow), "Disabllow|Dsiallow|Disallop|dis allow"),
        (Some(D::UserAgent), "User-agen|Uers-agent|use_agent"),
        (Some(D::Allow), "Alllow"),
        (Some(D::Sitemap), "Sitmap"),
        (Some(D::CrawlDelay), "Crawl-dealy"),
        (Some(D::License), "Licence"),
        (None, "Alow|Hots|Follow|Disallow|Noallow|"),
    ] {
        for name in names.split('|') {
            assert_eq!(nearest_directive(name.as_bytes()), expected, "{name}");
        }
    }
}
