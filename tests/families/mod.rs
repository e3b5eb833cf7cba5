//! Hostile files of any size: one function for each family, used by the tests of time, memory and output.
//!
//! Invariant: a family makes about as many bytes as requested, always the same for the same number, and twice as many
//! for twice the number. It is as bad as possible in one way, and ordinary in all others.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::arithmetic_side_effects)]

pub mod corpus;

/// A kind of file.
pub struct Family {
    /// What is hostile about it.
    pub name: &'static str,
    /// Makes a file of about this many bytes.
    pub file: fn(usize) -> Vec<u8>,
}

const fn family(name: &'static str, file: fn(usize) -> Vec<u8>) -> Family {
    Family { name, file }
}

/// Every family.
pub const ALL: &[Family] = &[
    family("stars", |n| rule(&repeated(b"*a", n), b"")),
    family("stars, anchored", |n| rule(&repeated(b"*a", n), b"$")),
    family("a run of stars", |n| rule(&repeated(b"*", n), b"")),
    family("escaped stars", |n| rule(&repeated(b"%2a*", n), b"")),
    family("rules of 10 stars and 2000 bytes", star_rules),
    family("one line of letters", |n| repeated(b"a", n)),
    family("one path of letters", |n| rule(&repeated(b"a", n), b"")),
    family("one agent of letters", |n| [&b"User-agent: "[..], &repeated(b"a", n), b"\nDisallow: /"].concat()),
    family("one line of blanks", |n| repeated(b" \t", n)),
    family("one line of words", |n| repeated(b"a ", n)),
    family("one name of words", |n| [&repeated(b"a ", n), &b": x"[..]].concat()),
    family("one value of blanks", |n| rule(&repeated(b" ", n), b"x")),
    family("one comment", |n| [&b"User-agent: * # "[..], &repeated(b"# ", n)].concat()),
    family("only CR", |n| repeated(b"\r", n)),
    family("only LF", |n| repeated(b"\n", n)),
    family("only LFCR", |n| repeated(b"\n\r", n)),
    family("only NUL", |n| repeated(b"\0", n)),
    family("only colons", |n| repeated(b":", n)),
    family("only hashes", |n| repeated(b"#", n)),
    family("only 0xEF", |n| repeated(b"\xEF", n)),
    family("byte order marks", |n| repeated(b"\xEF\xBB\xBF", n)),
    family("percent signs in a path", |n| rule(&repeated(b"%", n), b"")),
    family("bytes to encode", |n| rule(&repeated(b"\xE3\x83\x84 ", n), b"")),
    family("bytes to decode", |n| rule(&repeated(b"%41%2f", n), b"")),
    family("escapes of escapes", |n| rule(&repeated(b"%%34%31", n), b"")),
    family("lines that are none", |n| [&b"User-agent: *\n"[..], &repeated(b"x\n", n)].concat()),
    family("lines that are comments", |n| [&b"Disallow: /\n"[..], &repeated(b"#\n", n)].concat()),
    family("lines that nobody asks for", |n| [&b"User-agent: other\n"[..], &repeated(b"Allow:/\n", n)].concat()),
    family("rules below no agent", |n| repeated(b"Allow:/\n", n)),
    family("the shortest rules", |n| [&b"User-agent:*\n"[..], &repeated(b"allow:x\n", n)].concat()),
    family("the shortest records", |n| repeated(b"user-agent:*\nallow:\n", n)),
    family("the shortest records, each with a finding", |n| repeated(b"user-agent:*\nallow:\nx\n", n)),
    family("short rules in many records", |n| {
        [&b"user-agent:a\n"[..], &repeated(b"allow:x\n", 480)].concat().repeat(n.div_ceil(493))
    }),
    family("agents that share 100 rules", agents_in_a_run),
    family("agents with a value each that share a rule", |n| {
        [each(b"", |number| format!("user-agent:{number}\nnoindex:{number}\n"), n), b"allow:/x\n".to_vec()].concat()
    }),
    family("agents with a value each that share 100 rules", |n| {
        let agents = each(b"", |number| format!("user-agent:{number}\nnoindex:{number}\n"), n);
        [agents, numbered("", "Disallow: /", "\n", 100 * 18)].concat()
    }),
    family("records of the same two agents with a value each", |n| {
        each(b"", |number| format!("user-agent:a\nnoindex:{number}\nuser-agent:b\nallow:\n"), n)
    }),
    family("short rules shared by agents of two values", |n| {
        let agents = b"user-agent:a\nnoindex:/\nuser-agent:b\n".to_vec();
        [agents, each(b"", |number| format!("allow:{number}\n"), n)].concat()
    }),
    family("one agent again and again", |n| [&repeated(b"User-agent: *\n", n), &b"Disallow: /"[..]].concat()),
    family("records of misspelled agents", |n| repeated(b"useragent:*\nallow:\n", n)),
    family("records with a finding on each line", |n| repeated(b"useragent:\xE9\nx\nallow:\n", n)),
    family("records of everyone", |n| numbered("", "User-agent: *\nDisallow: /", "\n", n)),
    family("records of one agent each", |n| numbered("", "User-agent: bot-", "\nDisallow: /a\nAllow: /b\n", n)),
    family("records of the same two agents", |n| numbered("", "User-agent: a\nUser-agent: b\nAllow: /", "\n", n)),
    family("paths below paths", nested),
    family("paths that differ at their end", similar),
    family("allowed and disallowed in turn", in_turn),
    family("a star for each rule", |n| numbered("User-agent: *\n", "Disallow: *x", "*y$\nAllow: */z\n", n)),
    family("short rules with a star at the front", |n| {
        each(b"user-agent:*\n", |number| format!("allow:*/{number}\n"), n)
    }),
    family("short rules", |n| each(b"user-agent:*\n", |number| format!("allow:{number}\n"), n)),
    family("short index pages", |n| each(b"user-agent:*\n", |number| format!("allow:/{number}/index.htm\n"), n)),
    family("short index pages anywhere", |n| {
        each(b"user-agent:*\n", |number| format!("allow:*/{number}/index.htm\n"), n)
    }),
    family("rules of a byte to encode", |n| [&b"user-agent:*\n"[..], &repeated(b"allow:\xFF\n", n)].concat()),
    family("the same rule", |n| [&b"User-agent: *\n"[..], &repeated(b"Allow: /same*\nDisallow: /same*\n", n)].concat()),
    family("sitemaps", |n| numbered("", "Sitemap: HTTPS://e.com/", "\n", n)),
    family("delays", |n| numbered("User-agent: *\n", "Crawl-delay: ", "\n", n)),
    family("one list", |n| [&b"User-agent: *\nContent-Signal: a=b"[..], &repeated(b",a=b", n)].concat()),
    family("lists", |n| [&b"User-agent: *\n"[..], &repeated(b"Content-Signal: a=b,,,,c=d\n", n)].concat()),
    family("short lines of one letter", |n| [&b"user-agent:*\n"[..], &repeated(b"X:\n", n)].concat()),
    family("records of 999 short lines", |n| {
        [&b"user-agent:*\nallow:\n"[..], &b"X:\n".repeat(999)].concat().repeat(n.div_ceil(3_017))
    }),
    family("short lines that differ", |n| each(b"user-agent:*\n", |number| format!("X:{number}\n"), n)),
    family("names that differ", |n| each(b"user-agent:*\n", |number| format!("{number}:\n"), n)),
    family("short lines of a byte to encode", |n| [&b"user-agent:*\n"[..], &repeated(b"X:\xFF\n", n)].concat()),
    family("one set of parameters", |n| [&b"User-agent: *\nClean-param: a"[..], &repeated(b"&b", n)].concat()),
    family("colons after blanks in a rule", |n| rule(&repeated(b" :", n), b"")),
    family("names in a rule", |n| rule(&repeated(b" alow:", n), b"")),
    family("short rules with a note each", |n| [&b"user-agent:*\n"[..], &repeated(b"allow:/ ;\n", n)].concat()),
    family("names that are nearly known", |n| [&b"user-agent:*\n"[..], &repeated(b"alow:\n", n)].concat()),
    family("agents with underscores", |n| repeated(b"user_agent:a\n", n)),
    family("one list of agents", |n| [&b"User-agent: a"[..], &repeated(b",a", n), b"\nAllow: /"].concat()),
    family("lists of agents", |n| [&repeated(b"user-agent:a,b\n", n), &b"allow:"[..]].concat()),
    family("bullets", |n| [&b"user-agent:*\n"[..], &repeated(b"- - -\n", n)].concat()),
    family("invisible characters", |n| repeated(b"\xE2\x80\x8B", n)),
    family("joined records", |n| repeated(b"user-agent:*\nx:\nuser-agent:b\nallow:/\n", n)),
    family("directives glued to an agent", |n| [&b"User-agent: a"[..], &repeated(b" b:c", n), b"\nAllow: /"].concat()),
    family("folds below the colon", |n| folds(n, b"Disallow:\n  /x\n")),
    family("folds above the colon", |n| folds(n, b"Disallow\n  : /x\n")),
    family("folds below an empty field", |n| folds(n, b"Disallow:\n \n  \n   \n")),
    family("folds that are comments", |n| folds(n, b"Disallow: # c\n  # c\n  /x # c\n")),
    family("folds after a comment of its own line", |n| folds(n, b"Disallow:\n# c\n  /x\n")),
    family("folds of colons with comments", |n| folds(n, b"Disallow\n : # c\n  /x\n")),
    family("folds after comments", |n| folds(n, b"Disallow # c\n : # c\n  /x\n")),
    family("folds that are fields", |n| folds(n, b"Disallow:\n  Allow: /x\n   Disallow: /y\n")),
    family("folds ended by CR", |n| folds(n, b"Disallow:\r  /x\r\n  /y\n\r")),
    family("one value of folds", |n| [&b"User-agent: *\nContent-Signal:"[..], &repeated(b"\n a=b,", n)].concat()),
    family("one value of folds, each with a comment", |n| {
        [&b"User-agent: *\nContent-Signal:"[..], &repeated(b"\n a=b, # c", n)].concat()
    }),
    family("one field of deeper lines", deeper),
    family("indented lines", |n| [&b"User-agent: *\n"[..], &repeated(b" x y z\n", n)].concat()),
];

/// Families with as many bytes as half a million lines, or fifty thousand agents or records.
pub const LARGE: &[(&str, usize)] = &[
    ("the shortest rules", 4_000_000),
    ("lines that are none", 1_000_000),
    ("lines that are comments", 1_000_000),
    ("only LF", 500_000),
    ("agents that share 100 rules", 1_150_000),
    ("records of everyone", 1_700_000),
    ("records of one agent each", 2_450_000),
];

/// URLs to test, of about this many bytes. The first ones contain every byte of [`rules_of_ten_stars`], in another
/// order, and its longer literal once.
pub const URLS: &[Family] = &[
    family("letters", |n| [&b"/xhgfedcb9876543210"[..], &repeated(b"a", n)].concat()),
    family("what the stars look for", |n| [&b"/xhgfedcb9876543210"[..], &repeated(b"abcdefgh", n)].concat()),
    family("nearly what they look for", |n| {
        [&b"/xhgfedcb9876543210"[..], &b"abcdefgh".repeat(30), &repeated(b"z", n)].concat()
    }),
    family("slashes", |n| repeated(b"/", n)),
    family("colons", |n| repeated(b":", n)),
    family("question marks", |n| repeated(b"?", n)),
    family("stars to encode", |n| [&b"/"[..], &repeated(b"*$", n)].concat()),
    family("percent signs", |n| [&b"/"[..], &repeated(b"%", n)].concat()),
    family("escapes", |n| [&b"/"[..], &repeated(b"%61%2f", n)].concat()),
    family("raw bytes", |n| [&b"http://e.com/"[..], &repeated(b"\xFF \0", n)].concat()),
];

/// Rules whose stars make matching expensive, each of about this many bytes.
pub const PATTERNS: &[Family] = &[
    family("*a*a", |n| rule(&repeated(b"*a", n), b"")),
    family("*a*a$", |n| rule(&repeated(b"*a", n), b"$")),
    family("*a*ab", |n| rule(&repeated(b"*a", n), b"b")),
    family("*a*ab$", |n| rule(&repeated(b"*a", n), b"b$")),
    family("*z*ze$", |n| rule(&repeated(b"*z", n), b"e$")),
    family("a run of stars", |n| rule(&repeated(b"*", n), b"b")),
    family("a run of stars, anchored", |n| rule(&repeated(b"*", n), b"b$")),
    family("escaped stars", |n| rule(&repeated(b"%2a*", n), b"b")),
];

/// A literal that is searched for in the way of long literals.
pub const LONG: &[u8] = b"abcdefghabcdefgh";
/// A literal that is searched for in the way of short literals.
pub const SHORT: &[u8] = b"aaaaaaab";
/// The most expensive literal. It has the length of those that are compared at every place, and is like [`URLS`]
/// except for its last byte. That byte is more frequent than the others, so it is compared last.
pub const COSTLY: &[u8] = b"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzze";

/// `count` rules of 10 stars and some 2000 bytes that almost match [`URLS`] but do not. All literals except the first
/// are long. The first is either found everywhere except for its last byte, or found immediately.
pub fn rules_of_ten_stars(count: usize, first: &[u8]) -> Vec<u8> {
    let long = b"abcdefgh".repeat(30);
    let mut out = b"User-agent: *\n".to_vec();
    for number in 0..count {
        out.extend([&b"Disallow: /*"[..], first].concat());
        for _ in 0..8 {
            out.extend([&b"*"[..], &long].concat());
        }
        out.extend_from_slice(format!("*aaaa{number:04}x\n").as_bytes());
    }
    out
}

fn repeated(bytes: &[u8], n: usize) -> Vec<u8> {
    bytes.repeat(n.div_ceil(bytes.len()))
}

/// One rule for all agents.
fn rule(path: &[u8], end: &[u8]) -> Vec<u8> {
    [&b"User-agent: *\nDisallow: /"[..], path, end, b"\nAllow: /a\n"].concat()
}

/// `head`, followed by as many lines as fit, each made of its number.
pub fn filled(head: &[u8], n: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut out = head.to_vec();
    let mut number = 0;
    while out.len() < n {
        out.extend(line(number).into_bytes());
        number += 1;
    }
    out
}

/// `head`, followed by as many numbers as fit, each between `before` and `after`.
fn numbered(head: &str, before: &str, after: &str, n: usize) -> Vec<u8> {
    filled(head.as_bytes(), n, |number| format!("{before}{number:06}{after}"))
}

/// `head`, followed by as many lines as fit, each with a short unique text of letters.
fn each(head: &[u8], line: fn(&str) -> String, n: usize) -> Vec<u8> {
    filled(head, n, |number| line(&letters(number)))
}

/// `a` to `z`, then `aa`, `ba` …
fn letters(number: usize) -> String {
    let first = char::from(b'a' + u8::try_from(number % 26).unwrap());
    if number < 26 { first.into() } else { format!("{first}{}", letters(number / 26 - 1)) }
}

fn star_rules(n: usize) -> Vec<u8> {
    rules_of_ten_stars(n.div_ceil(2_000), LONG)
}

fn agents_in_a_run(n: usize) -> Vec<u8> {
    let mut out = numbered("", "User-agent: bot-", "\n", n);
    out.extend(numbered("", "Disallow: /", "\n", 100 * 18));
    out
}

/// `/a`, `/aa`, `/aaa` …, with `n` bytes together.
fn nested(n: usize) -> Vec<u8> {
    filled(b"User-agent: *\n", n, |number| format!("Disallow: /{}\n", "a".repeat(number + 1)))
}

/// Long paths that differ only in their last bytes.
fn similar(n: usize) -> Vec<u8> {
    let front = "a".repeat(500);
    numbered("User-agent: *\n", &format!("Disallow: /{front}"), "\n", n)
}

/// Each rule is contained in the one before, and is of the other kind.
fn in_turn(n: usize) -> Vec<u8> {
    filled(b"User-agent: *\n", n, |number| {
        let kind = if number.is_multiple_of(2) { "Disallow" } else { "Allow" };
        format!("{kind}: /{}{number}\n", "a*".repeat(1 + number % 9))
    })
}

fn folds(n: usize, lines: &[u8]) -> Vec<u8> {
    [&b"User-agent: *\n"[..], &repeated(lines, n)].concat()
}

/// Each line is indented deeper than the one before.
fn deeper(n: usize) -> Vec<u8> {
    filled(b"User-agent: *\nContent-Signal:\n", n, |number| " ".repeat(number + 1) + "a=b,\n")
}
