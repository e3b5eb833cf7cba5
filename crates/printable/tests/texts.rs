//! What is escaped, what stays, and where a text is cut.

use robosieve_printable::{
    escape, escape_at_most, escape_short, front, harmless, harmless_at_most, harmless_short, is_shown,
};

/// The bytes that a text stands for. A text that [`escape`] does not make has none.
fn read(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (bytes, length) = match (first, rest.get(..2)) {
            ('\\', Some("\\\\")) => (vec![b'\\'], 2),
            ('\\', _) => (vec![u8::from_str_radix(rest.get(..4)?.strip_prefix("\\x")?, 16).ok()?], 4),
            _ => (first.to_string().into_bytes(), first.len_utf8()),
        };
        out.extend(bytes);
        rest = rest.get(length..)?;
    }
    Some(out)
}

/// Parts of which confusing names are made.
const PARTS: &[u8] = b"a|x|F|\\|\\\\|\\xFF|\\x0A|\n|\x1b|\xff|\xc3|\xa9|\xc3\xa9|e\xcc\x81|\xe2\x80|\xae|\xe2\x80\xae|\
    \xf0\x9f\xa4\x96|\xed\xa0\x80| ";

/// Two inputs never give the same text: the bytes can be read back. [harmless.distinct]
#[test]
fn texts_can_be_read_back() {
    let mut inputs = vec![Vec::new()];
    for _ in 0..3 {
        let longer = |input: Vec<u8>| PARTS.split(|byte| *byte == b'|').map(move |part| [&input, part].concat());
        inputs.extend(inputs.clone().into_iter().flat_map(longer));
    }
    inputs.extend((0..=char::MAX.into()).filter_map(char::from_u32).map(|one| one.to_string().into_bytes()));
    assert!(inputs.len() > 1_000_000);
    for input in inputs {
        let text = escape(&input);
        assert_eq!(read(&text).as_deref(), Some(input.as_slice()), "{text}");
        assert_eq!(harmless(&text), text, "the net changes no escaped text");
    }
}

/// [harmless.bytes] [harmless.lines]
#[test]
fn nothing_is_printed_that_controls_or_cannot_be_seen() {
    for character in ('\0'..=char::MAX).filter(|one| is_shown(*one)) {
        assert!(!character.is_control() && (character == ' ' || !character.is_whitespace()), "{character:?}");
        let is_format = matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}');
        assert!(!is_format, "{character:?}");
    }
}

/// Words of these scripts, with their marks, stay as they are. [harmless.letters]
#[test]
fn letters_of_every_script_stay() {
    let words = "café Ñandú ő ß ﬁ категория й Ελλάδα ά עִבְרִית العَرَبِيَّة فارسی हिन्दी क्षेत्र বাংলা தமிழ் ไทยน้ำ ລາວ မြန်မာ ខ្មែរ 中文 日本語がパ 한국어 \
                 አማርኛ ქართული Հայերեն “quoted” – … € № 🤖 ½ ﷺ";
    assert_eq!(escape(words.as_bytes()), words);
    // The same letter in another spelling does not look the same.
    assert_eq!(escape("e\u{301}".as_bytes()), "e\\xCC\\x81");
    assert_eq!(escape("\u{1112}\u{1161}".as_bytes()), "\\xE1\\x84\\x92\\xE1\\x85\\xA1");
}

/// [harmless.bytes]
#[test]
fn no_cut_divides_a_character_or_an_escape() {
    let text = "a\u{e9}\u{416}\u{4e2d}\u{1f916}\u{202e}".as_bytes();
    for most in 0..=text.len() {
        let front = front(text, most);
        assert!(core::str::from_utf8(front).is_ok() && front.len() + 3 >= most, "{most}");
    }
    assert_eq!((front(b"ab\xe2\x80", 4), front(b"ab\xe2\x80c", 4)), (&b"ab\xe2\x80"[..], &b"ab\xe2\x80"[..]));
    assert_eq!(escape_short(&[b'a'; 160]), "a".repeat(160));
    assert!(escape_short(&[b'a'; 1000]).ends_with("a... (1000 bytes)"));
    assert_eq!(escape_at_most("\u{416}\u{416}".as_bytes(), 3), "\u{416}... (4 bytes)");
    let cuts = [0, 1, 4, 5, 6, 7, 8, 9].map(|most| harmless_at_most("a\n\\\\é", most));
    assert_eq!(cuts.join(" "), " a a a\\x0A a\\x0A a\\x0A\\\\ a\\x0A\\\\ a\\x0A\\\\é");
    assert_eq!(harmless_short("ab", 2), "ab");
    assert_eq!(harmless_short("a\u{416}", 2), "a... (3 bytes)");
}
