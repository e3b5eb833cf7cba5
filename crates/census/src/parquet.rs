//! Tables as Parquet.
//!
//! Invariant: the columns are those of the [`Row`], with one more in front where rows of several tables belong together.
//! Memory holds one group of rows.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type as Node};

use crate::cells::{Cell, Held};
use crate::columns::{Column, Type};
use crate::normal::{Row, VERSION};

/// The number of rows in a group. Our choice: some 50 MB of memory, and readers skip by groups.
const GROUP: usize = 1 << 17;
/// The number of rows that are read at once. Our choice.
const READ: usize = 1 << 12;

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => io::Error::other(error.to_string()),
        error => io::Error::other(error.to_string()),
    }
}

/// The values of a column that are not written yet.
enum Values {
    Texts(Vec<ByteArray>),
    Counts(Vec<i64>),
    Seconds(Vec<f64>),
    Flags(Vec<bool>),
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
            _ => Values::Texts(Vec::new()),
        };
        Self { values, levels: Vec::new(), nullable: column.nullable }
    }

    fn push(&mut self, cell: Cell<'_>) {
        if self.nullable {
            self.levels.push(i16::from(!matches!(cell, Cell::Null)));
        }
        match (&mut self.values, cell) {
            (Values::Texts(all), Cell::Text(text)) => all.push(ByteArray::from(text)),
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
            Values::Texts(all) => put::<ByteArrayType>(column, all, levels)?,
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
    pub(crate) fn new(file: File, columns: &[Column]) -> io::Result<Self> {
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

    fn read(&mut self) -> Result<Vec<Held>, ParquetError> {
        fn some<T: DataType>(
            column: &mut ColumnReaderImpl<T>,
            nullable: bool,
            held: impl Fn(T::T) -> Held,
        ) -> Result<Vec<Held>, ParquetError> {
            let (mut values, mut levels) = (Vec::new(), Vec::new());
            column.read_records(READ, nullable.then_some(&mut levels), None, &mut values)?;
            let mut values = values.into_iter().map(held);
            if !nullable {
                return Ok(values.collect());
            }
            let one = |level: i16| if level > 0 { values.next().unwrap_or(Held::Null) } else { Held::Null };
            Ok(levels.into_iter().map(one).collect())
        }
        let nullable = self.nullable;
        match &mut self.column {
            Typed::Texts(column) => {
                some(column, nullable, |text| Held::Text(String::from_utf8_lossy(text.data()).into_owned()))
            }
            Typed::Counts(column) => some(column, nullable, |count| Held::Count(u64::try_from(count).unwrap_or(0))),
            Typed::Seconds(column) => some(column, nullable, Held::Seconds),
            Typed::Flags(column) => some(column, nullable, Held::Flag),
        }
    }
}

/// Reads the rows of a table: the number in front, if it has one, and the row.
pub(crate) struct Reader {
    file: SerializedFileReader<File>,
    columns: Vec<Column>,
    group: usize,
    left: u64,
    cursors: Vec<Cursor>,
}

impl Reader {
    pub(crate) fn open(path: &Path, columns: Vec<Column>) -> io::Result<Self> {
        let file = SerializedFileReader::new(File::open(path)?).map_err(failed)?;
        Ok(Self { file, columns, group: 0, left: 0, cursors: Vec::new() })
    }

    fn next_group(&mut self) -> io::Result<bool> {
        if self.group >= self.file.num_row_groups() {
            return Ok(false);
        }
        let group = self.file.get_row_group(self.group).map_err(failed)?;
        self.group = self.group.saturating_add(1);
        self.left = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
        self.cursors = self.columns.iter().map(|column| cursor(&*group, column)).collect::<io::Result<_>>()?;
        Ok(true)
    }

    pub(crate) fn next<R: Row>(&mut self, has_front: bool) -> io::Result<Option<(u64, R)>> {
        while self.left == 0 {
            if !self.next_group()? {
                return Ok(None);
            }
        }
        self.left = self.left.saturating_sub(1);
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

fn cursor(group: &dyn RowGroupReader, column: &Column) -> io::Result<Cursor> {
    let schema = group.metadata().schema_descr();
    let is_it = |found: &parquet::schema::types::ColumnDescPtr| found.name() == column.name;
    let place = schema.columns().iter().position(is_it);
    let missing = || io::Error::other(format!("has no column `{}` of a census of version {VERSION}", column.name));
    let place = place.ok_or_else(missing)?;
    let nullable = schema.column(place).max_def_level() > 0;
    let is_flat = schema.column(place).max_rep_level() == 0 && schema.column(place).max_def_level() <= 1;
    let column = match (column.holds, group.get_column_reader(place).map_err(failed)?) {
        _ if !is_flat => return Err(missing()),
        (Type::Count, ColumnReader::Int64ColumnReader(column)) => Typed::Counts(column),
        (Type::Seconds, ColumnReader::DoubleColumnReader(column)) => Typed::Seconds(column),
        (Type::Flag, ColumnReader::BoolColumnReader(column)) => Typed::Flags(column),
        (Type::Text, ColumnReader::ByteArrayColumnReader(column)) => Typed::Texts(column),
        _ => return Err(missing()),
    };
    Ok(Cursor { column, nullable, held: Vec::new().into_iter() })
}
