//! Clauses of SPEC.md that an example cannot show.

use robosieve::records::Parser;
use robosieve::report::{FindingKind, Report};
use robosieve::settings::{
    Agent, ConfigError, Dialect, DirectiveScope, Interest, Leniency, Limits, TextForm, Vocabulary,
};
use robosieve::verdict::SiteAccess;
use robosieve::{Options, Sieve, Tester, Verdict};

use crate::{limited, sieved, text_with};

/// [line.trailing-blanks]
#[test]
fn trailing_blanks_can_stay() {
    let keep = Options { keep_trailing_spaces: true, ..Options::default() };
    let input = "User-agent: *\nDisallow: /a \t\nDisallow: /b  # no\nDisallow: /c\n";
    assert_eq!(text_with(Options::default(), input), "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\n");
    assert_eq!(text_with(keep.clone(), input), "User-agent: *\nDisallow: /a%20%09\nDisallow: /b\nDisallow: /c\n");
    let folded =
        "User-agent: *\nDisallow:\n /a \t\nDisallow:\n /b  # no\nDisallow\n : /c\nDisallow /d \nDisallow /e # no\n";
    for (options, kept) in [(Options::default(), ""), (keep, "%20%09")] {
        let rest = "Disallow: /b\nDisallow: /c\nDisallow: /d\nDisallow: /e\n";
        assert_eq!(text_with(options, folded), format!("User-agent: *\nDisallow: /a{kept}\n{rest}"));
    }
}

/// [ext.unknown] [ext.own]
#[test]
fn directives_can_be_added() {
    let vocabulary = Vocabulary::new(Leniency::Common)
        .with_directive("X-Throttle", DirectiveScope::Record)
        .and_then(|words| words.with_path_directive("Noarchive", DirectiveScope::File))
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
    assert!("".parse::<Agent>().unwrap_err().to_string().contains("letters, digits"));
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
            evil.parse::<Agent>().unwrap_err(),
            words.clone().with_user_agent_name(evil).unwrap_err(),
            words.with_directive(evil, DirectiveScope::File).unwrap_err(),
            ConfigError::DirectiveTaken(evil.into()),
        ];
        for message in errors.map(|error| error.to_string()) {
            assert!(message.contains(shown), "{message}");
            assert!(message.chars().all(robosieve_printable::is_shown), "{message:?}");
        }
    }
}

/// [text.size]
#[test]
fn long_texts_are_reported() {
    let rules = |count: usize| -> String { (0..count).map(|n| format!("Disallow: /{n}\n")).collect() };
    let many = Limits { max_lines: 2000, ..Limits::default() };
    for (count, reported) in [(TextForm::SAFE_RULES, 0), (TextForm::SAFE_RULES + 1, 1)] {
        let input = format!("User-agent: *\n{}", rules(count));
        assert_eq!(sieved(limited(many), &input).report().count(FindingKind::LongText), reported, "{count}");
    }
    for (length, reported) in [(TextForm::SAFE_LENGTH, 0), (TextForm::SAFE_LENGTH + 1, 1)] {
        let input = format!("User-agent: *\nDisallow: /{}\n", "a".repeat(length - 26));
        let sieved = sieved(limited(Limits::NONE), &input);
        assert_eq!((sieved.text().to_string().len(), sieved.text().len()), (length, length));
        assert_eq!(sieved.report().count(FindingKind::LongText), reported, "{length}");
    }
    let bytes: String = (0..300).map(|n| format!("Disallow: /{n}{}\n", "\u{e9}".repeat(300))).collect();
    let input = format!("User-agent: *\n{bytes}");
    let sieved = sieved(limited(Limits { max_bytes: 1_000_000, ..Limits::default() }), &input);
    assert!(sieved.text().len() > TextForm::SAFE_LENGTH);
    assert_eq!(sieved.report().count(FindingKind::LongText), 1);
}

/// [status.access]
#[test]
fn statuses_allow_or_disallow_all() {
    use SiteAccess::{AllowAll, DisallowAll, Rules};
    let closed = [0, 100, 202, 204, 205, 407, 408, 412, 417, 421, 425, 429, 431, 500, 599];
    for (statuses, standard, processor) in [
        (&[200, 206][..], Rules, Rules),
        (&closed, DisallowAll, DisallowAll),
        (&[400, 404, 411, 418, 499], AllowAll, AllowAll),
        (&[301, 304, 401, 403], AllowAll, DisallowAll),
    ] {
        for &status in statuses {
            assert_eq!(SiteAccess::of_status(status, &Dialect::Standard.options()), standard, "{status}");
            assert_eq!(SiteAccess::of_status(status, &Dialect::Processor.options()), processor, "{status}");
        }
    }
    let set = Parser::default().parse(b"User-agent: *\nDisallow: /a\n");
    let tester = Tester::new(&set, &Interest::new(["x"]));
    let closed = tester.clone().with_access(SiteAccess::of_status(403, &Dialect::Processor.options()));
    assert_eq!(closed.test(b"/b"), Verdict::Status(false));
    assert!(tester.clone().with_access(AllowAll).is_allowed("/a"));
    assert!(!tester.is_allowed("/a"));
}

/// Types can be sent between threads, and testing needs only a shared reference: [input.bytes]
#[test]
fn types_are_send_and_sync() {
    fn check<T: Send + Sync + Clone>() {}
    check::<robosieve::records::RecordSet<'static>>();
    check::<Tester<'static>>();
    check::<Sieve>();
    check::<Parser>();
    check::<Report>();
    check::<robosieve::Sieved<'static>>();
}
