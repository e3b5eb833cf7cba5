//! Generated files, for use without real ones.
//!
//! Invariant: a file depends only on the seed and its number. The sizes follow those of 2,111 files crawled from the
//! web (the table below; files are cut at 512,000 bytes). These figures follow roughly: how many files are web pages
//! instead (nearly none of the small ones, most of the large ones), the kinds and lengths of lines, how many rules have
//! wildcards, how many files end their lines in CR LF.

use crate::SEED;
use crate::rng::Rng;

/// The number of bytes that a parser must read by RFC 9309 2.5. robosieve and robotxt read no more.
pub const MOST_BYTES: usize = 512_000;

/// The sizes of the files found: per mille of the files, and the bytes below which these are.
const SIZES: [(usize, usize); 21] = [
    (0, 0),
    (10, 13),
    (50, 38),
    (100, 67),
    (200, 130),
    (250, 170),
    (300, 208),
    (400, 343),
    (500, 569),
    (600, 855),
    (700, 1371),
    (750, 1727),
    (800, 2189),
    (900, 3931),
    (950, 7536),
    (980, 28_401),
    (990, 55_300),
    (995, 100_906),
    (998, 170_952),
    (999, 405_050),
    (1000, MOST_BYTES),
];

const WORDS: [&str; 48] = [
    "admin", "account", "ajax", "api", "archive", "author", "basket", "blog", "cache", "cart", "category", "cgi-bin",
    "checkout", "comments", "config", "content", "css", "customer", "download", "en", "error", "feed", "files",
    "forum", "image", "include", "index", "js", "login", "mail", "media", "members", "modules", "news", "node",
    "order", "page", "print", "private", "product", "profile", "register", "search", "session", "static", "tag", "tmp",
    "user",
];

const AGENTS: [&str; 12] = [
    "Googlebot",
    "Bingbot",
    "Mediapartners-Google",
    "AhrefsBot",
    "SemrushBot",
    "GPTBot",
    "CCBot",
    "Yandex",
    "Baiduspider",
    "Twitterbot",
    "dotbot",
    "ia_archiver",
];

/// Generates this many files.
#[must_use]
pub fn files(count: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(SEED);
    let mut files: Vec<Vec<u8>> = (0..count).map(|place| file(size(place, count), &mut rng)).collect();
    // A crawl is not ordered by size.
    for place in (1..files.len()).rev() {
        files.swap(place, rng.below(place + 1));
    }
    files
}

/// The size of the file at this place among this many, in order of size. Between two points it grows linearly.
fn size(place: usize, count: usize) -> usize {
    let at = place * 1_000_000 / count.max(1);
    let mut pairs = SIZES.iter().zip(SIZES.iter().skip(1));
    pairs
        .find(|(_, high)| at < high.0 * 1000)
        .map_or(0, |(low, high)| low.1 + (high.1 - low.1) * (at - low.0 * 1000) / ((high.0 - low.0) * 1000))
}

fn file(size: usize, rng: &mut Rng) -> Vec<u8> {
    let pages_of_100 = match size {
        ..4000 => 1,
        4000..20_000 => 8,
        20_000..100_000 => 60,
        _ => 75,
    };
    let mut text = String::with_capacity(size + 200);
    if rng.chance(pages_of_100, 100) {
        text.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head>\n");
        while text.len() < size {
            page_line(&mut text, rng);
        }
    } else {
        let end = if rng.chance(1, 3) { "\r\n" } else { "\n" };
        // A few files have groups for many agents. Large files have one.
        let many_agents = size < 20_000 && rng.chance(1, 10);
        record_start(&mut text, "*", end);
        while text.len() < size {
            robots_line(&mut text, end, many_agents, rng);
        }
    }
    text.truncate(size);
    text.into_bytes()
}

fn record_start(text: &mut String, agent: &str, end: &str) {
    text.extend(["User-agent: ", agent, end]);
}

fn robots_line(text: &mut String, end: &str, many_agents: bool, rng: &mut Rng) {
    match rng.below(100) {
        0..8 => text.push_str(end),
        8..14 => {
            text.push_str("# ");
            for _ in 0..=rng.below(6) {
                text.push_str(rng.pick(&WORDS).unwrap_or_default());
                text.push(' ');
            }
            text.push_str(end);
        }
        14..24 if many_agents => {
            text.push_str(end);
            record_start(text, rng.pick(&AGENTS).unwrap_or_default(), end);
        }
        24..27 => {
            text.push_str("Sitemap: https://www.example.com/sitemaps/");
            path(text, rng);
            text.push_str(".xml");
            text.push_str(end);
        }
        27 => text.extend(["Crawl-delay: 10", end]),
        28..35 => rule(text, "Allow: ", end, rng),
        _ => rule(text, "Disallow: ", end, rng),
    }
}

fn rule(text: &mut String, name: &str, end: &str, rng: &mut Rng) {
    text.push_str(name);
    match rng.below(100) {
        0..12 => {
            text.push_str("/*");
            text.push_str(rng.pick(&["?", "&", ".", "/"]).unwrap_or_default());
            text.push_str(rng.pick(&WORDS).unwrap_or_default());
            text.push_str(rng.pick(&["=", "/", "$", "*", ".php$"]).unwrap_or_default());
        }
        12..20 => {
            path(text, rng);
            text.push('*');
        }
        _ => path(text, rng),
    }
    text.push_str(end);
}

fn path(text: &mut String, rng: &mut Rng) {
    for _ in 0..=rng.below(3) {
        text.push('/');
        text.push_str(rng.pick(&WORDS).unwrap_or_default());
        if rng.chance(1, 3) {
            text.push('-');
            text.push_str(&rng.below(1000).to_string());
        }
    }
    text.push_str(rng.pick(&["/", "/", "", ".php", ".html", "?", "%20x/"]).unwrap_or_default());
}

fn page_line(text: &mut String, rng: &mut Rng) {
    match rng.below(6) {
        0 => text.push_str("<p>"),
        1 => text.push_str("  <li><a href=\"https://www.example.com"),
        2 => text.push_str("\t<div class=\"item\" style=\"color: #333; margin: 0\">"),
        3 => text.push('\n'),
        4 => text.push_str("    <script>var a = {b: 1, c: \"#\"};</script>"),
        _ => text.push_str("<link rel=\"alternate\" hreflang=\"en\" href=\""),
    }
    for _ in 0..rng.below(12) {
        text.push_str(rng.pick(&WORDS).unwrap_or_default());
        text.push_str(rng.pick(&[" ", "/", "-", " ", "\"> "]).unwrap_or_default());
    }
    text.push_str("</a>\n");
}
