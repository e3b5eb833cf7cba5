//! JSON lines: reading requests, and writing answers that are harmless to every reader.
//!
//! Invariant: what is read has names and every reader of JSON accepts it. A line that is written is ASCII without
//! control characters. So it is UTF-8, one line for every reader, and harmless on a terminal. JSON escapes keep the
//! meaning of the values.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

/// Accepts padding or none.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// With vector instructions, where the crate has them.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
static BASE64: LazyLock<base64::engine::Simd> = LazyLock::new(|| base64::engine::Simd::standard(CONFIG));
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon"))))]
static BASE64: LazyLock<base64::engine::GeneralPurpose> =
    LazyLock::new(|| base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG));

/// Decodes base64, with or without padding.
///
/// # Errors
/// Returns a message about what is wrong.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(text).map_err(|error| error.to_string())
}

/// Encodes bytes as base64, with padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// The id of a request, as it was written. Its answer repeats it, and every reader of JSON accepts it: it is parsed to
/// ensure that, since a parser that skips a value accepts half surrogate pairs, numbers out of range, and deeply nested
/// arrays.
#[derive(Clone, Copy, Debug)]
pub struct Id<'a>(&'a RawValue);

impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = <&RawValue>::deserialize(deserializer)?;
        // Nested as deeply as in the answer.
        match serde_json::from_str::<Value>(&format!(r#"{{"id":{id}}}"#)) {
            Ok(_) => Ok(Self(id)),
            Err(error) => Err(D::Error::custom(format_args!("id: {error}"))),
        }
    }
}

#[cfg(feature = "archives")]
impl Id<'_> {
    pub(crate) fn into_raw(self) -> Box<RawValue> {
        self.0.to_owned()
    }
}

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// A struct that was read from an object, and from nothing else: every value has a name. serde alone would also accept
/// an array and assign its items to the fields by position.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

/// For a field with `deserialize_with`.
///
/// # Errors
/// Those of the struct, and one if the value is not an object.
pub fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(OfMap(PhantomData))
}

struct OfMap<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OfMap<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// The value as a line of JSON, with its line end.
///
/// # Errors
/// Those of the value's own `Serialize`.
///
/// ```
/// assert_eq!(robosieve_batch::json::line(&["a\u{1b}"])?, b"[\"a\\u001b\"]\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(256);
    write(&mut out, value)?;
    out.push(b'\n');
    Ok(out)
}

/// Writes the value as such JSON, without a line end. Holds nothing of it in memory.
///
/// # Errors
/// Those of the value's own `Serialize`, and of the writer.
pub fn write(out: &mut impl io::Write, value: &impl Serialize) -> io::Result<()> {
    // An error of the writer keeps its kind.
    value.serialize(&mut serde_json::Serializer::with_formatter(out, Ascii)).map_err(io::Error::from)
}

struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_ascii(writer, fragment)
    }

    // JSON from a request's id. Bytes outside ASCII can only be in its strings, and controls only between its tokens.
    fn write_raw_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_ascii(writer, &fragment.replace(['\t', '\r', '\n'], " "))
    }
}

fn write_ascii<W: io::Write + ?Sized>(writer: &mut W, text: &str) -> io::Result<()> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~');
    // Checks all bytes without an early exit, so the processor can check many at once.
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        return writer.write_all(text.as_bytes());
    }
    let mut units = [0; 2];
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) if is_plain(byte) => writer.write_all(&[byte])?,
            _ => {
                for unit in character.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
    }
    Ok(())
}

/// What is wrong with a JSON text, without its place, in words for people who know JSON and not this program.
#[must_use]
pub fn json_error(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())).unwrap_or(&words);
    let words = match words.rsplit_once("invalid type: ") {
        Some((before, types)) => match types.rsplit_once(", expected ") {
            Some((found, wanted)) => {
                format!("{before}expected {}, found {}", name_of_type(wanted), name_of_type(found))
            }
            None => words.to_owned(),
        },
        None => words.to_owned(),
    };
    words.replace("expected ident", "expected value").replace("duplicate field", "the same field twice:")
}

/// What JSON calls a type.
fn name_of_type(word: &str) -> &str {
    match word {
        "sequence" | "a sequence" => "an array",
        "map" | "a map" => "an object",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f64" => "a number",
        word => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With and without vectors, the bytes and the errors are the same: [batch.inputs]
    #[test]
    fn base64_is_read_in_one_way() {
        let portable = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG);
        let portable = |text: &str| portable.decode(text).map_err(|error| error.to_string());
        let bytes: Vec<u8> = (0..=u8::MAX).chain((0..=u8::MAX).rev()).collect();
        for length in 0..200_usize {
            let file = bytes.get(length..length.saturating_mul(2)).unwrap_or_default();
            let text = encode(file);
            assert_eq!(decode(&text).as_deref(), Ok(file), "{length}");
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Ok(file), "{length}");
            for (at, _) in text.char_indices() {
                for wrong in ["-", "=", " ", "é"] {
                    let mut damaged = text.clone();
                    damaged.replace_range(at..=at, wrong);
                    assert_eq!(decode(&damaged), portable(&damaged), "{damaged}");
                }
            }
        }
    }

    /// [harmless.json]
    #[test]
    fn an_id_that_other_readers_reject_is_invalid() {
        let reads = |id: &str| serde_json::from_str::<Id<'_>>(id).is_ok();
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for id in ["1", "-1.5e3", r#""a\u00e9\ud83e\udd16""#, "{\"a\":[null]}", "\"\u{1f916}\"", &nested(126)] {
            assert!(reads(id), "{id}");
        }
        for id in [r#""\ud800""#, r#"{"\udc00":1}"#, "1e999", &nested(127), &nested(100_000)] {
            assert!(!reads(id), "{id}");
        }
    }

    #[derive(serde::Deserialize)]
    struct Point {
        x: u8,
    }

    /// [batch.inputs]
    #[test]
    fn an_array_is_not_an_object() {
        let read = |text: &str| serde_json::from_str::<Object<Point>>(text).map(|point| point.0.x).ok();
        assert_eq!(read(r#"{"x":1}"#), Some(1));
        assert_eq!((read("[1]"), read("1"), read("null")), (None, None, None));
    }

    /// [harmless.json]
    #[test]
    fn lines_are_ascii_and_read_back() {
        let value = "a\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{1f916}\n\"\\";
        let bytes = line(&value).unwrap_or_default();
        assert!(bytes.strip_suffix(b"\n").is_some_and(|line| line.iter().all(|byte| matches!(byte, b' '..=b'~'))));
        assert_eq!(serde_json::from_slice::<String>(&bytes).ok().as_deref(), Some(value));
    }
}
