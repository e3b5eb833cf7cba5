//! Files that look like robots.txt, with the faults of real ones.
//!
//! Invariant: a document is a list of lines, each with its own line end. The fuzzer's bytes choose among the words
//! below or are used instead of them, so a small change of the input is a small change of the document.

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};

/// The bytes of a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Document(Vec<u8>);

/// The maximum number of lines, unless a line is repeated.
const LINES: usize = 40;

#[rustfmt::skip]
const MARKS: &[&[u8]] = &[
    b"", b"", b"", b"\xEF\xBB\xBF", b"\xEF\xBB\xBF\xEF\xBB\xBF", b"\xEF\xBB", b"\xBB\xBF", b"\xFF\xFE",
    b"<html>\n",
];
#[rustfmt::skip]
const ENDS: &[&[u8]] = &[
    b"\n", b"\n", b"\n", b"\r\n", b"\r", b"\n\r", b"\r\r\n", b"\n\n", b"",
];
#[rustfmt::skip]
const BEFORE_NAME: &[&[u8]] = &[
    b"", b"", b"", b"", b" ", b"\t", b"\0", b"\x0B",
];
#[rustfmt::skip]
const COLONS: &[&[u8]] = &[
    b": ", b": ", b": ", b":", b" : ", b"\t:\t", b" ", b"", b":: ", b":\n  ", b"\r\n :", b":\r\t", b":\n \n  ",
];
#[rustfmt::skip]
const COMMENTS: &[&[u8]] = &[
    b"", b"", b"", b"", b"# Disallow: /", b" # x", b"#", b"\t#\x1B[2J",
];
#[rustfmt::skip]
const AGENT_NAMES: &[&[u8]] = &[
    b"User-agent", b"User-agent", b"user-agent", b"Useragent", b"user agent", b"USER-AGENTS", b"User_agent",
    b"user-agent-x",
];
#[rustfmt::skip]
const RULE_NAMES: &[&[u8]] = &[
    b"Disallow", b"Disallow", b"Allow", b"Allow", b"disallow", b"ALLOW", b"Dissallow", b"disalow", b"disallows",
    b"Allowance", b"alow",
];
#[rustfmt::skip]
const OTHER_NAMES: &[&[u8]] = &[
    b"Crawl-delay", b"Request-rate", b"Visit-time", b"Noindex", b"Content-Signal", b"Content-Usage",
    b"Clean-param", b"Host", b"Sitemap", b"License", b"site-map", b"crawl delay", b"Foo", b"http",
    b"X-Throttle", b"a name of more than thirty-two bytes", b"-", b"a-name-of-more-than-thirty-two-bytes",
];
#[rustfmt::skip]
const AGENTS: &[&[u8]] = &[
    b"*", b"*", b"MyBot", b"MyBot", b"mybot", b"MyBot-Image", b"MyBot/2.1", b"MyBot*", b"MyBotX", b"Googlebot",
    b"Googlebot/2.1 (+http://x)", b"MJ12bot", b"008", b"* x", b"*x", b"Foo Bar", b"", b"constructor",
    b"\xC3\xA9", b"* disallow: /", b"MyBot.x", b"MyBot_1",
];
#[rustfmt::skip]
const PATH_WORDS: &[&[u8]] = &[
    b"/", b"/", b"/", b"a", b"b", b"ab", b"*", b"*", b"$", b"?", b"%", b"%2A", b"%2a", b"%24", b"%41", b"%7e",
    b"%2F", b"%6", b"%%34%31", b"%0d%0a", b"%zz", b"%e3", b"index.html", b"/dir/", b"robots.txt",
    b"\xE3\x83\x84", b"\xFF", b" ", b"\t", b"\0", b":", b"&", b"\"", b"{", b"\x7F", b"=", b"=y", b"\x85",
    b"\n  ", b"%C2%A0", b"//", b"**", b"$$",
];
#[rustfmt::skip]
const OTHER_WORDS: &[&[u8]] = &[
    b"0", b"10", b"0.5", b"1e309", b"NaN", b"-1", b"99999999999999999999", b"1/10", b"1/10m", b" 0600-0845",
    b"0600-0845", b"search=yes", b", ai-train=no", b"/x ", b"a&b", b" ", b"\t", b"http://", b"HTTPS://",
    b"Example.com", b"/sitemap.xml", b"example.com:80", b"://", b"\0", b"\x1B[31m", b"%0d%0aUser-agent: *",
    b"\xE2\x80\xA8", b"\xFF", b"\n  ", b"/a*b$", b"/",
];
/// Names that are split by a line end, and blanks that begin a line. These may be read as a continuation or as a new
/// line.
#[rustfmt::skip]
const FOLDS: &[&[u8]] = &[
    b"\n ", b"\r\t", b"\r\n  ", b"\n\n ", b"\n   ", b" # c\n ", b"\n# c\n ", b"\n \n  ", b"\n :", b"\n\t: ",
    b"\r \r\n ", b"\n  \0",
];
#[rustfmt::skip]
const RUNS: &[&[u8]] = &[
    b"*", b"%", b":", b"/", b"*a", b"%2A", b"a", b"\xE3", b" ", b"$", b"%41",
];

impl Document {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl<'a> Arbitrary<'a> for Document {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut out = u.choose(MARKS)?.to_vec();
        for _ in 0..LINES {
            if u.is_empty() {
                break;
            }
            line(u, &mut out)?;
        }
        Ok(Self(out))
    }
}

/// A line with its end; sometimes the same line many times.
fn line(u: &mut Unstructured<'_>, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    word(u, BEFORE_NAME, out)?;
    match u.int_in_range(0..=14)? {
        0..=2 => field(u, AGENT_NAMES, |u, out| word(u, AGENTS, out), out)?,
        3..=6 => field(u, RULE_NAMES, path, out)?,
        7 => field(u, OTHER_NAMES, |u, out| words(u, OTHER_WORDS, out), out)?,
        8 => field(u, OTHER_NAMES, path, out)?,
        9 => path(u, out)?,
        10 => {}
        11 => folded(u, out)?,
        12 => misspelt(u, out)?,
        13 => long(u, out)?,
        _ => out.extend_from_slice(<&[u8]>::arbitrary(u)?),
    }
    word(u, COMMENTS, out)?;
    word(u, ENDS, out)?;
    if u.ratio(1_u8, 40)? {
        let line = out.get(start..).unwrap_or_default().to_vec();
        let times = u.int_in_range(1..=60)?;
        out.extend(std::iter::repeat_n(line, times).flatten());
    }
    Ok(())
}

/// A field whose name, colon and value may be on separate lines, with different indents.
fn folded(u: &mut Unstructured<'_>, out: &mut Vec<u8>) -> Result<()> {
    let names = *u.choose(&[AGENT_NAMES, RULE_NAMES, OTHER_NAMES])?;
    word(u, names, out)?;
    word(u, FOLDS, out)?;
    word(u, &[b":", b": ", b"", b":/x"], out)?;
    for _ in 0..u.int_in_range(0..=4)? {
        word(u, FOLDS, out)?;
        let from = *u.choose(&[AGENTS, PATH_WORDS, OTHER_WORDS, RULE_NAMES])?;
        word(u, from, out)?;
    }
    Ok(())
}

/// A field whose name has a lost, doubled or swapped letter.
fn misspelt(u: &mut Unstructured<'_>, out: &mut Vec<u8>) -> Result<()> {
    let names = *u.choose(&[AGENT_NAMES, RULE_NAMES, OTHER_NAMES])?;
    let mut name = u.choose(names)?.to_vec();
    let at = u.int_in_range(0..=name.len().saturating_sub(1))?;
    match u.int_in_range(0..=3)? {
        0 => drop(name.splice(at..(at + 1).min(name.len()), [])),
        1 => name.insert(at, name.get(at).copied().unwrap_or(b'a')),
        2 if at > 0 => name.swap(at - 1, at),
        _ => name.insert(at, u.arbitrary()?),
    }
    out.extend(name);
    word(u, COLONS, out)?;
    path(u, out)
}

/// A field near a limit: a name of 31 to 33 bytes, an agent of 199 to 201, a path of 1,999 to 2,001, or Google's
/// longest line.
fn long(u: &mut Unstructured<'_>, out: &mut Vec<u8>) -> Result<()> {
    let more = u.int_in_range(0..=2)?;
    let of = |byte: &[u8], count: usize| byte.repeat(count + more);
    match u.int_in_range(0..=4)? {
        0 => out.extend([of(b"x", 31), b": y".to_vec()].concat()),
        1 => out.extend([b"User-agent: ".to_vec(), of(b"a", 199)].concat()),
        2 => out.extend([b"Disallow: /".to_vec(), of(b"a", 1_998)].concat()),
        3 => out.extend([b"Allow: /".to_vec(), of(b"*a", 9)].concat()),
        _ => {
            let byte = *u.choose(&[b'a', 0xE3, b'%'])?;
            out.extend([b"Disallow: /".to_vec(), of(&[byte], 16_650), b"#".to_vec()].concat());
        }
    }
    path(u, out)
}

fn field(
    u: &mut Unstructured<'_>,
    names: &[&[u8]],
    value: fn(&mut Unstructured<'_>, &mut Vec<u8>) -> Result<()>,
    out: &mut Vec<u8>,
) -> Result<()> {
    word(u, names, out)?;
    word(u, COLONS, out)?;
    value(u, out)
}

fn word(u: &mut Unstructured<'_>, words: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(u.choose(words)?);
    Ok(())
}

fn words(u: &mut Unstructured<'_>, from: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
    for _ in 0..u.int_in_range(0..=8)? {
        word(u, from, out)?;
    }
    Ok(())
}

/// The value of a rule.
fn path(u: &mut Unstructured<'_>, out: &mut Vec<u8>) -> Result<()> {
    words(u, PATH_WORDS, out)?;
    if u.ratio(1_u8, 12)? {
        let run = u.choose(RUNS)?;
        let times = *u.choose(&[2_usize, 9, 10, 11, 40, 700, 2_000])?;
        out.extend(run.iter().copied().cycle().take(run.len() * times));
        words(u, PATH_WORDS, out)?;
    }
    Ok(())
}
