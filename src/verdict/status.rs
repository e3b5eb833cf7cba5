//! What the status of the response says before a single rule is read.
//!
//! Invariant: a status is rules, an open site or a closed one; only a successful answer has rules. Redirects are to be
//! followed first; [`StatusPolicy::redirected`] says what one means that could not be followed. Retrieval as a whole
//! (retries, caches, what to do while a site is down) is not decided here.

use crate::choice::names;

/// What holds for a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum SiteAccess {
    /// What the file says.
    #[default]
    Rules,
    /// Everything may be fetched.
    AllowAll,
    /// Nothing may be fetched.
    DisallowAll,
}

/// What a status means that the sources read in different ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StatusMeaning {
    /// There are no rules: everything may be fetched.
    #[default]
    Allow,
    /// The site is closed: nothing may be fetched.
    Disallow,
}

names!(StatusMeaning, "a meaning of a status", { Allow => "allow", Disallow => "disallow" });

/// What the statuses mean that the sources read in different ways; the default is the standard's reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct StatusPolicy {
    /// 401 Unauthorized and 403 Forbidden. Allow: as every other 4xx (RFC 9309 2.3.1.3). Disallow: as in the 1996 draft,
    /// and PROCESSOR unless `ignoreForbidden`.
    pub forbidden: StatusMeaning,
    /// A redirect (3xx) that could not be followed. Allow: RFC 9309 2.3.1.2. Disallow: PROCESSOR, where only a missing
    /// file opens a site.
    pub redirected: StatusMeaning,
}

impl SiteAccess {
    /// What a status means: 2xx rules, 3xx that could not be followed and 4xx an open site, all else a closed one
    /// (RFC 9309 2.3.1), as far as these choices do not close it.
    ///
    /// ```
    /// use robosieve::settings::Dialect;
    /// use robosieve::verdict::{SiteAccess, StatusPolicy};
    /// let standard = StatusPolicy::default();
    /// assert_eq!(SiteAccess::of_status(200, standard), SiteAccess::Rules);
    /// assert_eq!(SiteAccess::of_status(404, standard), SiteAccess::AllowAll);
    /// assert_eq!(SiteAccess::of_status(503, standard), SiteAccess::DisallowAll);
    /// let processor = Dialect::Processor.statuses();
    /// assert_eq!(SiteAccess::of_status(403, processor), SiteAccess::DisallowAll);
    /// assert_eq!(SiteAccess::of_status(301, processor), SiteAccess::DisallowAll);
    /// ```
    #[must_use]
    pub const fn of_status(status: u16, policy: StatusPolicy) -> Self {
        match (status, policy.forbidden, policy.redirected) {
            (200..=299, ..) => Self::Rules,
            (401 | 403, StatusMeaning::Disallow, _) | (300..=399, _, StatusMeaning::Disallow) => Self::DisallowAll,
            (300..=499, ..) => Self::AllowAll,
            _ => Self::DisallowAll,
        }
    }
}
