//! How paths are normalised.
//!
//! Invariant: rules and URLs that are compared have the same form.

/// How the bytes of paths are normalised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum PathEncoding {
    /// As RFC 9309 2.2.2: bytes that a URL cannot contain are encoded, encoded unreserved bytes are decoded, hex digits
    /// are in upper case.
    #[default]
    Standard,
    /// As Google's parser: only in rules, bytes of 0x80 and above are encoded and hex digits put in upper case. A URL
    /// stays as it is.
    Google,
}

/// How the values of Allow and Disallow, and the paths of URLs, are normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PathForm {
    /// How bytes are normalised.
    pub encoding: PathEncoding,
    /// Whether a slash is added to a path that begins with none of `/`, `*` and `$` (PROCESSOR
    /// `complementLeadingSlash`).
    pub complement_leading_slash: bool,
    /// Whether `%2A` counts as a wildcard against `max_wildcards`, because some testers read it as one (PROCESSOR
    /// `escapedWildcard` of the filter).
    pub escaped_wildcard: bool,
    /// Whether `%2A` in a rule becomes a wildcard (PROCESSOR `escapedWildcard` of the tester). Has no effect in
    /// Google's encoding.
    pub decode_wildcard: bool,
}

impl Default for PathForm {
    fn default() -> Self {
        Self {
            encoding: PathEncoding::Standard,
            complement_leading_slash: true,
            escaped_wildcard: true,
            decode_wildcard: false,
        }
    }
}
