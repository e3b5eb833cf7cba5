//! A site record as a value, and back.
//!
//! Invariant: a value has a checksum of itself and its key. One that was damaged, or moved to another key, is not a
//! site record.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::decide::site::SiteRecord;
use crate::origin::Origin;
use crate::store_error::StoreError;

/// The most bytes of a value, packed and unpacked: 16 MiB.
pub(super) const MAX_VALUE: usize = 16 << 20;

/// JSON, packed, after its checksum.
pub(super) fn bytes(origin: &Origin, reader: &str, record: &SiteRecord) -> Result<Vec<u8>, StoreError> {
    let failed = |why: String| StoreError::Failed(why);
    let json = serde_json::to_vec(record).map_err(|error| failed(error.to_string()))?;
    if json.len() > MAX_VALUE {
        return Err(failed("the record is longer than a value may be".into()));
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&json).map_err(|error| failed(error.to_string()))?;
    let packed = packed.finish().map_err(|error| failed(error.to_string()))?;
    Ok([&checksum(origin, reader, &packed), packed.as_slice()].concat())
}

/// The record, if the value is one of this key.
pub(super) fn record(origin: &Origin, reader: &str, bytes: &[u8]) -> Option<SiteRecord> {
    let (sum, packed) = bytes.split_first_chunk::<4>()?;
    if *sum != checksum(origin, reader, packed) {
        return None;
    }
    let mut json = Vec::new();
    let most = u64::try_from(MAX_VALUE).ok()?.saturating_add(1);
    ZlibDecoder::new(packed).take(most).read_to_end(&mut json).ok()?;
    if json.len() > MAX_VALUE { None } else { serde_json::from_slice(&json).ok() }
}

fn checksum(origin: &Origin, reader: &str, packed: &[u8]) -> [u8; 4] {
    let mut sum = crc32fast::Hasher::new();
    for part in [origin.to_string().as_bytes(), b"\0", reader.as_bytes(), b"\0", packed] {
        sum.update(part);
    }
    sum.finalize().to_be_bytes()
}
