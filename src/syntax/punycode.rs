//! Converts host names in any script to their ASCII form (`xn--…`).
//!
//! Invariant: the output is ASCII, each label has at most 63 bytes and the name at most 253. So the work on a name of
//! any length is bounded. Letters are converted to lower case. No other mapping of UTS 46 and no normal form is
//! applied.

use alloc::string::String;
use alloc::vec::Vec;

/// RFC 1035 2.3.4.
pub(crate) const LONGEST_LABEL: usize = 63;
/// RFC 1035 2.3.4: 255 bytes, minus the length bytes of the root and of the first label.
pub(crate) const LONGEST_NAME: usize = 253;

/// The parameters of Punycode (RFC 3492 5).
const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_CODE: u32 = 0x80;

/// The ASCII form of a host name. None if a label is too long or contains a character that is not allowed in hosts.
pub(crate) fn host_to_ascii(host: &str) -> Option<String> {
    let mut out = String::new();
    for (place, label) in host.split(is_dot).enumerate() {
        if place > 0 {
            out.push('.');
        }
        push_label(&mut out, label)?;
        if out.len() > LONGEST_NAME {
            return None;
        }
    }
    Some(out)
}

/// The separators that people type between labels (RFC 3490 3.1).
const fn is_dot(letter: char) -> bool {
    matches!(letter, '.' | '\u{3002}' | '\u{FF0E}' | '\u{FF61}')
}

/// Invisible characters and those that reverse text: no host contains one.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || letter.is_whitespace()
        || matches!(letter, '\u{AD}' | '\u{200B}' | '\u{200E}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
        || matches!(letter, '\u{2060}'..='\u{206F}' | '\u{E000}'..='\u{F8FF}' | '\u{FEFF}' | '\u{FFF0}'..='\u{FFFF}')
        || letter >= '\u{E0000}'
}

fn push_label(out: &mut String, label: &str) -> Option<()> {
    if label.is_ascii() {
        out.push_str(label);
        return (label.len() <= LONGEST_LABEL).then_some(());
    }
    // Takes one letter more than fits, so the cost is bounded for a label of any length.
    let letters: Vec<char> = label.chars().flat_map(char::to_lowercase).take(LONGEST_LABEL.saturating_add(1)).collect();
    if letters.len() > LONGEST_LABEL || letters.iter().copied().any(is_unseen) {
        return None;
    }
    let start = out.len();
    out.push_str("xn--");
    push_punycode(out, &letters);
    (out.len().saturating_sub(start) <= LONGEST_LABEL).then_some(())
}

/// RFC 3492 6.3. The numbers cannot overflow: a label has at most 63 letters, each below 0x110000.
fn push_punycode(out: &mut String, letters: &[char]) {
    let basic = letters.iter().filter(|letter| letter.is_ascii());
    out.extend(basic.clone());
    let basic = number(basic.count());
    if basic > 0 {
        out.push('-');
    }
    let (mut code, mut delta, mut bias, mut done) = (FIRST_CODE, 0_u32, FIRST_BIAS, basic);
    while let Some(next) = letters.iter().map(|&letter| u32::from(letter)).filter(|&letter| letter >= code).min() {
        delta = delta.saturating_add(next.saturating_sub(code).saturating_mul(done.saturating_add(1)));
        code = next;
        for &letter in letters {
            if u32::from(letter) < code {
                delta = delta.saturating_add(1);
            } else if u32::from(letter) == code {
                push_number(out, delta, bias);
                bias = adapted(delta, done.saturating_add(1), done == basic);
                (delta, done) = (0, done.saturating_add(1));
            }
        }
        (delta, code) = (delta.saturating_add(1), code.saturating_add(1));
    }
}

/// Writes a number of variable length, the last digit last.
fn push_number(out: &mut String, mut number: u32, bias: u32) {
    let mut place = BASE;
    loop {
        let threshold = place.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if number < threshold {
            out.push(digit(number));
            return;
        }
        let (above, span) = (number.saturating_sub(threshold), BASE.saturating_sub(threshold));
        let rest = above.checked_rem(span).unwrap_or_default();
        out.push(digit(threshold.saturating_add(rest)));
        number = above.checked_div(span).unwrap_or_default();
        place = place.saturating_add(BASE);
    }
}

/// RFC 3492 6.1.
fn adapted(delta: u32, letters: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / DAMP } else { delta / 2 };
    delta = delta.saturating_add(delta.checked_div(letters).unwrap_or_default());
    let mut bias = 0_u32;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        bias = bias.saturating_add(BASE);
    }
    let scaled = (BASE - T_MIN + 1).saturating_mul(delta);
    bias.saturating_add(scaled.checked_div(delta.saturating_add(SKEW)).unwrap_or_default())
}

/// 0 to 25 are `a` to `z`, 26 to 35 are `0` to `9`.
fn digit(number: u32) -> char {
    let place = usize::try_from(number).unwrap_or_default();
    b"abcdefghijklmnopqrstuvwxyz0123456789".get(place).copied().map_or('a', char::from)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The samples of RFC 3492 7.1, and real names.
    #[test]
    fn names_have_the_form_of_the_rfc() {
        for (host, expected) in [
            ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.Example", "xn--bcher-kva.Example"),
            ("пример.рф", "xn--e1afmkfd.xn--p1ai"),
            ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
            ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
            ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
            ("ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"),
            ("straße", "xn--strae-oqa"),
            ("a..b", "a..b"),
        ] {
            assert_eq!(host_to_ascii(host).as_deref(), Some(expected), "{host}");
        }
    }

    /// The cost of a name does not depend on its length.
    #[test]
    fn names_that_are_no_hosts_are_rejected() {
        for host in ["a\u{202e}b", "é\u{a0}", "é ", "\u{200b}", "é\u{7f}", "\u{fffd}", "é\u{feff}"] {
            assert_eq!(host_to_ascii(host), None, "{host:?}");
        }
        assert_eq!(host_to_ascii(&"é".repeat(1_000_000)), None);
        assert_eq!(host_to_ascii(&"a".repeat(64)), None);
        assert_eq!(host_to_ascii(&"é.".repeat(1_000)), None);
        let long = host_to_ascii(&"é".repeat(50));
        assert!(long.is_some_and(|name| name.len() <= LONGEST_LABEL));
    }
}
