//! Each of the 256 octets, in each place where it matters what it is.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

use robosieve::{Agent, Dialect, Options, Parser, PathForm, PathPattern, UrlPath};

fn octets() -> impl Iterator<Item = u8> {
    0..=u8::MAX
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"-._~".contains(&octet)
}

/// RFC 3986: what a path and a query hold, without `#`, which ends them.
fn is_raw(octet: u8) -> bool {
    is_unreserved(octet) || b":/?[]@!$&'()*+,;=%".contains(&octet)
}

fn escaped(octet: u8) -> String {
    format!("%{octet:02X}")
}

fn pattern(value: &[u8], form: PathForm) -> String {
    PathPattern::new(value, form).as_bstr().to_string()
}

/// Alone, among others, and behind so many that eight are looked at together. [path.encode] [path.literal]
#[test]
fn an_octet_of_a_path_is_raw_or_encoded() {
    for octet in octets() {
        let spelled = if is_raw(octet) { char::from(octet).to_string() } else { escaped(octet) };
        for front in ["/", "/a", "/abcdef", "/abcdefg", "/abcdefgh", "/abcdefghijklmnopq"] {
            for behind in ["", "/z", "/abcdefghijk"] {
                let value = [front.as_bytes(), &[octet], behind.as_bytes()].concat();
                assert_eq!(pattern(&value, PathForm::default()), format!("{front}{spelled}{behind}"));
                if octet == b'#' {
                    assert_eq!(UrlPath::of(&value, PathForm::default()).as_bstr(), front);
                    continue;
                }
                let spelled = if matches!(octet, b'*' | b'$') { escaped(octet) } else { spelled.clone() };
                if front != "/" || octet != b'/' {
                    assert_eq!(
                        UrlPath::of(&value, PathForm::default()).as_bstr(),
                        &*format!("{front}{spelled}{behind}")
                    );
                }
            }
        }
    }
}

/// [path.decode]
#[test]
fn an_escape_is_decoded_or_in_capitals() {
    for high in octets() {
        for low in octets().filter(|low| high.is_ascii_hexdigit() || low.is_ascii_hexdigit()) {
            let value = [b'/', b'%', high, low];
            if !is_raw(high) || !is_raw(low) || [high, low].iter().any(|octet| b"%*$".contains(octet)) {
                continue;
            }
            let digits = String::from_utf8([high, low].to_vec()).unwrap();
            let is_escape = high.is_ascii_hexdigit() && low.is_ascii_hexdigit();
            let octet = u8::from_str_radix(&digits, 16).ok().filter(|_| is_escape);
            let expected = match octet {
                Some(octet) if is_unreserved(octet) => format!("/{}", char::from(octet)),
                Some(octet) => format!("/{}", escaped(octet)),
                None => format!("/%{digits}"),
            };
            assert_eq!(pattern(&value, PathForm::default()), expected, "{digits}");
        }
    }
}

/// [google.path]
#[test]
fn google_encodes_octets_that_are_not_ascii() {
    for octet in octets() {
        let expected = if octet.is_ascii() { char::from(octet).to_string() } else { escaped(octet) };
        assert_eq!(pattern(&[b'/', octet], Dialect::Google.options().paths), format!("/{expected}"));
    }
}

/// [agent.token] [agent.value] [agent.any] [google.agent]
#[test]
fn an_octet_is_a_part_of_a_name_or_ends_it() {
    for octet in octets().filter(|octet| !b"\r\n".contains(octet)) {
        let value = [b'b', octet, b'b'];
        let token = Agent::new(value).token().map(ToString::to_string);
        let is_token = octet.is_ascii_alphabetic() || b"_-".contains(&octet);
        let is_wide = is_token || octet.is_ascii_digit() || octet == b'.';
        let whole = String::from_utf8_lossy(&value).into_owned();
        let front = if is_wide { whole.clone() } else { "b".to_owned() };
        assert_eq!(token, octet.is_ascii().then_some(front), "{octet}");
        let file = [b"User-agent: ", &value[..], b"\nDisallow: /\n"].concat();
        for (dialect, is_part) in [(Dialect::Standard, is_wide), (Dialect::Google, is_token)] {
            let set = Parser::new(dialect.options()).parse(&file);
            let name = set.records().next().unwrap().agents()[0].name().as_bstr().to_string();
            assert_eq!(name, if is_part { whole.clone() } else { "b".to_owned() }, "{dialect:?} {octet}");
        }
    }
}

/// [field.name] [line.end] [line.comment]
#[test]
fn an_octet_is_a_part_of_a_directive_or_makes_it_none() {
    let options = Options { keep_unknown: true, ..Options::default() };
    for octet in octets() {
        let file = [b"User-agent: *\nDisallow: /\nq", &[octet][..], b"q: 1\n"].concat();
        let set = Parser::new(options.clone()).parse(&file);
        let record = set.records().next().unwrap();
        let kept: Vec<String> = record.extensions().iter().map(|line| line.name().to_string().to_lowercase()).collect();
        let expected = match octet {
            b'-' => vec!["q-q".to_owned()],
            _ if octet.is_ascii_alphanumeric() => vec![format!("q{}q", char::from(octet)).to_lowercase()],
            // `q: 1` is a line of its own, or the value.
            b'\r' | b'\n' | b':' => vec!["q".to_owned()],
            _ => Vec::new(),
        };
        assert_eq!(kept, expected, "{octet}");
    }
}
