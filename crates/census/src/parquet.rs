//! Tables as Parquet.
//!
//! Invariant: the columns are those of the [`Row`], with one more in front where rows of several tables belong together.
//! Memory holds one group of rows. A group is only skipped if what the file itself says of it proves that no row of it is
//! wanted.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::bloom_filter::Sbbf;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader as _, FileReader as _, RowGroupReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type as Node};
use robosieve::printable::name_of;

use crate::cells::{Cell, Held};
use crate::columns::{Column, Type};
use crate::normal::{Row, VERSION};

/// The number of rows in a group. Our choice: some 50 MB of memory, and readers skip by groups.
const GROUP: usize = 1 << 17;
/// The number of rows in a page of a table that is searched. Our choice: a search unpacks one page of each column.
const PAGE: usize = 1 << 13;
/// The number of rows that are read at once. Our choice.
const READ: usize = 1 << 12;
/// How often a Bloom filter says wrongly that a group could have a text. Our choice: 2 bytes for each text, and a search
/// over a hundred crawls of 74 million files reads some sixty groups in vain.
const WRONG: f64 = 0.001;

fn failed(error: ParquetError) -> io::Error {
    match error {
        // A full disk stays one.
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error.to_string()),
        },
        error => io::Error::other(error.to_string()),
    }
}

/// The values of a column that are not written yet.
enum Values {
    Texts(Texts),
    Counts(Vec<i64>),
    Seconds(Vec<f64>),
    Flags(Vec<bool>),
}

/// Texts one after the other, with the place where each ends: they need no memory of their own.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
    }

    fn take(&mut self) -> Vec<ByteArray> {
        let (all, mut start) = (ByteArray::from(mem::take(&mut self.bytes)), 0);
        let one = |end: usize| {
            let begin = mem::replace(&mut start, end);
            all.slice(begin, end.saturating_sub(begin))
        };
        mem::take(&mut self.ends).into_iter().map(one).collect()
    }
}

struct Pending {
    values: Values,
    /// 1 for each value, 0 for each null; empty for a column without nulls.
    levels: Vec<i16>,
    nullable: bool,
}

impl Pending {
    fn new(column: &Column) -> Self {
        let values = match column.holds {
            Type::Count => Values::Counts(Vec::new()),
            Type::Seconds => Values::Seconds(Vec::new()),
            Type::Flag => Values::Flags(Vec::new()),
            _ => Values::Texts(Texts::default()),
        };
        Self { values, levels: Vec::new(), nullable: column.nullable }
    }

    fn push(&mut self, cell: Cell<'_>) {
        if self.nullable {
            self.levels.push(i16::from(!matches!(cell, Cell::Null)));
        }
        match (&mut self.values, cell) {
            (Values::Texts(all), Cell::Text(text)) => all.push(text),
            (Values::Counts(all), Cell::Count(count)) => all.push(i64::try_from(count).unwrap_or(i64::MAX)),
            (Values::Seconds(all), Cell::Seconds(seconds)) => all.push(seconds),
            (Values::Flags(all), Cell::Flag(flag)) => all.push(flag),
            _ => {}
        }
    }

    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        fn put<T: DataType>(
            column: &mut SerializedColumnWriter<'_>,
            values: &mut Vec<T::T>,
            levels: Option<&[i16]>,
        ) -> Result<(), ParquetError> {
            column.typed::<T>().write_batch(values, levels, None)?;
            values.clear();
            Ok(())
        }
        let levels = self.nullable.then_some(&*self.levels);
        match &mut self.values {
            Values::Texts(all) => put::<ByteArrayType>(column, &mut all.take(), levels)?,
            Values::Counts(all) => put::<Int64Type>(column, all, levels)?,
            Values::Seconds(all) => put::<DoubleType>(column, all, levels)?,
            Values::Flags(all) => put::<BoolType>(column, all, levels)?,
        }
        self.levels.clear();
        Ok(())
    }
}

fn schema(columns: &[Column]) -> Result<Node, ParquetError> {
    let fields = columns.iter().map(|column| {
        let (physical, logical) = match column.holds {
            Type::Count => (Physical::INT64, None),
            Type::Seconds => (Physical::DOUBLE, None),
            Type::Flag => (Physical::BOOLEAN, None),
            _ => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Node::primitive_type_builder(column.name, physical);
        Ok(Arc::new(field.with_repetition(repetition).with_logical_type(logical).build()?))
    });
    let fields: Result<Vec<_>, ParquetError> = fields.collect();
    Node::group_type_builder("schema").with_fields(fields?).build()
}

/// Writes a table.
pub(crate) struct Writer {
    file: SerializedFileWriter<File>,
    pending: Vec<Pending>,
    rows: usize,
}

impl Writer {
    /// A table with a Bloom filter of a column for each group, if readers look for something there.
    pub(crate) fn new(file: File, columns: &[Column], filtered: Option<&str>) -> io::Result<Self> {
        let version = KeyValue::new("robosieve.census".to_owned(), VERSION.to_string());
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("robosieve".to_owned())
            .set_key_value_metadata(Some(vec![version]));
        // Numbers that rise, and texts that differ in each row, make no dictionary.
        for name in ["file", "record"] {
            properties = properties
                .set_column_dictionary_enabled(ColumnPath::from(name), false)
                .set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
        }
        if let Some(name) = filtered {
            for name in ["url", "host", "time", "hash", "text"] {
                properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), false);
            }
            properties = properties
                .set_data_page_row_count_limit(PAGE)
                .set_column_bloom_filter_enabled(ColumnPath::from(name), true)
                .set_column_bloom_filter_fpp(ColumnPath::from(name), WRONG)
                .set_column_bloom_filter_max_ndv(ColumnPath::from(name), u64::try_from(GROUP).unwrap_or(u64::MAX));
        }
        let properties = Arc::new(properties.build());
        let file = SerializedFileWriter::new(file, Arc::new(schema(columns).map_err(failed)?), properties);
        let pending = columns.iter().map(Pending::new).collect();
        Ok(Self { file: file.map_err(failed)?, pending, rows: 0 })
    }

    pub(crate) fn push<R: Row>(&mut self, front: Option<u64>, row: &R) -> io::Result<()> {
        let mut columns = self.pending.iter_mut();
        if let (Some(front), Some(column)) = (front, if front.is_some() { columns.next() } else { None }) {
            column.push(Cell::Count(front));
        }
        row.cells(&mut |cell| {
            if let Some(column) = columns.next() {
                column.push(cell);
            }
        });
        self.rows = self.rows.saturating_add(1);
        if self.rows >= GROUP { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group: SerializedRowGroupWriter<'_, File> = self.file.next_row_group().map_err(failed)?;
        for pending in &mut self.pending {
            let Some(mut column) = group.next_column().map_err(failed)? else { break };
            pending.write(&mut column).and_then(|()| column.close()).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.rows = 0;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let mut file = self.file;
        file.finish().map_err(failed)?;
        file.inner().sync_all()
    }
}

enum Typed {
    Texts(ColumnReaderImpl<ByteArrayType>),
    Counts(ColumnReaderImpl<Int64Type>),
    Seconds(ColumnReaderImpl<DoubleType>),
    Flags(ColumnReaderImpl<BoolType>),
}

/// A column of a group, and the cells of it that are not used yet.
struct Cursor {
    column: Typed,
    nullable: bool,
    /// The number of rows that are read at once.
    most: usize,
    held: std::vec::IntoIter<Held>,
}

impl Cursor {
    fn next(&mut self) -> io::Result<Option<Held>> {
        if let Some(held) = self.held.next() {
            return Ok(Some(held));
        }
        self.held = self.read().map_err(failed)?.into_iter();
        Ok(self.held.next())
    }

    /// Leaves rows out. The next ones are read one by one.
    fn skip(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.most = 1;
        let held = rows.min(self.held.len());
        self.held.by_ref().take(held).for_each(drop);
        match (&mut self.column, rows.saturating_sub(held)) {
            (_, 0) => Ok(0),
            (Typed::Texts(column), rows) => column.skip_records(rows),
            (Typed::Counts(column), rows) => column.skip_records(rows),
            (Typed::Seconds(column), rows) => column.skip_records(rows),
            (Typed::Flags(column), rows) => column.skip_records(rows),
        }
        .map(drop)
    }

    /// The places of the rows that are wanted.
    fn places(mut self, wanted: &Wanted) -> Result<Vec<usize>, ParquetError> {
        fn some<T: DataType>(
            column: &mut ColumnReaderImpl<T>,
            nullable: bool,
            is_wanted: impl Fn(&T::T) -> bool,
        ) -> Result<Vec<usize>, ParquetError> {
            let (mut places, mut place) = (Vec::new(), 0_usize);
            loop {
                let (mut values, mut levels) = (Vec::new(), Vec::new());
                let read = column.read_records(READ, nullable.then_some(&mut levels), None, &mut values)?.0;
                if read == 0 {
                    return Ok(places);
                }
                let mut values = values.iter();
                for row in 0..read {
                    let is_there = levels.get(row).is_none_or(|level| *level > 0);
                    // What is not there could be what is wanted.
                    if !is_there || values.next().is_some_and(&is_wanted) {
                        places.push(place);
                    }
                    place = place.saturating_add(1);
                }
            }
        }
        match (&mut self.column, wanted) {
            (Typed::Texts(column), Wanted::Texts(texts)) => {
                some(column, self.nullable, |text| texts.contains(text.data()))
            }
            (Typed::Counts(column), Wanted::Counts(counts)) => some(column, self.nullable, |one| counts.contains(one)),
            _ => Ok(Vec::new()),
        }
    }

    fn read(&mut self) -> Result<Vec<Held>, ParquetError> {
        fn some<T: DataType>(
            column: &mut ColumnReaderImpl<T>,
            (most, nullable): (usize, bool),
            held: impl Fn(T::T) -> Held,
        ) -> Result<Vec<Held>, ParquetError> {
            let (mut values, mut levels) = (Vec::new(), Vec::new());
            column.read_records(most, nullable.then_some(&mut levels), None, &mut values)?;
            let mut values = values.into_iter().map(held);
            if !nullable {
                return Ok(values.collect());
            }
            let one = |level: i16| if level > 0 { values.next().unwrap_or(Held::Null) } else { Held::Null };
            Ok(levels.into_iter().map(one).collect())
        }
        let how = (self.most, self.nullable);
        match &mut self.column {
            Typed::Texts(column) => {
                some(column, how, |text| Held::Text(String::from_utf8_lossy(text.data()).into_owned()))
            }
            Typed::Counts(column) => some(column, how, |count| Held::Count(u64::try_from(count).unwrap_or(0))),
            Typed::Seconds(column) => some(column, how, Held::Seconds),
            Typed::Flags(column) => some(column, how, Held::Flag),
        }
    }
}

/// What a column of the rows that are wanted has.
#[derive(Clone)]
pub(crate) enum Wanted {
    /// One of these texts.
    Texts(BTreeSet<Vec<u8>>),
    /// One of these numbers.
    Counts(BTreeSet<i64>),
}

/// The rows that are wanted: what a column of theirs has.
#[derive(Clone)]
pub(crate) struct Where {
    column: &'static str,
    wanted: Wanted,
    /// The bits of each text in a filter of so many bytes: the place of the block, and the block.
    bits: HashMap<usize, Vec<(u64, [u8; BLOCK])>>,
}

/// The bytes of a block of a Bloom filter: Parquet, split block Bloom filters.
const BLOCK: usize = 32;
/// The most bytes of the head of a filter: five fields of Thrift's compact protocol.
const HEAD: usize = 24;
/// The bytes of a filter that is looked into: sixteen times that of [`GROUP`] texts. Our choice.
const MAX_FILTER: usize = 1 << 22;

impl Where {
    pub(crate) fn new(column: &'static str, wanted: Wanted) -> Self {
        Self { column, wanted, bits: HashMap::new() }
    }

    /// Whether a group could have a row that is wanted. Only what says no is believed.
    fn could_be_in(&mut self, group: &RowGroupMetaData, file: &File) -> bool {
        let Some(column) = group.columns().iter().find(|column| column.column_descr().name() == self.column) else {
            return true;
        };
        match &self.wanted {
            Wanted::Counts(counts) => match column.statistics() {
                Some(Statistics::Int64(known)) => match (known.min_opt(), known.max_opt()) {
                    (Some(least), Some(most)) if least <= most => counts.range(least..=most).next().is_some(),
                    _ => true,
                },
                _ => true,
            },
            Wanted::Texts(_) => {
                let nulls = column.statistics().and_then(Statistics::null_count_opt);
                let has_all = column.column_descr().max_def_level() == 0 || nulls == Some(0);
                !has_all || self.could_be_filtered(column, file).unwrap_or(true)
            }
        }
    }

    /// Whether a filter has one of the texts. None if there is none, or one of another form. Cost: the head and a block
    /// for each text are read, not the whole.
    fn could_be_filtered(&mut self, column: &ColumnChunkMetaData, file: &File) -> Option<bool> {
        let offset = u64::try_from(column.bloom_filter_offset()?).ok()?;
        let length = usize::try_from(column.bloom_filter_length()?).ok()?;
        let head = file.get_bytes(offset, HEAD.min(length)).ok()?;
        let (bytes, head) = filter_head(&head)?;
        if length.checked_sub(head) != Some(bytes) {
            return None;
        }
        let Wanted::Texts(texts) = &self.wanted else { return None };
        let bits =
            self.bits.entry(bytes).or_insert_with(|| texts.iter().filter_map(|text| bits(text, bytes)).collect());
        if bits.len() != texts.len() {
            return None;
        }
        for (place, bits) in bits {
            let at = offset.checked_add(u64::try_from(head).ok()?)?.checked_add(*place)?;
            let block = file.get_bytes(at, BLOCK).ok()?;
            if block.iter().zip(bits).all(|(held, bit)| held & *bit == *bit) {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The number of bytes of a filter's blocks, and of its head, if it is a split block filter with xxHash, not packed.
fn filter_head(head: &[u8]) -> Option<(usize, usize)> {
    // Field 1 is a number (zigzag, seven bits a byte); 2, 3 and 4 are unions of one empty struct, their first.
    const UNIONS: [u8; 13] = [0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0];
    let rest = head.strip_prefix(&[0x15])?;
    let digits = rest.iter().take(5).position(|byte| byte & 0x80 == 0)?.checked_add(1)?;
    let number = rest.get(..digits)?.iter().rev().fold(0_u64, |sum, byte| sum << 7 | u64::from(byte & 0x7f));
    let bytes = usize::try_from(number >> 1)
        .ok()
        .filter(|bytes| number & 1 == 0 && bytes.is_power_of_two() && *bytes <= MAX_FILTER)?;
    rest.get(digits..)?.starts_with(&UNIONS).then_some(())?;
    Some((bytes, digits.checked_add(UNIONS.len())?.checked_add(1)?))
}

/// The place of the block that a text has in a filter of so many bytes, and the bits of it.
fn bits(text: &[u8], bytes: usize) -> Option<(u64, [u8; BLOCK])> {
    let (mut filter, mut out) = (Sbbf::new_with_num_of_bytes(bytes), Vec::with_capacity(bytes));
    filter.insert(text);
    filter.write_bitset(&mut out).ok().filter(|()| out.len() == bytes)?;
    let (blocks, _) = out.as_chunks::<BLOCK>();
    let place = blocks.iter().position(|block| block.iter().any(|byte| *byte > 0))?;
    Some((u64::try_from(place.checked_mul(BLOCK)?).ok()?, *blocks.get(place)?))
}

/// Reads the rows of a table: the number in front, if it has one, and the row.
pub(crate) struct Reader {
    path: PathBuf,
    file: SerializedFileReader<File>,
    bare: File,
    columns: Vec<Column>,
    wanted: Option<Where>,
    group: usize,
    left: u64,
    /// How many rows are left out before each row that is wanted.
    gaps: std::vec::IntoIter<usize>,
    cursors: Vec<Cursor>,
}

impl Reader {
    /// All rows, or those that are wanted.
    pub(crate) fn open(path: &Path, columns: Vec<Column>, wanted: Option<Where>) -> io::Result<Self> {
        let bare = File::open(path)?;
        let file = SerializedFileReader::new(bare.try_clone()?).map_err(|error| of_file(path, &failed(error)))?;
        let path = path.to_owned();
        Ok(Self {
            path,
            file,
            bare,
            columns,
            wanted,
            group: 0,
            left: 0,
            gaps: Vec::new().into_iter(),
            cursors: Vec::new(),
        })
    }

    fn next_group(&mut self) -> io::Result<bool> {
        loop {
            let number = self.group;
            if number >= self.file.num_row_groups() {
                return Ok(false);
            }
            self.group = self.group.saturating_add(1);
            let metadata = self.file.metadata().row_group(number);
            if self.wanted.as_mut().is_some_and(|wanted| !wanted.could_be_in(metadata, &self.bare)) {
                continue;
            }
            let group = self.file.get_row_group(number).map_err(failed)?;
            self.left = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
            if let Some(wanted) = &self.wanted {
                let missing = || io::Error::other(format!("has no column `{}` of a census", wanted.column));
                let column = self.columns.iter().find(|column| column.name == wanted.column).ok_or_else(missing)?;
                let places = cursor(&*group, column)?.places(&wanted.wanted).map_err(failed)?;
                let mut next = 0;
                let gap = |place: &usize| place.saturating_sub(std::mem::replace(&mut next, place.saturating_add(1)));
                self.left = u64::try_from(places.len()).unwrap_or(u64::MAX);
                self.gaps = places.iter().map(gap).collect::<Vec<_>>().into_iter();
                if places.is_empty() {
                    continue;
                }
            }
            self.cursors = self.columns.iter().map(|column| cursor(&*group, column)).collect::<io::Result<_>>()?;
            return Ok(true);
        }
    }

    /// The next row.
    pub(crate) fn next<R: Row>(&mut self, has_front: bool) -> io::Result<Option<(u64, R)>> {
        self.read(has_front).map_err(|error| of_file(&self.path, &error))
    }

    fn read<R: Row>(&mut self, has_front: bool) -> io::Result<Option<(u64, R)>> {
        while self.left == 0 {
            if !self.next_group()? {
                return Ok(None);
            }
        }
        self.left = self.left.saturating_sub(1);
        if let Some(gap) = self.gaps.next() {
            self.cursors.iter_mut().try_for_each(|cursor| cursor.skip(gap)).map_err(failed)?;
        }
        let mut failure = None;
        let mut cursors = self.cursors.iter_mut();
        let mut next = || match cursors.next()?.next() {
            Ok(held) => held,
            Err(error) => {
                failure = Some(error);
                None
            }
        };
        let front = if has_front { next() } else { Some(Held::Count(0)) };
        let row = match front {
            Some(Held::Count(front)) => R::of(&mut next).map(|row| (front, row)),
            _ => None,
        };
        match (row, failure) {
            (_, Some(error)) => Err(error),
            (Some(row), None) => Ok(Some(row)),
            (None, None) => Err(io::Error::other("its columns are not those of a census")),
        }
    }
}

/// An error with the file that it is of.
fn of_file(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", name_of(path)))
}

fn cursor(group: &dyn RowGroupReader, column: &Column) -> io::Result<Cursor> {
    let schema = group.metadata().schema_descr();
    let is_it = |found: &parquet::schema::types::ColumnDescPtr| found.name() == column.name;
    let place = schema.columns().iter().position(is_it);
    let missing = || io::Error::other(format!("has no column `{}` of a census of version {VERSION}", column.name));
    let place = place.ok_or_else(missing)?;
    let other = || {
        let other = "has another type than in a census: write whole numbers with 64 bits, and texts as strings";
        io::Error::other(format!("its column `{}` {other}", column.name))
    };
    let nullable = schema.column(place).max_def_level() > 0;
    let is_flat = schema.column(place).max_rep_level() == 0 && schema.column(place).max_def_level() <= 1;
    let column = match (column.holds, group.get_column_reader(place).map_err(failed)?) {
        _ if !is_flat => return Err(other()),
        (Type::Count, ColumnReader::Int64ColumnReader(column)) => Typed::Counts(column),
        (Type::Seconds, ColumnReader::DoubleColumnReader(column)) => Typed::Seconds(column),
        (Type::Flag, ColumnReader::BoolColumnReader(column)) => Typed::Flags(column),
        (Type::Text, ColumnReader::ByteArrayColumnReader(column)) => Typed::Texts(column),
        _ => return Err(other()),
    };
    Ok(Cursor { column, nullable, most: READ, held: Vec::new().into_iter() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::normal::{TextRow, columns};

    fn texts(wanted: &[&str]) -> Where {
        Where::new("hash", Wanted::Texts(wanted.iter().map(|text| text.as_bytes().to_vec()).collect()))
    }

    fn head(bytes: usize) -> Vec<u8> {
        let mut head = Vec::new();
        Sbbf::new_with_num_of_bytes(bytes).write(&mut head).unwrap();
        head
    }

    /// [census.index]
    #[test]
    fn groups_are_skipped_if_their_filter_says_no() {
        let path = std::env::temp_dir().join(format!("census-filter-{}.parquet", std::process::id()));
        let rows = GROUP + 1;
        for filtered in [None, Some("hash")] {
            let columns = columns::<TextRow>(false);
            let mut writer = Writer::new(File::create(&path).unwrap(), &columns, filtered).unwrap();
            for number in 0..rows {
                writer.push(None, &TextRow { hash: format!("h{number}"), text: number.to_string() }).unwrap();
            }
            writer.finish().unwrap();
            for number in [0, READ - 1, READ, GROUP - 1, GROUP] {
                let wanted = texts(&[&format!("h{number}"), "h7", "none"]);
                let mut reader = Reader::open(&path, columns.clone(), Some(wanted)).unwrap();
                let mut found = Vec::new();
                while let Some((_, row)) = reader.next::<TextRow>(false).unwrap() {
                    found.push(row.text);
                }
                let mut expected = [7, number];
                expected.sort_unstable();
                assert_eq!(found, expected.iter().map(ToString::to_string).collect::<Vec<_>>());
            }
            let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
            let file = File::open(&path).unwrap();
            let could_be = |text: &str| -> Vec<bool> {
                let groups = reader.metadata().row_groups();
                groups.iter().map(|group| texts(&[text]).could_be_in(group, &file)).collect()
            };
            let not_there = (0..200).map(|number| could_be(&format!("none{number}"))[0]);
            let wrong = not_there.filter(|could_be| *could_be).count();
            assert!(if filtered.is_some() { wrong <= 3 } else { wrong == 200 }, "{wrong}");
            assert_eq!(could_be("h0"), [true, filtered.is_none()]);
            assert!(could_be(&format!("h{GROUP}"))[1]);
        }
        std::fs::remove_file(path).unwrap();
    }

    /// [census.index]
    #[test]
    fn a_filter_of_another_form_is_not_believed() {
        for bytes in [32, 64, 1 << 18, MAX_FILTER / 2, MAX_FILTER] {
            let head = head(bytes);
            assert_eq!(filter_head(&head), Some((bytes, head.len() - bytes)));
            let (place, block) = bits(b"a", bytes).unwrap();
            let mut filter = Sbbf::new_with_num_of_bytes(bytes);
            filter.insert("a");
            let mut out = Vec::new();
            filter.write_bitset(&mut out).unwrap();
            let place = usize::try_from(place).unwrap();
            assert_eq!(out[place..place + BLOCK], block);
        }
        assert_eq!(filter_head(&head(MAX_FILTER * 2)), None);
        let good = head(32);
        let good = &good[..good.len() - 32];
        for at in 0..good.len() {
            let mut bad = good.to_vec();
            bad[at] ^= 0x43;
            assert_eq!(filter_head(&bad), None, "{at}");
            assert_eq!(filter_head(&good[..at]), None, "{at}");
        }
    }
}
