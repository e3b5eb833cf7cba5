//! Cells of a row, written as JSON or as CSV.
//!
//! Invariant: a row is one line, in which all characters can be seen: texts are escaped before they come here. In JSON
//! it is ASCII.

use std::fmt;
use std::io::Write as _;

use robosieve::printable::escape;
use robosieve_batch::json;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::columns::{Column, Type};

/// The length of a text of the input in a row, in bytes of the input. A longer one is left out. Our choice: the longest
/// URL that browsers and sitemaps take.
pub(crate) const MAX_TEXT: usize = 2_048;

/// A text of the input for a row. None if it is too long.
pub(crate) fn text(input: impl AsRef<[u8]>) -> Option<String> {
    let input = input.as_ref();
    (input.len() <= MAX_TEXT).then(|| escape(input))
}

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// A JSON object on each line.
    #[default]
    Ndjson,
    /// Comma-separated values, with a line of names first (RFC 4180, with LF).
    Csv,
}

/// A value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Cell<'c> {
    /// Nothing.
    Null,
    /// Text.
    Text(&'c str),
    /// A whole number.
    Count(u64),
    /// Seconds.
    Seconds(f64),
    /// True or false.
    Flag(bool),
    /// Texts: a list, or in CSV one text with blanks between.
    List(&'c [String]),
    /// Numbers by name: an object, or in CSV `name=number` with blanks between.
    Counts(&'c [(String, u64)]),
}

/// A cell that was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Held {
    /// Nothing.
    Null,
    /// A text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// Seconds.
    Seconds(f64),
    /// True or false.
    Flag(bool),
}

/// Reads the object of a row: the cells in the order of its columns. A cell that is not there is a null; others are
/// ignored. It is one for all tables: a reader for each would be as long as the rest.
pub(crate) struct Cells(pub(crate) &'static [Column]);

impl<'de> Visitor<'de> for Cells {
    type Value = Vec<Held>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object of a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Held>, A::Error> {
        let mut cells: Vec<Option<Held>> = vec![None; self.0.len()];
        let mut next = 0_usize;
        while let Some(place) = map.next_key_seed(PlaceOf { columns: self.0, next })? {
            let Some((column, cell)) = place.and_then(|place| self.0.get(place).zip(cells.get_mut(place))) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if cell.replace(map.next_value_seed(CellOf(column.holds))?).is_some() {
                return Err(A::Error::duplicate_field(column.name));
            }
            next = place.map_or(next, |place| place.saturating_add(1));
        }
        Ok(cells.into_iter().map(|cell| cell.unwrap_or(Held::Null)).collect())
    }
}

/// Reads the name of a cell: the place of its column, if there is one. Cells come in the order of the columns.
struct PlaceOf {
    columns: &'static [Column],
    next: usize,
}

impl<'de> DeserializeSeed<'de> for PlaceOf {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<usize>, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for PlaceOf {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a cell")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        let is_next = self.columns.get(self.next).is_some_and(|column| column.name == name);
        Ok(if is_next { Some(self.next) } else { self.columns.iter().position(|column| column.name == name) })
    }
}

/// Reads a cell.
struct CellOf(Type);

impl<'de> DeserializeSeed<'de> for CellOf {
    type Value = Held;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Held, D::Error> {
        from.deserialize_any(self)
    }
}

impl Visitor<'_> for CellOf {
    type Value = Held;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell")
    }

    fn visit_unit<E>(self) -> Result<Held, E> {
        Ok(Held::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Held, E> {
        Ok(Held::Flag(flag))
    }

    #[allow(clippy::cast_precision_loss, reason = "the reader of numbers has the same")]
    fn visit_u64<E>(self, count: u64) -> Result<Held, E> {
        Ok(if self.0 == Type::Seconds { Held::Seconds(count as f64) } else { Held::Count(count) })
    }

    fn visit_f64<E>(self, seconds: f64) -> Result<Held, E> {
        Ok(Held::Seconds(seconds))
    }

    fn visit_str<E>(self, text: &str) -> Result<Held, E> {
        Ok(Held::Text(text.to_owned()))
    }
}

/// What a field of a row can hold.
pub(crate) trait Value: Sized {
    const HOLDS: Type;
    const NULLABLE: bool;

    fn cell(&self) -> Cell<'_>;

    /// None if it is of another type.
    fn of(held: Held) -> Option<Self>;
}

macro_rules! values {
    ($($type:ty, $kind:ident, $cell:expr;)*) => {$(
        impl Value for $type {
            const HOLDS: Type = Type::$kind;
            const NULLABLE: bool = false;

            fn cell(&self) -> Cell<'_> {
                let cell: fn(&Self) -> Cell<'_> = $cell;
                cell(self)
            }

            fn of(held: Held) -> Option<Self> {
                if let Held::$kind(value) = held { Some(value) } else { None }
            }
        }
    )*};
}

values! {
    String, Text, |text| Cell::Text(text);
    u64, Count, |count| Cell::Count(*count);
    f64, Seconds, |seconds| Cell::Seconds(*seconds);
    bool, Flag, |flag| Cell::Flag(*flag);
}

impl<V: Value> Value for Option<V> {
    const HOLDS: Type = V::HOLDS;
    const NULLABLE: bool = true;

    fn cell(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Null, V::cell)
    }

    fn of(held: Held) -> Option<Self> {
        if held == Held::Null { Some(None) } else { V::of(held).map(Some) }
    }
}

impl<'c> From<Option<&'c str>> for Cell<'c> {
    fn from(text: Option<&'c str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl From<Option<u64>> for Cell<'_> {
    fn from(count: Option<u64>) -> Self {
        count.map_or(Self::Null, Self::Count)
    }
}

impl From<Option<bool>> for Cell<'_> {
    fn from(flag: Option<bool>) -> Self {
        flag.map_or(Self::Null, Self::Flag)
    }
}

impl Form {
    /// Begins a row.
    pub(crate) fn begin(self, version: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(match self {
            Self::Ndjson => b"{\"v\":",
            Self::Csv => b"",
        });
        scalar(out, Cell::Count(version));
    }

    /// Adds a cell.
    pub(crate) fn push<'c>(self, out: &mut Vec<u8>, name: &str, cell: impl Into<Cell<'c>>) {
        let cell = cell.into();
        out.push(b',');
        match self {
            Self::Ndjson => {
                out.push(b'"');
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b"\":");
                as_json(out, cell);
            }
            Self::Csv => csv(out, cell),
        }
    }

    /// Ends a row.
    pub(crate) fn end(self, out: &mut Vec<u8>) {
        out.extend_from_slice(match self {
            Self::Ndjson => b"}\n",
            Self::Csv => b"\n",
        });
    }

    /// What comes before the first row.
    pub(crate) fn head(self, columns: impl Iterator<Item = &'static str>) -> Vec<u8> {
        match self {
            Self::Ndjson => Vec::new(),
            Self::Csv => format!("{}\n", columns.collect::<Vec<_>>().join(",")).into_bytes(),
        }
    }
}

fn scalar(out: &mut Vec<u8>, cell: Cell<'_>) {
    // Writing to memory does not fail.
    let _ = match cell {
        Cell::Count(count) => write!(out, "{count}"),
        Cell::Seconds(seconds) => write!(out, "{seconds}"),
        Cell::Flag(flag) => write!(out, "{flag}"),
        _ => Ok(()),
    };
}

fn as_json(out: &mut Vec<u8>, cell: Cell<'_>) {
    match cell {
        Cell::Null => out.extend_from_slice(b"null"),
        Cell::Text(text) => string(out, text),
        Cell::List(texts) => {
            // Writing to memory does not fail.
            let _ = json::write(out, &texts);
        }
        Cell::Counts(counts) => {
            out.push(b'{');
            for (place, (name, count)) in counts.iter().enumerate() {
                out.extend_from_slice(if place > 0 { b"," } else { b"" });
                string(out, name);
                out.push(b':');
                scalar(out, Cell::Count(*count));
            }
            out.push(b'}');
        }
        scalar_cell => scalar(out, scalar_cell),
    }
}

fn string(out: &mut Vec<u8>, text: &str) {
    // Writing to memory does not fail.
    let _ = json::write(out, &text);
}

fn csv(out: &mut Vec<u8>, cell: Cell<'_>) {
    match cell {
        Cell::Null => {}
        Cell::Text(text) => field(out, text),
        Cell::List(texts) => field(out, &texts.join(" ")),
        Cell::Counts(counts) => {
            let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name}={count}")).collect();
            field(out, &counts.join(" "));
        }
        scalar_cell => scalar(out, scalar_cell),
    }
}

fn field(out: &mut Vec<u8>, text: &str) {
    // Writing to memory does not fail.
    let _ = robosieve_batch::csv::field(out, text);
}
