//! The laws of advice, tried on random files and on real ones.
//!
//! Invariant: what is checked of a file is in `properties/advice.rs`, which a fuzz target checks too.

use std::path::PathBuf;

use robosieve::Sieve;
use robosieve::report::Effect;
use robosieve::settings::{Dialect, Limits, OverLimit, Precedence, TextForm};
use robosieve_explain::{Crawler, Names};

use crate::advice::Tried;

/// A source of small numbers: a linear congruential generator with the constants of Knuth's MMIX.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn word(&mut self, all: &'static str) -> &'static str {
        self.one(&all.split("~~").collect::<Vec<_>>())
    }
}

/// Words of files, by their places in them: each is separated by `~~`.
const AGENTS: &str = "*User-agent~~*Disallow~~\"Useragent\"~~a, Disallow~~*Disallow: /~~*Allow: /~~*Crawl-delay: 10~~\
    GPTBotAllow: /~~GPTBot<br>Disallow: /q~~b*~~Googlebot+~~Mediapartners Googlebot~~Google~~\
    *Sitemap: https://e.com/s.xml~~*~~*~~*~~Googlebot~~GPTBot~~GTPBot~~a~~b~~A1~~a360bot~~Googlebot-News~~\
    AdsBot-Google~~*OrkashBot*~~\"GPTBot\"~~[b]~~\u{2013} b~~~~a, b~~a and Googlebot~~Googlebot/2.1~~\
    Googlebot/Bingbot~~a b~~Exalead Crawler~~Mozilla/5.0 (compatible; b/1.0)~~Mozilla/5.0 (Windows) Safari~~\
    * Disallow: /~~*\\nDisallow: /~~b Disallow: /p~~MJ12bot~~\u{201c}*\u{201d}~~'*'~~b # note~~*bot~~a.b";
const NAMES: &str = "User-agent*~~User-agents/~~Uers-agent~~User-agen~~User-agent~~User-agent~~User-agent~~Useragent~~\
    User agent~~Usr-agent~~user_agent~~- User-agent~~User-agents~~User-Agent~~\u{feff}User-agent~~Userangent";
const RULES: &str = "\
    Disalow/~~Disabllow*~~Disabllow~~Dsiallow~~Alllow~~isallow~~Disallow~~Disallow~~Disallow~~Allow~~Allow~~\
    disalow~~Dissallow~~Disallowed~~DisallowAITraining~~Disallow ~~\"Disallow~~- Disallow~~Alow~~Disallow_";
const PATHS: &str = "\
    /Sitemap: https://e.com/s.xml~~/aCrawl-delay: 10~~/a/Allow: /a/b~~/a<br>Disallow: /b~~/p\\r\\nAllow: /q~~\
    /? Ref =~~/a/ b~~/ *ref=~~/en- us/~~/ wp-admin /~~/*$~~/?*~~/assets/~~/allow:x~~/p /* note */~~/my folder/~~\
    /~~/~~/~~~~/p~~/p/~~/p*~~/p/*~~/*~~*~~/*p~~/p$~~/p*$~~/p$*~~/p$~~/p$*$~~/*p**$$***~~/q~~/q/r~~p~~tmp/~~.js~~\
    ?sort=~~\"/p/\"~~\u{201c}/p/\u{201d}~~\\p\\~~/a/../p~~//e.com/p~~https://e.com/~~https://e.com/p~~\
    http://f.com/*~~www.e.com/p~~/p, /q~~/p,/q~~/p /q~~/p;/q~~/p and /q~~/ /p~~/p // note~~/p  -- note~~\
    /p # note~~/p#x~~/caf\u{e9}~~/p\u{a0}~~\u{200b}/p~~/%7Ep~~/p%2A~~/p%24~~/p|/q~~{{ p }}~~undefined~~\
    /?a=1&amp;b=2~~/p Disallow: /q~~/p\\nDisallow: /~~^/p~~/p\tq~~/index.html~~/p b~~/p**~~/$";
const OTHERS: &str = "Sitemap: https://e.com/a.xmlSitemap: https://e.com/b.xml~~Sitemap: (https://e.com/s.xml)~~\
    Crawl-delay: 10Disallow: /x~~Sitmap: https://e.com/s.xml~~Crawl-dealy: 5~~Content-Signals: ai-train=no~~\
    Crawl-delay: 5 # note~~robots: *~~<p>Disallow: /p</p>~~userAgent = \"iOS\";~~~~~~# note~~Crawl-delay: 5~~\
    Crawl-delay: 10s~~Crawl-delay: 90~~Sitemap: https://e.com/s.xml~~Sitemap: https://e.com/a https://e.com/b~~\
    Sitemap: /s.xml~~Host: e.com~~Content-Signal: ai-train=no~~Content-Usage: train-ai=n~~\
    Content-Usage: Train-AI = Y~~no field here~~Foo: bar~~Noindex: /p~~  /q~~<!-- html -->~~Request-rate: 1/5~~\
    License: https://e.com/l~~# User-agent: b~~Visit-time: 0200 0630";

fn document(dice: &mut Dice) -> String {
    let end = dice.one(&["\n", "\n", "\r\n", "\r"]);
    let mut document = String::from(if dice.below(20) == 0 { "\u{feff}" } else { "" });
    let lines = 1 + dice.below(12);
    for place in 0..lines {
        let line = match dice.below(10) {
            0..=2 => format!("{}: {}", dice.word(NAMES), dice.word(AGENTS)),
            3..=7 => format!("{}: {}", dice.word(RULES), dice.word(PATHS)),
            8 => format!("{} {}", dice.word(RULES), dice.word(PATHS)),
            _ => dice.word(OTHERS).to_owned(),
        };
        document += &line;
        document += if place + 1 == lines && dice.below(3) == 0 { "" } else { end };
    }
    document
}

/// [lint.law], [lint.words], [lint.fix], [lint.together]: random files. `ROBOSIEVE_LAW_FILES=200000` tries more.
#[test]
fn no_edit_breaks_the_law() {
    let files = std::env::var("ROBOSIEVE_LAW_FILES").map_or(1_000, |count| count.parse().unwrap());
    let all: Vec<&Crawler> = Crawler::all().collect();
    let mut dice = Dice(files as u64);
    let mut tried = Tried::default();
    for _ in 0..files {
        let mut known: Vec<&Crawler> = all.iter().copied().filter(|one| one.differs() && dice.below(4) == 0).collect();
        known.push(dice.one(&all));
        tried.file(document(&mut dice).as_bytes(), &known);
    }
    report(&tried);
    // The bound is eight: none ends for that.
    assert!(tried.longest.0 < 8, "{} passes\n{}", tried.longest.0, tried.longest.1);
    assert!(tried.safe > files / 10 && tried.suggested > files / 10, "{tried:?}");
}

/// [lint.law]: the same for real files, each with the known crawlers that use other groups than those of their names. By hand:
/// `ROBOSIEVE_WILD=FOLDER cargo test --release -p robosieve-explain --test explain law -- --nocapture`
#[test]
fn no_edit_breaks_the_law_in_real_files() {
    let Some(folder) = std::env::var_os("ROBOSIEVE_WILD") else { return };
    let known: Vec<&Crawler> = Crawler::all().filter(|one| one.differs()).collect();
    let mut tried = Tried::default();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.is_file()) {
        tried.file(&std::fs::read(path).unwrap(), &known);
    }
    report(&tried);
    assert!(tried.longest.0 < 8, "{} passes\n{}", tried.longest.0, tried.longest.1);
}

fn report(tried: &Tried) {
    let Tried { files, safe, suggested, together, withheld, longest, broken } = tried;
    println!(
        "{files} files, {safe} safe edits, {suggested} suggestions, {together} times together, {withheld} withheld, {} passes, {} break the law",
        longest.0,
        broken.len()
    );
    let shown: Vec<&str> = broken.iter().take(5).map(String::as_str).collect();
    assert!(broken.is_empty(), "{}", shown.join("\n=====\n"));
}

/// A group for one of these agents.
fn group(dice: &mut Dice, names: &[&str]) -> String {
    let mut group = format!("User-agent: {}\n", dice.one(names));
    for _ in 0..dice.below(4) {
        group = group + dice.one(&["Disallow", "Disallow", "Allow"]) + ": " + dice.word(PATHS) + "\n";
    }
    group + dice.one(&["", "", "Crawl-delay: 5\n", "Content-Signal: ai-train=no\n"]) + "\n"
}

/// What any file says to a known crawler, its text says to the crawler, and to each agent that it does not name.
/// `ROBOSIEVE_TEXT_FILES=200000` tries more. [text.one-record], [text.idempotent], [text.parse], [report.exact],
/// [crawlers.groups], [names.plain]
#[test]
fn a_text_answers_for_its_crawler() {
    const URLS: [&str; 15] = [
        "/",
        "/p",
        "/p/",
        "/p/x",
        "/q",
        "/q/r",
        "/tmp/",
        "/a.js",
        "/?sort=1",
        "/p$",
        "/p%24",
        "/p*",
        "/p b",
        "/index.html",
        "/caf\u{e9}",
    ];
    let files = std::env::var("ROBOSIEVE_TEXT_FILES").map_or(3_000, |count| count.parse().unwrap());
    let all: Vec<&Crawler> = Crawler::every().collect();
    let own: Vec<&Crawler> = all.iter().copied().filter(|crawler| !crawler.uses_everyone).collect();
    let mut dice = Dice(files as u64);
    let (mut texts, mut answers, mut exact) = (0, 0, 0);
    for number in 0..files {
        // Half of the turns are for the few that ignore `*`.
        let crawlers = if number % 2 == 0 { &all } else { &own };
        let crawler = crawlers[number / 2 % crawlers.len()];
        let names: Vec<&str> = [crawler.token, crawler.token, "*"].into_iter().chain(crawler.fallbacks()).collect();
        let mut file = document(&mut dice);
        for _ in 0..dice.below(3) {
            let more = group(&mut dice, &names);
            file = if dice.below(2) == 0 { more + &file } else { file + "\n" + &more };
        }
        let names = if dice.below(8) == 0 { Names::Plain } else { Names::Known };
        let groups = names.groups([crawler.token]).fallback(dice.below(8) != 0);
        let dialect = dice.one(&[Dialect::Standard, Dialect::Standard, Dialect::Google, Dialect::Processor]);
        let mut options = groups.options(dialect.options());
        options.over_limit = dice.one(&[OverLimit::Drop, OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse]);
        if dice.below(4) == 0 {
            options.limits = Limits { max_value_length: 5, max_wildcards: 1, max_lines: 3, ..options.limits };
        }
        if dice.below(4) == 0 {
            options.precedence = Precedence::FileOrder;
        }
        // In Google's dialect no line can name a crawler with a digit in its name.
        if !groups.fallback && groups.own_name(options.agents).is_none() {
            continue;
        }
        let form = dice.one(&[TextForm::Faithful, TextForm::Portable]);
        let sieve =
            Sieve::for_agents(groups.interest().clone()).options(options.clone()).with(|options| options.form = form);
        let Ok(first) = sieve.filter(file.as_bytes()) else { continue };
        let text = first.text();
        let context = || format!("{} {groups:?} {dialect:?} {options:?}\n{file:?}\n{text}", crawler.token);
        assert_eq!(sieve.filter(text.as_bytes()).unwrap().text(), text, "{}", context());
        let of_file = sieve.tester(file.as_bytes());
        let Ok(of_file) = of_file else { continue };
        let of_crawler = sieve.tester(text.as_bytes()).unwrap();
        let of_others = Sieve::new(["AnyOther"]).options(options.clone()).tester(text.as_bytes()).unwrap();
        texts += 1;
        exact += usize::from(first.report().is_exact());
        for url in URLS {
            answers += 1;
            let [file, crawler, others] = [&of_file, &of_crawler, &of_others].map(|tester| tester.is_allowed(url));
            assert_eq!(crawler, others, "{url} {}", context());
            let (report, is_opened) = (first.report(), crawler && !file);
            assert!(crawler == file || !report.is_exact(), "{url} {}", context());
            let may_open = report.losses(Effect::MorePermissive) + report.losses(Effect::Either) > 0;
            assert!(!is_opened || may_open, "{url} {}", context());
        }
    }
    println!("{texts} texts of {files} files, {exact} exact, {answers} answers");
    assert!(texts > files / 2 && exact > files / 3);
}
