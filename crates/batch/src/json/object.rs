//! Reads structs from JSON objects, and from nothing else.
//!
//! Invariant: every value read by this module has a name. serde alone would also accept an array and assign its items
//! to the fields by position.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// A struct that was read from an object.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
