//! The id of a request, which its answer repeats.
//!
//! Invariant: an id is repeated as it was written, and every reader of JSON accepts it. It must be parsed to ensure
//! that: a parser that skips a value accepts half surrogate pairs, numbers out of range, and deeply nested arrays.

use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// An id, as it was written.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
