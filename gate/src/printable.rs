//! What others wrote -> words for people.
//!
//! Invariant: what leaves this module is printable ASCII, so it opens no line, and neither steers a terminal nor turns text
//! around. Everything in an error or an answer that this crate did not write itself has been through here.

/// The text, with each character that is not printable ASCII as Rust escapes it: `\n`, `\u{202e}`.
pub(crate) fn printable(text: &str) -> String {
    shortened(text, usize::MAX)
}

/// The same, less what is beyond so many octets. No escape is cut in two.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        let whole = out.len();
        if matches!(letter, ' '..='~') {
            out.push(letter);
        } else {
            out.extend(letter.escape_default());
        }
        if out.len() > max {
            out.truncate(whole);
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [harmless.octets] [harmless.lines]
    #[test]
    fn all_is_printable_ascii_and_no_escape_is_cut() {
        let evil = "a\nb\r\u{85}\u{2028}\u{202e}\u{1b}[2Jé'\\";
        assert_eq!(printable(evil), "a\\nb\\r\\u{85}\\u{2028}\\u{202e}\\u{1b}[2J\\u{e9}'\\");
        let cuts = [(0, ""), (1, "a"), (2, "a"), (3, "a\\n"), (4, "a\\nb")];
        for (max, expected) in cuts {
            assert_eq!(shortened(evil, max), expected, "{max}");
        }
    }
}
