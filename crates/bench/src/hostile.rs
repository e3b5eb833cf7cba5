//! Files that are made to be slow to read.
//!
//! Invariant: each family depends only on its name, its size and [`SEED`]. The default limits cut the longer ones of
//! [`families`]. Those of [`stars`] and [`wildcards`] need higher limits.

use std::ops::Range;

use crate::SEED;
use crate::rng::Rng;

/// A file that is slow to read, or a set of rules with URLs that are slow to decide.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// The file.
    pub file: Vec<u8>,
    /// URLs to test; none for files that are only filtered.
    pub urls: Vec<String>,
}

impl Family {
    fn new(name: &'static str, file: impl Into<Vec<u8>>) -> Self {
        Self { name, file: file.into(), urls: Vec::new() }
    }
}

/// `start`, and then `line` with a counter in place of `{}`, up to this many bytes.
fn numbered(start: &str, line: &str, bytes: usize) -> String {
    let mut text = String::from(start);
    let mut number = 0_usize;
    while text.len() < bytes {
        text.push_str(&line.replace("{}", &number.to_string()));
        number += 1;
    }
    text
}

/// Files for the filter, of this many bytes or of a multiple of that.
#[must_use]
pub fn families(bytes: usize) -> Vec<Family> {
    let mut all = stuffed(bytes);
    all.extend(structured(bytes));
    all.extend(random(bytes));
    all
}

/// Files of one byte, repeated, or of hardly anything else.
fn stuffed(bytes: usize) -> Vec<Family> {
    let star = "User-agent: *\n";
    let only = |byte: &str| byte.repeat(bytes);
    let repeated = |start: &str, line: &str| numbered(start, line, bytes);
    let line_of = |byte: &str| format!("{star}Disallow: /{}", only(byte));
    vec![
        Family::new("only CR", only("\r")),
        Family::new("only LF", only("\n")),
        Family::new("only NUL", only("\0")),
        Family::new("only :", only(":")),
        Family::new("only #", only("#")),
        Family::new("only %", only("%")),
        Family::new("only blanks", only(" ")),
        Family::new("only stars", only("*")),
        Family::new("blanks on each line", repeated("", " \t \n")),
        Family::new("a million lines", "D\n".repeat(bytes * 2)),
        Family::new("a million fields", "a:\n".repeat(bytes * 2)),
        Family::new("one line of 10 MB", "a".repeat(bytes * 20)),
        Family::new("one rule of 10 MB", format!("{star}Disallow: /{}", "a".repeat(bytes * 20))),
        Family::new("one rule of stars", line_of("*")),
        Family::new("one rule of stars with $", line_of("*") + "$"),
        Family::new("one rule of %", line_of("%")),
        Family::new("one rule of escapes", line_of("%2f%c3%A9")),
        Family::new("one rule of raw bytes", [star.as_bytes(), b"Disallow: /", &vec![0xFF_u8; bytes]].concat()),
        Family::new("byte order marks", b"\xEF\xBB\xBF".repeat(bytes / 3)),
    ]
}

/// Files whose lines are well formed.
fn structured(bytes: usize) -> Vec<Family> {
    let star = "User-agent: *\n";
    let repeated = |start: &str, line: &str| numbered(start, line, bytes);
    let agents = numbered("", "User-agent: agent-{}\n", bytes * 9 / 2);
    let rules = numbered("", "Disallow: /private/{}\n", 2_000);
    let short: String = "User-agent:a\n".repeat(bytes / 14);
    vec![
        Family::new("stars", repeated(star, "Disallow: /{}*a*b*c*d*e*f*g*h*i\n")),
        Family::new("stars with $", repeated(star, "Disallow: /{}*a*b*c*d*e*f*g*h*i$\n")),
        Family::new("runs of stars", repeated(star, "Disallow: /{}***********************$\n")),
        Family::new("too many stars", repeated(star, "Disallow: /{}*a*b*c*d*e*f*g*h*i*j*k*l\n")),
        Family::new("100,000 agents in a run", agents + &rules),
        Family::new("one agent over and over", short + &rules),
        Family::new("agents of many words", repeated("", "User-agent: a b c d e f {}\n") + &rules),
        Family::new("100,000 records for *", numbered("", "User-agent: *\nDisallow: /{}\n", bytes * 6)),
        Family::new("empty records for *", repeated("", "User-agent: *\nAllow:\n")),
        Family::new("short records", repeated("", "User-agent:a\nAllow:/\n")),
        Family::new("one agent among many", repeated("User-agent: MyBot\n", "User-agent: x{}\nAllow: /\n")),
        Family::new("folds", repeated(star, "Disallow:\n  /folded/{}\n")),
        Family::new("one long fold", repeated("User-agent: *\nDisallow: /", "\n {}")),
        Family::new("folds and comments", repeated(star, "Disallow: # why\n  # not\n  /{}\n  # end\n")),
        Family::new("comments", repeated(star, "#:#:{}\n")),
        Family::new("prose", repeated(star, "this line says {}, and is no field\n")),
        Family::new("pages", repeated("<html>", "<a style='color: #fff' href='/x/{}'>http://e/</a>\n")),
        Family::new("misspelled", repeated(star, "Disalow: /{}\n")),
        Family::new("unknown fields", repeated(star, "Noindex{}: /\n")),
        Family::new("sitemaps", repeated(star, "Sitemap: HTTPS://Example.com/%7esitemap-{}.xml\n")),
        Family::new("the same sitemap", repeated(star, "Sitemap: https://example.com/s\n")),
        Family::new("extensions", repeated(star, "Crawl-delay: {}\nVisit-time: 0600-0845\nRequest-rate: 1/{}s\n")),
        Family::new("the same rule", repeated(star, "Disallow: /a\nAllow: /a\n")),
        Family::new("raw bytes", repeated(star, "Disallow: /ÄÖÜäöüß€{}\n")),
        Family::new("escapes", repeated(star, "Disallow: /%7e%2f%c3%a4%zz{}\n")),
        Family::new("long rules", repeated(star, &format!("Disallow: /{}{{}}\n", "a*".repeat(9) + &"b".repeat(1900)))),
        Family::new("rules, a prefix of one another", prefixes()),
        Family::new("overlapping stars, both kinds", repeated(star, "Allow: /*a{}*\nDisallow: /*{}a*b\n")),
        Family::new("stars of 500 bytes, both kinds", overlapping(bytes, 500)),
        Family::new("stars of 250 bytes, both kinds", overlapping(bytes, 250)),
        Family::new("periodic stars, both kinds", periodic(bytes)),
    ]
}

/// A group `*` with the rule that `line` makes of each number.
fn listed(numbers: Range<usize>, line: impl Fn(usize) -> String) -> String {
    let mut text = String::from("User-agent: *\n");
    text.extend(numbers.map(line));
    text
}

/// 1,000 rules, each a prefix of the next. `Allow` and `Disallow` alternate.
fn prefixes() -> String {
    let rule = |length: usize| {
        let kind = if length.is_multiple_of(2) { "Allow" } else { "Disallow" };
        format!("{kind}: /{}\n", "a".repeat(length / 2))
    };
    listed(1..1000, rule)
}

/// Rules of ten wildcards. Any two may overlap, and none covers another.
fn overlapping(bytes: usize, length: usize) -> String {
    of_ten_wildcards(bytes, |rng| letters(length / 10, rng), |_| "*")
}

/// Rules of wildcards between runs of one letter, of all lengths.
fn periodic(bytes: usize) -> String {
    let run = |rng: &mut Rng| "a".repeat(1 + rng.below(100)) + if rng.chance(1, 4) { "b" } else { "" };
    of_ten_wildcards(bytes, run, |rng| if rng.chance(1, 2) { "$" } else { "" })
}

/// Rules of both kinds: nine times a wildcard and what `part` makes, and an end.
fn of_ten_wildcards(bytes: usize, part: impl Fn(&mut Rng) -> String, end: fn(&mut Rng) -> &'static str) -> String {
    let mut rng = Rng::new(SEED);
    let mut text = String::from("User-agent: *\n");
    while text.len() < bytes {
        let kind = if rng.chance(1, 2) { "Allow" } else { "Disallow" };
        text.extend([kind, ": /"]);
        for _ in 0..9 {
            text.push('*');
            text.push_str(&part(&mut rng));
        }
        text.extend([end(&mut rng), "\n"]);
    }
    text
}

/// Files of random bytes or words.
fn random(bytes: usize) -> Vec<Family> {
    const WORDS: [&[u8]; 26] = [
        b"User-agent",
        b"Disallow",
        b"Allow",
        b"Sitemap",
        b"Crawl-delay",
        b":",
        b": ",
        b": ",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"#",
        b"/",
        b"*",
        b"*",
        b"$",
        b"%",
        b"%41",
        b"%c3%a4",
        b" ",
        b"\t",
        b"\0",
        b"MyBot",
        b"\xFF",
        b"https://e.com/",
    ];
    let mut rng = Rng::new(SEED);
    let noise: Vec<u8> = (0..bytes).map(|_| u8::try_from(rng.below(256)).unwrap_or(0)).collect();
    let mut words = b"User-agent: *\n".to_vec();
    while words.len() < bytes {
        words.extend_from_slice(rng.pick(&WORDS).unwrap_or_default());
    }
    let mut rules = b"User-agent: *\n".to_vec();
    while rules.len() < bytes {
        rules.extend_from_slice(if rng.chance(1, 2) { b"\nAllow: /" } else { b"\nDisallow: /" });
        for _ in 0..rng.below(60) {
            rules.extend_from_slice(
                rng.pick(&[&b"*"[..], b"a", b"b", b"/", b"%61", b"ab", b"$", b"ba"]).unwrap_or_default(),
            );
        }
    }
    vec![
        Family::new("bytes at random", noise),
        Family::new("words at random", words),
        Family::new("rules at random", rules),
    ]
}

/// This many rules of ten wildcards and 2,000 bytes, with URLs of this many bytes. Rules and URLs have only two
/// letters, so the letters alone do not distinguish them.
#[must_use]
pub fn stars(rules: usize, bytes: usize) -> Vec<Family> {
    let long = |unit: &str| format!("/{}", unit.repeat(bytes / unit.len()));
    let mut rng = Rng::new(SEED);
    let urls = vec![long("a") + "b", long("aaaaaaaaab"), long("ab"), format!("/{}", letters(bytes, &mut rng))];
    let mut asked = |name, rule: &dyn Fn(&mut Rng) -> String| Family {
        name,
        file: {
            let lines = (0..rules).map(|number| format!("Disallow: {}\n", filled(&rule(&mut rng), number)));
            format!("User-agent: *\n{}", lines.collect::<String>()).into()
        },
        urls: urls.clone(),
    };
    let run = |bytes: usize, last: &str| format!("*{}{last}", "a".repeat(bytes));
    let words =
        |bytes: usize, rng: &mut Rng| (0..9).fold(String::from("/"), |rule, _| rule + "*" + &letters(bytes, rng));
    vec![
        asked("one letter between stars", &|_| format!("/{}", "a*".repeat(10))),
        asked("runs between stars", &|_| format!("/{}*", run(190, "").repeat(9))),
        asked("runs with another end", &|_| format!("/{}*", run(190, "b").repeat(9))),
        asked("runs with another middle", &|_| format!("/{}*", (run(90, "b") + &"a".repeat(99)).repeat(9))),
        asked("runs with $", &|_| format!("/{}*$", run(190, "").repeat(9))),
        asked("short words at random", &|rng| words(6, rng) + "*"),
        asked("words of 12 at random", &|rng| words(12, rng) + "*"),
        asked("words of 190 at random", &|rng| words(190, rng) + "*"),
        asked("short words at random with $", &|rng| words(6, rng) + "*$"),
        asked("the URL's start, and stars", &|_| format!("/{}{}", "a".repeat(1900), "*a".repeat(10))),
    ]
}

/// This many random letters out of two.
fn letters(count: usize, rng: &mut Rng) -> String {
    (0..count).map(|_| if rng.chance(1, 2) { 'a' } else { 'b' }).collect()
}

/// A rule of 2,000 bytes with a unique end: its number, written in two letters after a run of one letter.
fn filled(start: &str, number: usize) -> String {
    let (start, end) = start.strip_suffix('$').map_or((start, ""), |start| (start, "$"));
    let own: String = (0..20).map(|place| if number >> place & 1 == 0 { 'a' } else { 'b' }).collect();
    let gap = 2000_usize.saturating_sub(start.len() + own.len() + end.len());
    format!("{start}{}{own}{end}", "a".repeat(gap))
}

/// This many rules with wildcards, and 100 URLs.
#[must_use]
pub fn wildcards(count: usize) -> Vec<Family> {
    let asked = |name, rule: &dyn Fn(usize) -> String, url: &dyn Fn(usize) -> String| Family {
        name,
        file: { listed(0..count, |number| format!("Disallow: {}\n", rule(number))).into() },
        urls: (0..100).map(|number| url(number * 2999)).collect(),
    };
    let url = |number: usize| format!("/shop/section/item-{number}/reviews/page.html?session=1{number}&sort=asc");
    vec![
        asked("a word after a star", &|number| format!("/*word-{number}"), &url),
        asked("two stars and an end", &|number| format!("/*item-{number}*page-{number}.html$"), &url),
        asked("numbers in the query", &|number| format!("/*?*session={number}&"), &url),
        asked("a folder before the star", &|number| format!("/shop/section/*/{number}/*.html"), &url),
        asked("a folder of its own", &|number| format!("/shop/section/item-{number}/*.html$"), &url),
    ]
}

/// This many rules without wildcards, and URLs: half match one rule and half just miss one.
#[must_use]
pub fn prefix_rules(count: usize, urls: usize) -> Family {
    let word = |number: usize| {
        // Spread over the alphabet, as paths are: neighbours have different first letters.
        let mixed = Rng::new(u64::try_from(number).unwrap_or(0)).next();
        let letters = "etaoinshrdlucmfw".as_bytes();
        let letter = |place: usize| letters.get(usize::try_from(mixed >> (4 * place)).unwrap_or(0) % 16).copied();
        (0..8).filter_map(letter).map(char::from).collect::<String>()
    };
    let path = |number: usize| format!("/{}/{}-{}/", word(number % 17), word(number), number % 10);
    let file = listed(0..count, |number| format!("Disallow: {}\n", path(number)));
    let asked = |number: usize| {
        let path = path(number * 7 % count);
        if number.is_multiple_of(2) {
            format!("{path}page-{number}.html")
        } else {
            format!("{}q/page-{number}.html", path.trim_end_matches('/'))
        }
    };
    Family { name: "prefixes", file: file.into(), urls: (0..urls).map(asked).collect() }
}
