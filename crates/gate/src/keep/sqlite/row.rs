//! A site record as a row, and back.
//!
//! Invariant: a row that was damaged or changed by hand is not a site record.

use rusqlite::Row;
use rusqlite::types::Value;

use super::connection::{failed, millis};
use crate::decide::site::SiteRecord;
use crate::keep::text;
use crate::origin::Origin;
use crate::store_error::StoreError;

/// `record` is JSON, `attempted` is the time of its last attempt. Times are milliseconds since 1970, UTC. The view shows
/// them as text, for people; a record that is not JSON has no values there.
pub(super) const TABLE: &str = "
CREATE TABLE site_record (
  origin    TEXT NOT NULL,
  reader    TEXT NOT NULL,
  attempted INTEGER NOT NULL,
  record    TEXT NOT NULL,
  checksum  INTEGER NOT NULL,
  PRIMARY KEY (origin, reader)
);
CREATE VIEW site AS SELECT
  origin, reader,
  json_extract(record, '$.last.status') AS status,
  json_extract(record, '$.last.outcome') AS outcome,
  json_extract(record, '$.last.ruling') AS verdict,
  json_extract(record, '$.failures') AS failures,
  strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(record, '$.last.at') / 1000, 'unixepoch') AS last_attempt,
  strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(record, '$.next_attempt') / 1000, 'unixepoch') AS next_attempt,
  json_extract(record, '$.snapshot.access') AS access,
  json_extract(record, '$.snapshot.text') AS text,
  json_extract(record, '$.snapshot.report') AS report,
  strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(record, '$.snapshot.at') / 1000, 'unixepoch') AS retrieved,
  strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(record, '$.snapshot.good_until') / 1000, 'unixepoch') AS good_until,
  json_extract(record, '$.attempts') AS attempts
FROM (SELECT origin, reader, CASE WHEN json_valid(record) THEN record ELSE '{}' END AS record FROM site_record);
";

pub(super) const GET: &str =
    "SELECT origin, reader, attempted, record, checksum FROM site_record WHERE origin = ?1 AND reader = ?2";
pub(super) const PUT: &str =
    "INSERT OR REPLACE INTO site_record (origin, reader, attempted, record, checksum) VALUES (?1, ?2, ?3, ?4, ?5)";
pub(super) const ALL: &str =
    "SELECT origin, reader, attempted, record, checksum FROM site_record ORDER BY origin, reader";

/// The values of a row, in the order of the columns.
pub(super) fn values(origin: &Origin, reader: &str, record: &SiteRecord) -> Result<[Value; 5], StoreError> {
    let (origin, json) = (origin.to_string(), text::of_record(record)?);
    let checksum = text::checksum(&origin, reader, json.as_bytes());
    Ok([origin.into(), reader.to_owned().into(), attempted(record).into(), json.into(), checksum.into()])
}

fn attempted(record: &SiteRecord) -> i64 {
    record.last.as_ref().map_or(0, |last| millis(last.at))
}

/// The site record of a row, with its key.
pub(super) fn record(row: &Row<'_>) -> Result<(Origin, String, SiteRecord), StoreError> {
    let text = |at: usize| row.get_ref(at).ok().and_then(|value| value.as_bytes().ok()).unwrap_or_default();
    let name = String::from_utf8_lossy(text(0)).into_owned();
    let wrong = |column| StoreError::Row { origin: name.clone(), column };
    let reader: String = row.get(1).map_err(|error| failed(&error))?;
    let is_sum = row.get(4).is_ok_and(|sum: u32| sum == text::checksum(&name, &reader, text(3)));
    let record = text::record(text(3)).filter(|_| is_sum).ok_or_else(|| wrong("checksum"))?;
    if row.get(2) != Ok(attempted(&record)) {
        return Err(wrong("attempted"));
    }
    Ok((Origin::of(&name).map_err(|_| wrong("origin"))?, reader, record))
}
