//! What content may be used for: values of Content-Usage and Content-Signal, and which of them hold for a URL.

use robosieve::Sieve;
use robosieve::records::{Directive, Parser, Selection};
use robosieve::settings::Interest;
use robosieve::values::{ContentUse, Use};

use crate::number;

/// [value.content-signal]
#[test]
fn signals_are_names_with_words() {
    for (value, path, uses, spelled) in [
        ("a=y", "", &[("a", "y")][..], "a=y"),
        ("Search=NO , ai-train = yes", "", &[("search", "no"), ("ai-train", "yes")], "search=no, ai-train=yes"),
        ("search=YES,ai-train=n", "", &[("search", "YES"), ("ai-train", "no")], "search=YES, ai-train=no"),
        ("/blog ai-train=no", "/blog", &[("ai-train", "no")], "/blog ai-train=no"),
        ("/blog\ta=b,c=d,", "/blog", &[("a", "b"), ("c", "d")], "/blog a=b, c=d"),
        (",,a=b=c", "", &[("a", "b=c")], "a=b=c"),
    ] {
        let content = ContentUse::read_signal(value).unwrap();
        let found: Vec<_> = content.uses.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
        assert_eq!((content.path.as_str(), found), (path, uses.to_vec()), "{value}");
        assert_eq!(content.to_string(), spelled, "{value}");
    }
    for none in ["", ",", "a", "=b", "a=", "a b=c", "/blog", "/blog a", "a=b,c"] {
        assert_eq!(ContentUse::read_signal(none), None, "{none:?}");
    }
}

/// [value.content-usage]: the examples of RFC 9651 3.2 and 3.3, and of the drafts.
#[test]
fn usage_is_a_dictionary() {
    for (value, spelled) in [
        ("train-ai=n", "train-ai=n"),
        ("/b train-ai;p=1, search=n", "/b train-ai;p=1, search=n"),
        ("train-ai", "train-ai"),
        ("train-ai=y,\t search=n", "train-ai=y, search=n"),
        ("/ai-ok/   train-ai=y", "/ai-ok/ train-ai=y"),
        ("a=?0, b, c; foo=bar", "a=?0, b, c;foo=bar"),
        ("a=?1;b=?1;c=?0", "a;b;c=?0"),
        ("rating=1.5, feelings=(joy sadness)", "rating=1.5, feelings=(joy sadness)"),
        ("a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid", "a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid"),
        ("a=( \"x\";i=1   y );p=1", "a=(\"x\";i=1 y);p=1"),
        ("a=()", "a=()"),
        ("en=\"Applepie\", da=:w4ZibGV0w6Z0ZQ==:", "en=\"Applepie\", da=:w4ZibGV0w6Z0ZQ==:"),
        ("a=\"\\\"\\\\,;=\"", "a=\"\\\"\\\\,;=\""),
        ("a=@1659578233, b=%\"This is %c3%bc\"", "a=@1659578233, b=%\"This is %c3%bc\""),
        ("a=-999999999999999, b=-123456789012.123", "a=-999999999999999, b=-123456789012.123"),
        ("*a_-.*=foo123/456:*", "*a_-.*=foo123/456:*"),
        ("a=n, a=y", "a=n, a=y"),
    ] {
        let read = ContentUse::read_usage(value).unwrap_or_else(|| panic!("{value}"));
        assert_eq!(read.to_string(), spelled);
        assert_eq!(ContentUse::read_usage(spelled), Some(read));
    }
    for none in [
        "| |/b|/b |,|a,|,a|a,,b|A=y|a =y|a= y|a=|=y|1a|-a|_a|a b|a=y z|a ;p|a=\"x|a=:!:|a=:YQ==|a=?2|a=@|a=@1.5|a=1.",
        "a=1.2345|a=.5|a=-|a=--1|a=(|a=(x|a=(x,y)|a=((x))|a;|a;=1|a;P=1|a;p=|a;p=(x)|a=\"\\x\"|a=1234567890123456",
        "a=1234567890123.1|a=(\"x\"\"y\")|a=%\"%C3%BC\"|a=%\"%ff\"|a=%\"%c\"|a=n\u{e9}|a=\"\u{7f}\"|*.pdf a=n",
    ] {
        none.split('|').for_each(|none| assert_eq!(ContentUse::read_usage(none), None, "{none:?}"));
    }
}

/// [value.content-usage]: only `y` and `n` say anything, and of two equal names the last counts.
#[test]
fn only_tokens_say_something() {
    let usage = ContentUse::read_usage("a=y, b=n;p=1, c, d=yes-please, e=1, f=\"y\", g=(y), h=?0, a=n").unwrap();
    let of = |name: &str| usage.of(name).map(Use::is_allowed);
    assert_eq!((of("a"), of("b"), of("z")), (Some(Some(false)), Some(Some(false)), None));
    for name in ["c", "d", "e", "f", "g", "h"] {
        assert_eq!(of(name), Some(None), "{name}");
    }
}

/// The lines that hold for a URL.
fn lines(file: &str, directive: Directive, url: &str) -> Vec<u32> {
    let set = Parser::default().parse(file.as_bytes());
    let selection = Selection::of(&set, &Interest::new(["MyBot"]));
    selection.values().uses_of(directive, url).iter().map(|(line, _)| number(line.line())).collect()
}

/// [usage.path]
#[test]
fn the_longest_path_holds() {
    let file = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a/ train-ai=y\nContent-Usage: /*.pdf$ search=n\n\
        Content-Usage: / search=y\nContent-Usage: /a/ search\nContent-Usage: /%7Eann train-ai=n\n\
        Content-Signal: search=no\nContent-Signal: /a/b search=yes\n";
    for (url, expected) in [
        ("/", &[5][..]),
        ("/x", &[5]),
        ("https://example.com/a/b?c", &[3, 6]),
        // Seven bytes are more than three.
        ("/a/b.pdf", &[4]),
        ("/a/b.pdf?x", &[3, 6]),
        ("/~ann/x", &[7]),
        ("/%7eann", &[7]),
    ] {
        assert_eq!(lines(file, Directive::ContentUsage, url), expected, "{url}");
    }
    assert_eq!(lines(file, Directive::ContentSignal, "/a"), [8]);
    assert_eq!(lines(file, Directive::ContentSignal, "/a/b/c"), [9]);
    assert!(lines(file, Directive::CrawlDelay, "/").is_empty());
    let only_a_path = "User-agent: *\nContent-Usage: /a train-ai=n\n";
    assert!(lines(only_a_path, Directive::ContentUsage, "/b").is_empty());
}

/// [usage.inherited] [value.everybody]
#[test]
fn what_restricts_everyone_restricts_a_group_that_is_silent() {
    let signals = "Content-Usage: train-ai=n, search=y\nContent-Usage: /b search=y\n";
    for (before, everyone) in [(signals, ""), ("", signals), (signals, signals)] {
        let file = |own: &str| {
            format!("{before}User-agent: *\n{everyone}Disallow: /x\n\nUser-agent: MyBot\nDisallow: /y\n{own}")
        };
        let of = |file: &str, interest: &Interest, url: &str| {
            let set = Parser::default().parse(file.as_bytes());
            let selection = Selection::of(&set, interest);
            let uses = selection.values().uses_of(Directive::ContentUsage, url);
            uses.into_iter().map(|(_, value)| value.to_string()).collect::<std::collections::BTreeSet<_>>()
        };
        let interest = Interest::new(["MyBot"]);
        let said = |file: &str, url: &str| of(file, &interest, url).into_iter().collect::<Vec<_>>().join("; ");
        for url in ["/", "/b"] {
            assert_eq!(said(&file(""), url), "train-ai=n", "what allows is left out, also for a longer path");
        }
        assert_eq!(said(&file("Content-Signal: search=yes\n"), "/"), "", "it has signals of its own");
        let alone = of(&file(""), &interest.clone().fallback(false), "/");
        assert_eq!(alone.is_empty(), before.is_empty(), "`*` is no fallback");
        // The text says the same.
        let text = Sieve::new(["MyBot"]).filter(file("").as_bytes()).unwrap().text().to_string();
        assert_eq!(said(&text, "/b"), "train-ai=n", "{text}");
        let of_all = robosieve::Sieve::all_agents().filter(file("").as_bytes()).unwrap().text().to_string();
        assert_eq!(said(&of_all, "/b"), "train-ai=n", "{of_all}");
    }
}

/// [value.content-signal] [value.labels]
#[test]
fn a_level_is_one_of_three() {
    let ranks = |value: &str| ContentUse::read_signal(value).unwrap().uses[0].rank();
    let found = ["immediate", "reference", "full", "yes", "Full", "none"].map(|level| ranks(&format!("use={level}")));
    assert_eq!(found, [Some(0), Some(1), Some(2), None, None, None]);
    assert_eq!(["no", "yes", "y"].map(|word| ranks(&format!("search={word}"))), [Some(0), Some(1), None]);
    assert_eq!(ContentUse::read_usage("train-ai=y").unwrap().uses[0].rank(), Some(1));
    assert_eq!(ContentUse::read_usage("bots=y").unwrap().uses[0].rank(), None);
    assert!(ContentUse::read_usage("train-ai=yes").unwrap().uses[0].is_allowed().is_none());
    assert!(ContentUse::read_signal("ai-train=y").unwrap().uses[0].is_allowed().is_none());
}
