//! What identifies a version of a file: `ETag` and `Last-Modified`.
//!
//! Invariant: each is printable ASCII and short, and has the form that its header must have. So it can be sent back as
//! it is.

/// The longest `ETag` that is kept, in bytes. Our choice: those of real servers have fewer than 100.
const MAX_TAG: usize = 512;

/// What identifies a version of a file, for a conditional request.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "Unchecked")]
#[must_use]
pub struct Validators {
    etag: Option<String>,
    last_modified: Option<String>,
}

/// The same, of a store that anybody may have written.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Unchecked {
    etag: Option<String>,
    last_modified: Option<String>,
}

impl From<Unchecked> for Validators {
    fn from(found: Unchecked) -> Self {
        Self::new(found.etag.as_deref(), found.last_modified.as_deref())
    }
}

impl Validators {
    /// Takes the values of `ETag` and `Last-Modified`. A value that is not valid counts as missing.
    pub fn new(etag: Option<&str>, last_modified: Option<&str>) -> Self {
        let is_date = |value: &&str| value.len() < 64 && httpdate::parse_http_date(value).is_ok();
        Self {
            etag: etag.filter(|value| is_tag(value)).map(str::to_owned),
            last_modified: last_modified.filter(is_date).map(str::to_owned),
        }
    }

    /// The `ETag`, for `If-None-Match`.
    pub fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }

    /// The `Last-Modified`, for `If-Modified-Since`.
    pub fn last_modified(&self) -> Option<&str> {
        self.last_modified.as_deref()
    }

    /// The header lines that make a request conditional: names and values.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let lines = [("If-None-Match", self.etag()), ("If-Modified-Since", self.last_modified())];
        lines.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }

    /// Whether there is nothing to make a conditional request with.
    pub const fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }

    /// These, or the others if these are empty.
    pub fn or(self, others: &Self) -> Self {
        if self.is_empty() { others.clone() } else { self }
    }
}

/// Whether a value is an entity tag (RFC 9110 8.8.3), in ASCII.
fn is_tag(value: &str) -> bool {
    let opaque = value.strip_prefix("W/").unwrap_or(value);
    let inner = opaque.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    value.len() <= MAX_TAG && inner.is_some_and(|inner| inner.bytes().all(|byte| matches!(byte, b'!' | b'#'..=b'~')))
}
