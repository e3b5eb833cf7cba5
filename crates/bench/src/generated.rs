//! Generated files, for use without real ones.
//!
//! Invariant: a file depends only on its number. The sizes follow those of 2,111 files crawled from the web. These
//! figures follow roughly: how many files are web pages instead (nearly none of the small ones, most of the large ones),
//! the kinds and lengths of lines, how many rules have wildcards, how many files end their lines in CR LF.

/// The number of bytes that a parser must read by RFC 9309 2.5. robosieve and robotxt read no more.
pub const MOST_BYTES: usize = 512_000;
/// The sizes of the files found: per mille of the files, and the bytes below which these are.
const SIZES: [(usize, usize); 16] = [
    (0, 0),
    (50, 38),
    (100, 67),
    (200, 130),
    (300, 208),
    (400, 343),
    (500, 569),
    (600, 855),
    (700, 1371),
    (800, 2189),
    (900, 3931),
    (950, 7536),
    (980, 28_401),
    (990, 55_300),
    (998, 170_952),
    (1000, MOST_BYTES),
];
const WORDS: [&str; 24] = [
    "admin", "account", "ajax", "api", "basket", "blog", "cache", "cart", "cgi-bin", "checkout", "content", "customer",
    "download", "en", "feed", "login", "media", "news", "node", "order", "product", "register", "search", "tag",
];
const AGENTS: [&str; 8] =
    ["Googlebot", "Bingbot", "AhrefsBot", "SemrushBot", "GPTBot", "CCBot", "Yandex", "ia_archiver"];

/// Generates this many files, in no order of size.
#[must_use]
pub fn files(count: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::default();
    let mut files: Vec<Vec<u8>> = (0..count).map(|place| file(size(place, count), &mut rng)).collect();
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
    let is_page = rng.chance(pages_of_100, 100);
    let end = if rng.chance(1, 3) { "\r\n" } else { "\n" };
    // A few files have groups for many agents. Large files have one.
    let many_agents = size < 20_000 && rng.chance(1, 10);
    let mut text = if is_page { "<!DOCTYPE html>\n".to_owned() } else { format!("User-agent: *{end}") };
    while text.len() < size {
        text.push_str(&if is_page { page_line(rng) } else { line(many_agents, rng) });
        text.push_str(end);
    }
    text.truncate(size);
    text.into_bytes()
}

fn line(many_agents: bool, rng: &mut Rng) -> String {
    match rng.below(100) {
        0..8 => String::new(),
        8..14 => format!("# {} {} {}", rng.pick(&WORDS), rng.pick(&WORDS), rng.pick(&WORDS)),
        14..24 if many_agents => format!("User-agent: {}", rng.pick(&AGENTS)),
        24..27 => format!("Sitemap: https://www.example.com/sitemaps{}.xml", path(rng)),
        27 => "Crawl-delay: 10".to_owned(),
        28..35 => format!("Allow: {}", value(rng)),
        _ => format!("Disallow: {}", value(rng)),
    }
}

fn value(rng: &mut Rng) -> String {
    match rng.below(100) {
        0..12 => {
            let (before, word) = (rng.pick(&["?", "&", ".", "/"]), rng.pick(&WORDS));
            format!("/*{before}{word}{}", rng.pick(&["=", "/", "$", "*", ".php$"]))
        }
        12..20 => path(rng) + "*",
        _ => path(rng),
    }
}

fn path(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..=rng.below(3) {
        text.extend(["/", rng.pick(&WORDS)]);
        if rng.chance(1, 3) {
            text.extend(["-", &rng.below(1000).to_string()]);
        }
    }
    text + rng.pick(&["/", "/", "", ".php", ".html", "?", "%20x/"])
}

fn page_line(rng: &mut Rng) -> String {
    let start = rng.pick(&[
        "<p>",
        "  <li><a href=\"https://www.example.com",
        "\t<div style=\"color: #333; margin: 0\">",
        "    <script>var a = {b: 1, c: \"#\"};</script>",
    ]);
    let words: Vec<&str> = (0..rng.below(12)).map(|_| rng.pick(&WORDS)).collect();
    format!("{start}{}</a>", words.join(rng.pick(&[" ", "/", "-", "\"> "])))
}

/// `SplitMix64` by Steele, Lea and Flood: the same numbers on every machine. The committed instruction counts depend on
/// them.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Default for Rng {
    fn default() -> Self {
        Self(9309)
    }
}

impl Rng {
    /// A number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(end).unwrap_or(u64::MAX).max(1)).unwrap_or(0)
    }

    /// True with a probability of `wanted` in `of`.
    pub fn chance(&mut self, wanted: usize, of: usize) -> bool {
        self.below(of) < wanted
    }

    /// One element of the list.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or_default()
    }
}
