//! Each of the 256 bytes, in each place where its value matters.

use robosieve::Options;
use robosieve::records::{Parser, PathPattern, UrlPath};
use robosieve::settings::{Agent, Dialect, PathForm};

fn bytes() -> impl Iterator<Item = u8> {
    0..=u8::MAX
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// RFC 3986: the bytes of a path and a query, without `#`, which ends them.
fn is_raw(byte: u8) -> bool {
    is_unreserved(byte) || b":/?[]@!$&'()*+,;=%".contains(&byte)
}

fn escaped(byte: u8) -> String {
    format!("%{byte:02X}")
}

fn pattern(value: &[u8], form: PathForm) -> String {
    PathPattern::new(value, form).as_bstr().to_string()
}

fn path(url: &[u8]) -> String {
    UrlPath::of(url, PathForm::default()).text().to_string()
}

/// The byte alone, among others, and after so many others that eight are read at once. [path.encode] [path.literal]
#[test]
fn a_byte_of_a_path_is_raw_or_encoded() {
    for byte in bytes() {
        let spelled = if is_raw(byte) { char::from(byte).to_string() } else { escaped(byte) };
        for front in ["/", "/a", "/abcdef", "/abcdefg", "/abcdefgh", "/abcdefghijklmnopq"] {
            for behind in ["", "/z", "/abcdefghijk"] {
                let value = [front.as_bytes(), &[byte], behind.as_bytes()].concat();
                assert_eq!(pattern(&value, PathForm::default()), format!("{front}{spelled}{behind}"));
                if byte == b'#' {
                    assert_eq!(path(&value), front);
                    continue;
                }
                let spelled = if matches!(byte, b'*' | b'$') { escaped(byte) } else { spelled.clone() };
                if front != "/" || byte != b'/' {
                    assert_eq!(path(&value), format!("{front}{spelled}{behind}"));
                }
            }
        }
    }
}

/// [path.decode]
#[test]
fn an_escape_is_decoded_or_in_upper_case() {
    for high in bytes() {
        for low in bytes().filter(|low| high.is_ascii_hexdigit() || low.is_ascii_hexdigit()) {
            let value = [b'/', b'%', high, low];
            if !is_raw(high) || !is_raw(low) || [high, low].iter().any(|byte| b"%*$".contains(byte)) {
                continue;
            }
            let digits = String::from_utf8([high, low].to_vec()).unwrap();
            let is_escape = high.is_ascii_hexdigit() && low.is_ascii_hexdigit();
            let byte = u8::from_str_radix(&digits, 16).ok().filter(|_| is_escape);
            let expected = match byte {
                Some(byte) if is_unreserved(byte) => format!("/{}", char::from(byte)),
                Some(byte) => format!("/{}", escaped(byte)),
                None => format!("/%{digits}"),
            };
            assert_eq!(pattern(&value, PathForm::default()), expected, "{digits}");
        }
    }
}

/// [google.path]
#[test]
fn google_encodes_bytes_that_are_not_ascii() {
    for byte in bytes() {
        let expected = if byte.is_ascii() { char::from(byte).to_string() } else { escaped(byte) };
        assert_eq!(pattern(&[b'/', byte], Dialect::Google.options().paths), format!("/{expected}"));
    }
}

/// [agent.token] [agent.value] [agent.any] [google.agent]
#[test]
fn a_byte_is_a_part_of_a_name_or_ends_it() {
    for byte in bytes().filter(|byte| !b"\r\n".contains(byte)) {
        let value = [b'b', byte, b'b'];
        let token = Agent::new(value).token().map(str::to_owned);
        let is_token = byte.is_ascii_alphabetic() || b"_-".contains(&byte);
        let is_wide = is_token || byte.is_ascii_digit() || byte == b'.';
        let whole = String::from_utf8_lossy(&value).into_owned();
        let front = if is_wide { whole.clone() } else { "b".to_owned() };
        assert_eq!(token, byte.is_ascii().then_some(front), "{byte}");
        let file = [b"User-agent: ", &value[..], b"\nDisallow: /\n"].concat();
        for (dialect, is_part) in [(Dialect::Standard, is_wide), (Dialect::Google, is_token)] {
            let set = Parser::new(dialect.options()).parse(&file);
            let name = set.records().next().unwrap().agents()[0].name().to_string();
            assert_eq!(name, if is_part { whole.clone() } else { "b".to_owned() }, "{dialect:?} {byte}");
        }
    }
}

/// [field.name] [line.end] [line.comment]
#[test]
fn a_byte_is_a_part_of_a_directive_or_makes_it_invalid() {
    let options = Options { keep_unknown: true, ..Options::default() };
    for byte in bytes() {
        let file = [b"User-agent: *\nDisallow: /\nq", &[byte][..], b"q: 1\n"].concat();
        let set = Parser::new(options.clone()).parse(&file);
        let record = set.records().next().unwrap();
        let kept: Vec<String> = record.extensions().iter().map(|line| line.name().to_string().to_lowercase()).collect();
        let expected = match byte {
            b'-' => vec!["q-q".to_owned()],
            _ if byte.is_ascii_alphanumeric() => vec![format!("q{}q", char::from(byte)).to_lowercase()],
            // `q: 1` is a separate line, or the value.
            b'\r' | b'\n' | b':' => vec!["q".to_owned()],
            _ => Vec::new(),
        };
        assert_eq!(kept, expected, "{byte}");
    }
}
