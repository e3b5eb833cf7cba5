//! A site record as a row, and back.
//!
//! Invariant: a row has a checksum of all its values. A row that was damaged or changed by hand is not a site record.

use std::sync::Arc;

use robosieve::verdict::SiteAccess;
use rusqlite::Row;
use rusqlite::types::{FromSql, Value, ValueRef};

use super::connection::millis;
use crate::decide::policy::{Class, Ruling};
use crate::decide::site::{Attempted, SiteRecord, Snapshot};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::retrieval::Outcome;
use crate::retrieve::validators::Validators;
use crate::store_error::StoreError;

/// Times are milliseconds since 1970, UTC. The view shows them as text, for people. `attempts` is JSON. `raw` has the
/// bytes of the file as it came, if they are kept. `checksum` is the CRC-32 of the other values.
pub(super) const TABLE: &str = "
CREATE TABLE site_record (
  origin        TEXT NOT NULL,
  reader        TEXT NOT NULL,
  attempted     INTEGER,
  outcome       TEXT,
  status        INTEGER,
  class         TEXT,
  has_errors    INTEGER,
  verdict       TEXT,
  failures      INTEGER NOT NULL,
  failing_since INTEGER,
  next_attempt  INTEGER NOT NULL,
  access        TEXT,
  access_status INTEGER,
  text          TEXT,
  report        TEXT,
  retrieved     INTEGER,
  good_until    INTEGER,
  etag          TEXT,
  last_modified TEXT,
  raw           BLOB,
  attempts      TEXT NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (origin, reader)
);
CREATE VIEW site AS SELECT
  origin, reader, status, outcome, verdict, failures,
  strftime('%Y-%m-%dT%H:%M:%SZ', attempted / 1000, 'unixepoch') AS last_attempt,
  strftime('%Y-%m-%dT%H:%M:%SZ', next_attempt / 1000, 'unixepoch') AS next_attempt,
  access, text, report,
  strftime('%Y-%m-%dT%H:%M:%SZ', retrieved / 1000, 'unixepoch') AS retrieved,
  strftime('%Y-%m-%dT%H:%M:%SZ', good_until / 1000, 'unixepoch') AS good_until,
  attempts
FROM site_record;
";

macro_rules! columns {
    () => {
        "origin, reader, attempted, outcome, status, class, has_errors, verdict, failures, failing_since, next_attempt, \
         access, access_status, text, report, retrieved, good_until, etag, last_modified, raw, attempts, checksum"
    };
}

pub(super) const GET: &str = concat!("SELECT ", columns!(), " FROM site_record WHERE origin = ?1 AND reader = ?2");
pub(super) const PUT: &str = concat!(
    "INSERT OR REPLACE INTO site_record (",
    columns!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)"
);
pub(super) const ALL: &str = concat!("SELECT ", columns!(), " FROM site_record ORDER BY origin, reader");

/// The place of the checksum.
const CHECKSUM: usize = 21;

/// The values of a row, in the order of the columns.
pub(super) fn values(origin: &Origin, reader: &str, record: &SiteRecord) -> Vec<Value> {
    let (last, kept) = (record.last.as_ref(), record.snapshot.as_ref());
    let moment = |moment: Moment| Value::from(millis(moment));
    let text = |text: &str| Value::from(text.to_owned());
    let status = |status: Option<u16>| Value::from(status.map(i64::from));
    let held = kept.map(|kept| &kept.validators);
    let mut values = vec![
        text(&origin.to_string()),
        text(reader),
        last.map_or(Value::Null, |last| moment(last.at)),
        last.map_or(Value::Null, |last| text(outcome_name(last.outcome))),
        status(last.and_then(|last| last.status)),
        last.map_or(Value::Null, |last| text(last.class.as_str())),
        last.map_or(Value::Null, |last| last.has_errors.into()),
        last.map_or(Value::Null, |last| text(last.ruling.as_str())),
        i64::from(record.failures).into(),
        record.failing_since.map_or(Value::Null, moment),
        moment(record.next_attempt),
        kept.map_or(Value::Null, |kept| text(Ruling::Known(kept.access).as_str())),
        status(kept.and_then(|kept| kept.status)),
        kept.map_or(Value::Null, |kept| text(&kept.text)),
        kept.map_or(Value::Null, |kept| text(&kept.report)),
        kept.map_or(Value::Null, |kept| moment(kept.at)),
        kept.map_or(Value::Null, |kept| moment(kept.good_until)),
        held.and_then(Validators::etag).map_or(Value::Null, text),
        held.and_then(Validators::last_modified).map_or(Value::Null, text),
        kept.and_then(|kept| kept.raw.as_deref()).map_or(Value::Null, |raw| raw.to_vec().into()),
        serde_json::to_string(&record.attempts).unwrap_or_else(|_| "[]".into()).into(),
    ];
    values.push(checksum(values.iter().map(ValueRef::from)).into());
    values
}

/// The CRC-32 of values. It notices each change of one byte.
fn checksum<'v>(values: impl Iterator<Item = ValueRef<'v>>) -> i64 {
    let mut sum = crc32fast::Hasher::new();
    let mut add = |kind: u8, bytes: &[u8]| {
        sum.update(&[kind]);
        sum.update(&bytes.len().to_le_bytes());
        sum.update(bytes);
    };
    for value in values {
        match value {
            ValueRef::Null => add(0, &[0; 8]),
            ValueRef::Integer(number) => add(1, &number.to_le_bytes()),
            ValueRef::Real(number) => add(2, &number.to_le_bytes()),
            ValueRef::Text(bytes) => add(3, bytes),
            ValueRef::Blob(bytes) => add(4, bytes),
        }
    }
    i64::from(sum.finalize())
}

/// The columns of a row, with their names for error messages.
struct Columns<'r, 'c>(&'r Row<'c>);

impl Columns<'_, '_> {
    fn wrong(&self, column: &'static str) -> StoreError {
        let origin = self.0.get_ref("origin").ok().and_then(|value| value.as_bytes().ok());
        let origin = origin.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        StoreError::Row { origin: origin.unwrap_or_default(), column }
    }

    fn get<T: FromSql>(&self, column: &'static str, at: usize) -> Result<T, StoreError> {
        self.0.get(at).map_err(|_| self.wrong(column))
    }

    fn moment(&self, column: &'static str, at: usize) -> Result<Option<Moment>, StoreError> {
        let millis: Option<i64> = self.get(column, at)?;
        let moment = |millis| u64::try_from(millis).map(Moment::from_millis).map_err(|_| self.wrong(column));
        millis.map(moment).transpose()
    }

    fn named<T>(&self, column: &'static str, at: usize, of: fn(&str) -> Option<T>) -> Result<T, StoreError> {
        let name: String = self.get(column, at)?;
        of(&name).ok_or_else(|| self.wrong(column))
    }

    fn expect_checksum(&self) -> Result<(), StoreError> {
        let values: Vec<_> = (0..CHECKSUM).filter_map(|at| self.0.get_ref(at).ok()).collect();
        let found: i64 = self.get("checksum", CHECKSUM)?;
        if found == checksum(values.into_iter()) { Ok(()) } else { Err(self.wrong("checksum")) }
    }
}

/// The site record of a row.
pub(super) fn record(row: &Row<'_>) -> Result<SiteRecord, StoreError> {
    Columns(row).expect_checksum()?;
    unchecked(row)
}

/// The same, of a row without a checksum.
pub(super) fn unchecked(row: &Row<'_>) -> Result<SiteRecord, StoreError> {
    let row = Columns(row);
    let last = match row.moment("attempted", 2)? {
        None => None,
        Some(at) => Some(Attempted {
            at,
            outcome: row.named("outcome", 3, outcome_of)?,
            status: row.get("status", 4)?,
            class: row.named("class", 5, Class::of_name)?,
            has_errors: row.get("has_errors", 6)?,
            ruling: row.named("verdict", 7, Ruling::of_name)?,
        }),
    };
    let snapshot = match row.moment("retrieved", 15)? {
        None => None,
        Some(at) => Some(Snapshot {
            access: row.named("access", 11, access_of)?,
            status: row.get("access_status", 12)?,
            text: row.get::<Arc<str>>("text", 13)?,
            report: row.get::<Arc<str>>("report", 14)?,
            at,
            good_until: row.moment("good_until", 16)?.ok_or_else(|| row.wrong("good_until"))?,
            validators: Validators::new(
                row.get::<Option<String>>("etag", 17)?.as_deref(),
                row.get::<Option<String>>("last_modified", 18)?.as_deref(),
            ),
            raw: row.get::<Option<Vec<u8>>>("raw", 19)?.map(Arc::from),
        }),
    };
    Ok(SiteRecord {
        snapshot,
        last,
        failures: row.get("failures", 8)?,
        failing_since: row.moment("failing_since", 9)?,
        next_attempt: row.moment("next_attempt", 10)?.ok_or_else(|| row.wrong("next_attempt"))?,
        attempts: row.named("attempts", 20, |json| serde_json::from_str(json).ok())?,
    })
}

fn access_of(name: &str) -> Option<SiteAccess> {
    match Ruling::of_name(name)? {
        Ruling::Known(access) => Some(access),
        Ruling::KeepCopy | Ruling::Unreachable | Ruling::NotNow => None,
    }
}

const OUTCOMES: [(Outcome, &str); 7] = [
    (Outcome::Rules, "rules"),
    (Outcome::NoRules, "no-rules"),
    (Outcome::Unavailable, "unavailable"),
    (Outcome::Unreachable, "unreachable"),
    (Outcome::Truncated, "truncated"),
    (Outcome::Unchanged, "unchanged"),
    (Outcome::NotAsked, "not-asked"),
];

fn outcome_name(outcome: Outcome) -> &'static str {
    OUTCOMES.iter().find(|entry| entry.0 == outcome).map_or("unreachable", |entry| entry.1)
}

fn outcome_of(name: &str) -> Option<Outcome> {
    OUTCOMES.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
}
