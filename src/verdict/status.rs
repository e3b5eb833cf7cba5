//! What the status of the response says before a single rule is read.
//!
//! Invariant: a status is rules, an open site or a closed one; only a successful answer has rules. Redirects are to be
//! followed first; [`Redirected`] says what one means that could not be followed. Retrieval as a whole (retries, caches, what to do while a site is down) is not decided here.

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

/// What a redirect means that could not be followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Redirected {
    /// There are no rules (RFC 9309 2.3.1.2).
    #[default]
    Allow,
    /// The site is closed (PROCESSOR: only a missing file opens a site).
    Disallow,
}

/// What the statuses mean that the sources read in different ways; the default is the standard's reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Statuses {
    /// 401 and 403.
    pub forbidden: Forbidden,
    /// 3xx.
    pub redirected: Redirected,
}

impl Access {
    /// What a status means: 2xx rules, 3xx that could not be followed and 4xx an open site, all else a closed one
    /// (RFC 9309 2.3.1), as far as these choices do not close it.
    ///
    /// ```
    /// use robosieve::Dialect;
    /// use robosieve::verdict::{Access, Statuses};
    /// let standard = Statuses::default();
    /// assert_eq!(Access::of_status(200, standard), Access::Rules);
    /// assert_eq!(Access::of_status(404, standard), Access::AllowAll);
    /// assert_eq!(Access::of_status(503, standard), Access::DisallowAll);
    /// let processor = Dialect::Processor.statuses();
    /// assert_eq!(Access::of_status(403, processor), Access::DisallowAll);
    /// assert_eq!(Access::of_status(301, processor), Access::DisallowAll);
    /// ```
    #[must_use]
    pub const fn of_status(status: u16, statuses: Statuses) -> Self {
        match (status, statuses.forbidden, statuses.redirected) {
            (200..=299, ..) => Self::Rules,
            (401 | 403, Forbidden::Disallow, _) | (300..=399, _, Redirected::Disallow) => Self::DisallowAll,
            (300..=499, ..) => Self::AllowAll,
            _ => Self::DisallowAll,
        }
    }
}
