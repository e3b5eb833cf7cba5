//! What the status of the response says before a single rule is read.
//!
//! Invariant: a status is rules, an open site or a closed one; only a successful answer has rules. Redirects are to be
//! followed before this is asked. Retrieval as a whole (retries, caches, what to do while a site is down) is not decided here.

/// What holds for a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Access {
    /// What the file says.
    #[default]
    Rules,
    /// Everything may be fetched.
    AllowAll,
    /// Nothing may be fetched.
    DisallowAll,
}

/// What 401 Unauthorized and 403 Forbidden mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Forbidden {
    /// There are no rules, as for every other 4xx (RFC 9309 2.3.1.3).
    #[default]
    Allow,
    /// The site is closed (the 1996 draft; PROCESSOR unless `ignoreForbidden`).
    Disallow,
}

impl Access {
    /// What a status means: 2xx rules, 3xx that could not be followed and 4xx an open site, all else a closed one
    /// (RFC 9309 2.3.1).
    ///
    /// ```
    /// use robosieve::{Access, Forbidden};
    /// assert_eq!(Access::of_status(200, Forbidden::Allow), Access::Rules);
    /// assert_eq!(Access::of_status(404, Forbidden::Allow), Access::AllowAll);
    /// assert_eq!(Access::of_status(403, Forbidden::Disallow), Access::DisallowAll);
    /// assert_eq!(Access::of_status(503, Forbidden::Allow), Access::DisallowAll);
    /// ```
    #[must_use]
    pub const fn of_status(status: u16, forbidden: Forbidden) -> Self {
        match (status, forbidden) {
            (200..=299, _) => Self::Rules,
            (401 | 403, Forbidden::Disallow) => Self::DisallowAll,
            (300..=499, _) => Self::AllowAll,
            _ => Self::DisallowAll,
        }
    }
}
