//! The robots.txt files of an archive, for the pages after them.
//!
//! Invariant: what a page is joined with depends on the records before it, so a run that reads an archive again from its
//! beginning joins the same. At most [`MAX_BYTES`] are kept, and the oldest file goes first.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use super::joins::Joins;
use super::outcome::Outcome;
use super::record::Record;
use super::site::{SiteFile, is_of_site, site_of};
use super::warc::{self, Step};

/// The bytes of files that are kept. Our choice: 64 MiB, of 100,000 files of the usual size.
const MAX_BYTES: usize = 64 << 20;
/// What a file takes besides its bytes and its name. Our choice: more than it is.
const OVERHEAD: usize = 512;

/// Reads the robots.txt of an archive's record: its bytes instead of rows.
pub(crate) trait ReadsFiles: fmt::Debug + Send + Sync {
    fn read(&self, record: &warc::Record) -> Record;
}

/// Its digest, if the archive says it: a later record can refer to it.
type Digest = Option<Vec<u8>>;

/// What the reader of an archive joins.
#[derive(Clone, Debug, Default)]
pub(crate) enum Joining {
    /// Nothing: texts belong to the URL that has them.
    #[default]
    Nothing,
    /// Redirects of robots.txt files.
    Redirects,
    /// The same, and pages with the files.
    Pages(Arc<dyn ReadsFiles>),
}

/// Joins the records of an archive, in their order.
#[derive(Debug, Default)]
pub(super) struct Sites {
    joining: Joining,
    redirects: Joins,
    /// The number of the record.
    number: u64,
    kept: HashMap<String, Kept>,
    order: VecDeque<(u64, String)>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    since: u64,
    digest: Digest,
    file: Arc<SiteFile>,
}

impl Sites {
    pub(super) fn new(joining: Joining) -> Self {
        Self { joining, ..Self::default() }
    }

    /// Gives a record what it is joined with.
    pub(super) fn join(&mut self, step: &mut Step) {
        self.number = self.number.saturating_add(1);
        let Step::Record(record) = step else { return };
        match &self.joining {
            Joining::Nothing => {}
            Joining::Redirects => self.redirects.join(record, is_of_site),
            Joining::Pages(reader) => {
                self.redirects.join(record, is_of_site);
                let reader = Arc::clone(reader);
                self.join_page(record, &*reader);
            }
        }
    }

    fn join_page(&mut self, record: &mut warc::Record, reader: &dyn ReadsFiles) {
        let Some((site, is_file)) = record.head.url().and_then(|url| Some((site_of(&url)?, is_of_site(&url)))) else {
            return;
        };
        let own = is_file.then(|| (site.clone(), 0));
        let others = record.redirected.iter().filter_map(|one| Some((site_of(&one.url)?, one.hops)));
        let of: Vec<(String, u8)> = own.into_iter().chain(others).collect();
        if !of.is_empty() && !matches!(record.kind, warc::Kind::Other(_)) {
            let made = reader.read(record);
            for (site, redirects) in of {
                self.note(site, redirects, &made, record);
            }
        }
        record.site = self.kept.get(&site).map(|kept| Arc::clone(&kept.file));
    }

    /// Keeps what was found of a site's file, the newest.
    fn note(&mut self, site: String, redirects: u8, made: &Record, record: &warc::Record) {
        let digest = record.head.field("WARC-Payload-Digest").map(<[u8]>::to_vec);
        let before = self.kept.get(&site);
        let stays = match made.outcome {
            // The crawler has it already.
            Outcome::NotModified => true,
            // It is that of another record, perhaps of another archive.
            Outcome::Revisit => digest.is_some() && before.is_some_and(|kept| kept.digest == digest),
            _ => false,
        };
        if stays {
            return;
        }
        self.forget(&site);
        if matches!(made.outcome, Outcome::Redirect | Outcome::Revisit) {
            return;
        }
        let file = SiteFile {
            record: self.number,
            outcome: made.outcome,
            redirects,
            bytes: made.rows.clone().unwrap_or_default(),
            is_whole: made.outcome != Outcome::Failed && made.truncated.is_none(),
        };
        self.bytes = self.bytes.saturating_add(size(&site, &file));
        self.order.push_back((self.number, site.clone()));
        self.kept.insert(site, Kept { since: self.number, digest, file: Arc::new(file) });
        while self.bytes > MAX_BYTES
            && let Some((since, oldest)) = self.order.pop_front()
        {
            // It may have been replaced by a newer one.
            if self.kept.get(&oldest).is_some_and(|kept| kept.since == since) {
                self.forget(&oldest);
            }
        }
        if self.order.len() > self.kept.len().saturating_mul(2).saturating_add(16) {
            self.order.retain(|(since, site)| self.kept.get(site).is_some_and(|kept| kept.since == *since));
        }
    }

    fn forget(&mut self, site: &str) {
        if let Some(kept) = self.kept.remove(site) {
            self.bytes = self.bytes.saturating_sub(size(site, &kept.file));
        }
    }
}

/// What a file takes in memory, at most.
const fn size(site: &str, file: &SiteFile) -> usize {
    file.bytes.len().saturating_add(site.len().saturating_mul(2)).saturating_add(OVERHEAD)
}
