//! Known crawlers, tables and expectations.

use std::collections::BTreeSet;

use robosieve::Options;
use robosieve::records::{Parser, RuleKind, Selection};
use robosieve::settings::{Agent, Dialect};
use robosieve_explain::{Answer, Crawler, Groups, Names, Who, check, expectations, tester};

/// Each line of the lists is whole: [crawlers.list] [crawlers.listed]
#[test]
fn the_list_is_whole() {
    let lines = |table: &'static str, fields: usize| {
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        assert!(rows.clone().all(|row| row.split('\t').count() == fields), "a field is missing");
        rows.count()
    };
    let crawlers: Vec<&Crawler> = Crawler::all().collect();
    assert_eq!(crawlers.len(), lines(include_str!("../../data/crawlers.tsv"), 7));
    let listed = Crawler::every().skip(crawlers.len());
    assert_eq!(listed.filter(|it| !it.documented).count(), lines(include_str!("../../data/listed.tsv"), 5));
    assert_eq!(lines(include_str!("../../data/products.tsv"), 2), 9);
    let mut tokens = BTreeSet::new();
    for crawler in Crawler::every() {
        assert!(tokens.insert(crawler.token.to_ascii_lowercase()), "{crawler:?} is listed twice");
        assert!(crawler.source.starts_with("https://"), "{crawler:?}");
        assert_eq!(Crawler::find(&format!(" {}\t", crawler.token.to_uppercase())), Some(crawler));
        assert!(Crawler::find(&format!("x{}", crawler.token)).is_none_or(|other| other != crawler));
        assert_eq!(Crawler::near(crawler.token), None);
        assert!(!crawler.owner.is_empty() && !crawler.purpose.is_empty(), "{crawler:?}");
        assert!(crawler.kinds().all(|kind| Crawler::KINDS.contains(&kind)), "{crawler:?}");
        assert!(crawler.documented || !crawler.differs() && !crawler.ignores_robots_txt, "{crawler:?}");
    }
    for crawler in &crawlers {
        // A token that no user-agent line can name would be of no use.
        assert_eq!(Agent::new(crawler.token).token().unwrap(), crawler.token, "{crawler:?}");
        assert!(crawler.fallbacks().all(|token| Agent::new(token).token().unwrap() == token), "{crawler:?}");
    }
    for kind in Crawler::KINDS {
        assert!(crawlers.iter().any(|crawler| crawler.is(kind)), "no crawler is of the kind {kind}");
    }
}

const FILE: &[u8] = b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\n\
    Disallow: /b\nContent-Signal: ai-train=no\n";

fn known(agent: &str) -> Groups {
    Names::Known.groups([agent])
}

/// The answers to an agent, and whose group it uses.
fn asked(file: &[u8], options: &Options, groups: &Groups, urls: &[&str]) -> (Vec<Answer>, Who) {
    let (tester, who) = tester(file, &groups.options(options.clone()), groups);
    (urls.iter().map(|url| Answer::new(&tester.test(url), &who)).collect(), who)
}

/// [crawlers.groups]
#[test]
fn crawlers_use_the_groups_that_their_owners_document() {
    let agents = ["googlebot-image", "Applebot", "AdsBot-Google", "YandexMobileBot", "GPTBot", "MyBot"];
    let found = agents.map(|agent| {
        let (answers, who) = asked(FILE, &Options::default(), &known(agent), &["/a", "/b"]);
        (agent, who.words(), answers.iter().map(|answer| answer.line).collect::<Vec<_>>())
    });
    let googlebots = || "group Googlebot applies".to_owned();
    let expected = [
        ("googlebot-image", googlebots(), vec![Some(2), None]),
        ("Applebot", googlebots(), vec![Some(2), None]),
        ("AdsBot-Google", "no group applies".to_owned(), vec![None, None]),
        ("YandexMobileBot", "no group applies".to_owned(), vec![None, None]),
        ("GPTBot", "group GPTBot applies".to_owned(), vec![Some(5), Some(5)]),
        ("MyBot", "group * applies".to_owned(), vec![None, Some(8)]),
    ];
    assert_eq!(found, expected);
}

/// [expect.lines], [expect.check]
#[test]
fn expectations_are_met_or_not() {
    let read =
        expectations("\u{feff}# all\r\n\n  Googlebot allow /b#c # d\nGPTBot Disallowed: https://e.com/\n* allow /b\n")
            .unwrap();
    let lines: Vec<_> = read.iter().map(|one| (one.line, one.expect, one.url.as_str())).collect();
    let expected =
        [(3, RuleKind::Allow, "/b#c"), (4, RuleKind::Disallow, "https://e.com/"), (5, RuleKind::Allow, "/b")];
    assert_eq!(lines, expected);
    let checked = check(FILE, &Options::default(), known, &read);
    assert_eq!(checked.iter().map(|one| one.met).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(checked[2].answer.words(), "line 8: Disallow: /b (group * applies)");
    for (text, line, words) in [
        ("a allow", 1, "write an agent"),
        ("a allow /\n\nallow /x", 3, "write an agent"),
        ("a allow / b", 1, "write an agent"),
        ("a permit /", 1, "neither `allow` nor `disallow`"),
    ] {
        let error = expectations(text).unwrap_err();
        assert!(error.starts_with(&format!("line {line}: ")) && error.contains(words), "{text}: {error}");
    }
}

/// [crawlers.owned], [crawlers.listed]
#[test]
fn a_company_is_no_crawler() {
    for (name, expected) in [
        ("Bing", "no crawler has the name Bing; those of Microsoft are Bingbot, AdIdxBot, MicrosoftPreview, "),
        ("openai", "no crawler is documented by the name openai; those of OpenAI are GPTBot, OAI-SearchBot, "),
        ("LinkedIn", "no crawler has the name LinkedIn; those of LinkedIn are LinkedInBot"),
        ("TikTok", "no crawler has the name TikTok; those of ByteDance are Bytespider, "),
    ] {
        let words = Crawler::owned_words(name).unwrap();
        assert!(words.starts_with(expected), "{words}");
    }
    for name in ["Googlebot", "Yandex", "Diffbot", "Pinterest", "MyBot", "unknown", "X", "", "*"] {
        assert_eq!(Crawler::owned_words(name), None, "{name}");
    }
    for token in
        ["LinkedInBot", "Slackbot", "Discordbot", "TelegramBot", "WhatsApp", "Facebot", "facebookcatalog", "cohere-ai"]
    {
        assert!(!Crawler::find(token).unwrap().documented, "{token}");
    }
}

/// [crawlers.near]
#[test]
fn a_name_may_be_meant_for_a_known_crawler() {
    for (name, expected) in [
        ("GTPBot", Some("GPTBot")),
        ("gptbots", Some("GPTBot")),
        ("Gogglebot", Some("Googlebot")),
        ("Googlbot/2.1", Some("Googlebot")),
        ("ClaudBot", Some("ClaudeBot")),
        ("Bitespider", Some("Bytespider")),
        // Known, too short, too far, or no name.
        ("googlebot", None),
        ("Googlebot/2.1", None),
        ("meta-externalagent", None),
        ("Yetj", None),
        ("Spiders", None),
        ("Google", None),
        ("MyBot", None),
        ("", None),
        ("*", None),
    ] {
        assert_eq!(Crawler::near(name).map(|crawler| crawler.token), expected, "{name}");
    }
    let long = "a".repeat(1 << 20);
    assert_eq!((Crawler::near(&long), Crawler::find(&long)), (None, None));
}

/// [crawlers.ignoring]
#[test]
fn some_crawlers_do_not_always_obey() {
    let ignores = |name: &str| Crawler::find(name).unwrap().ignores_robots_txt;
    assert!(["Google-Safety", "FeedFetcher-Google", "Perplexity-User", "ChatGPT-User"].into_iter().all(ignores));
    assert!(!["Googlebot", "AdsBot-Google", "Claude-User", "Bytespider"].into_iter().any(ignores));
    let (answers, who) = asked(FILE, &Options::default(), &known("Google-Safety"), &["/b"]);
    assert!(!answers[0].allowed && who.documented().is_none());
}

/// [names.dialect]
#[test]
fn a_known_crawler_never_has_two_groups() {
    let file =
        b"User-agent: Googlebot-News\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n\nUser-agent: *\nAllow: /\n";
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        let options = dialect.options().for_verdicts();
        let allowed = |names: Names, agent: &str| asked(file, &options, &names.groups([agent]), &["/"]).0[0].allowed;
        let answers = |names| ["Googlebot-News", "Googlebot-Image"].map(|agent| allowed(names, agent));
        assert_eq!((answers(Names::Known), answers(Names::Plain)), ([false, true], [false, true]), "{dialect:?}");
        // A set that was read with the options as they are.
        let set = Parser::new(options).parse(file);
        for (agent, who) in [("Googlebot-News", "Googlebot-News"), ("Googlebot-Image", "Googlebot")] {
            let groups = Names::Known.groups([agent]).within(&set).into_owned();
            let found = Who::new(Selection::of(&set, &groups).answered_by(), &groups);
            assert_eq!((found.agent(), found.documented().is_some()), (Some(who), who != agent), "{dialect:?}");
        }
    }
}
