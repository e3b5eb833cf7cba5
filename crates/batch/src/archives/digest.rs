//! Compares the bytes of an archive's record with the digest that the archive has of them.
//!
//! Invariant: only bytes that are whole are compared. A digest that is in no known form does not hold.

use data_encoding::{BASE32_NOPAD_NOCASE, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

use super::http;
use super::warc::{Kind, Record};

const WRONG_BLOCK: &str = "its bytes are not those of its WARC-Block-Digest: the archive is damaged here";
const WRONG_PAYLOAD: &str = "its bytes are not those of its WARC-Payload-Digest: the archive is damaged here";

/// Checks the digests of a record's block, or if it has none that can be checked, those of its payload. All that it has
/// must hold.
pub(super) fn check(record: &Record) -> Result<(), &'static str> {
    if record.is_cut || record.is_short {
        return Ok(());
    }
    let mut of_block = Digest::in_fields(record, "WARC-Block-Digest").peekable();
    if of_block.peek().is_some() {
        return if of_block.all(|digest| digest.is_of(&record.block)) { Ok(()) } else { Err(WRONG_BLOCK) };
    }
    let is_part = ["WARC-Truncated", "WARC-Segment-Number"].iter().any(|name| record.head.field(name).is_some());
    let holds = is_part
        || Digest::in_fields(record, "WARC-Payload-Digest").all(|digest| match record.kind {
            Kind::Response => http::payloads(&record.block, |payload| digest.is_of(payload)).unwrap_or(true),
            _ => digest.is_of(&record.block),
        });
    if holds { Ok(()) } else { Err(WRONG_PAYLOAD) }
}

type Hash = fn(&[u8]) -> Vec<u8>;

/// The known algorithms by their names.
const ALGORITHMS: [([&[u8]; 2], Hash); 4] = [
    ([b"md5", b"md-5"], |bytes| Md5::digest(bytes).to_vec()),
    ([b"sha1", b"sha-1"], |bytes| Sha1::digest(bytes).to_vec()),
    ([b"sha256", b"sha-256"], |bytes| Sha256::digest(bytes).to_vec()),
    ([b"sha512", b"sha-512"], |bytes| Sha512::digest(bytes).to_vec()),
];

/// A digest of a known algorithm.
struct Digest<'r> {
    /// None if the name is missing, so the digest is in none of the forms.
    hash: Option<Hash>,
    value: &'r [u8],
}

impl<'r> Digest<'r> {
    /// The digests in the fields of this name.
    fn in_fields(record: &'r Record, name: &str) -> impl Iterator<Item = Self> {
        record.head.fields(name).filter_map(Self::of)
    }

    /// The digest in a field: `algorithm:value`.
    fn of(field: &'r [u8]) -> Option<Self> {
        let (label, value) = field.split_at_checked(memchr::memchr(b':', field).unwrap_or(0))?;
        let mut known =
            ALGORITHMS.iter().filter(|(names, _)| names.iter().any(|name| label.eq_ignore_ascii_case(name)));
        let hash = if label.is_empty() { None } else { Some(known.next()?.1) };
        Some(Self { hash, value: value.get(1..).unwrap_or_default().trim_ascii() })
    }

    fn is_of(&self, bytes: &[u8]) -> bool {
        self.hash.is_some_and(|hash| self.is(&hash(bytes)))
    }

    /// Whether the value has these bytes, in any of the forms. No two forms of a digest have the same length.
    fn is(&self, digest: &[u8]) -> bool {
        let pads = self.value.iter().rev().take_while(|&&byte| byte == b'=').count();
        let value = self.value.get(..self.value.len().saturating_sub(pads)).unwrap_or_default();
        [HEXLOWER_PERMISSIVE, BASE32_NOPAD_NOCASE, BASE64_NOPAD, BASE64URL_NOPAD]
            .iter()
            .filter(|form| form.encode_len(digest.len()) == value.len())
            .any(|form| form.decode(value).is_ok_and(|bytes| bytes == digest))
    }
}
