//! How much of a page is read.
//!
//! Invariant: each limit is applied while reading, before anything is kept. What a limit cuts is reported, and then
//! nothing is granted.

/// The limits of [`Page`](crate::Page). What is over one of them is not read.
///
/// ```
/// use robosieve_signals::{Limits, Page};
/// let page = Page::new("/a").header("X-Robots-Tag", "index").header("X-Robots-Tag", "noindex");
/// let page = page.limits(Limits { max_headers: 1, ..Limits::DEFAULT });
/// assert!(page.signals().is_cut());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The header lines that are looked at, if they are given one by one.
    pub max_lines: usize,
    /// The header lines that count, by their number. Others are free.
    pub max_headers: usize,
    /// The bytes of the values of these lines, together.
    pub max_header_bytes: usize,
    /// The bytes of a head that is given as text.
    pub max_head_bytes: usize,
    /// The bytes of the HTML, from its start.
    pub max_html_bytes: usize,
    /// The bytes of `tdmrep.json`. A longer file is not read.
    pub max_tdmrep_bytes: usize,
    /// What is kept of all sources: statements, and licences.
    pub max_statements: usize,
    /// The findings that are listed. The others are counted.
    pub max_findings: usize,
}

impl Limits {
    /// The default: 10,000 lines, 200 that count, 64 KiB of values, 512 KiB of a head, of HTML and of
    /// `tdmrep.json`, 1,000 statements, 100 findings.
    pub const DEFAULT: Self = Self {
        max_lines: 10_000,
        max_headers: 200,
        max_header_bytes: 64 << 10,
        max_head_bytes: 512 << 10,
        max_html_bytes: 512 << 10,
        max_tdmrep_bytes: 512 << 10,
        max_statements: 1_000,
        max_findings: 100,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
