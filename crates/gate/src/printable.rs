//! Makes foreign text printable.
//!
//! Invariant: the result is printable ASCII. So it begins no new line, does not control a terminal, and does not
//! reverse text. All foreign text in this crate's errors and answers goes through here.

/// The text, with every character that is not printable ASCII escaped as in Rust: `\n`, `\u{202e}`.
pub(crate) fn printable(text: &str) -> String {
    shortened(text, usize::MAX)
}

/// The same, cut to at most this many bytes. No escape is cut.
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

/// The most bytes of a rule in an answer. A file may have a rule as long as the whole file, and each URL has an answer.
const SHOWN: usize = 2_000;

/// The text for an answer. A very long text is cut and ends with its length.
pub(crate) fn shown(text: &str) -> String {
    if text.len() <= SHOWN {
        return printable(text);
    }
    format!("{}... ({} bytes)", shortened(text, SHOWN), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [harmless.bytes] [harmless.lines]
    #[test]
    fn all_is_printable_ascii_and_no_escape_is_cut() {
        let evil = "a\nb\r\u{85}\u{2028}\u{202e}\u{1b}[2Jé'\\";
        assert_eq!(printable(evil), "a\\nb\\r\\u{85}\\u{2028}\\u{202e}\\u{1b}[2J\\u{e9}'\\");
        let cuts = [(0, ""), (1, "a"), (2, "a"), (3, "a\\n"), (4, "a\\nb")];
        for (max, expected) in cuts {
            assert_eq!(shortened(evil, max), expected, "{max}");
        }
        let long = "a".repeat(SHOWN);
        assert_eq!(shown(&long), long);
        assert_eq!(shown(&(long.clone() + "b")), long + "... (2001 bytes)");
    }
}
