//! The robots.txt files that were read last, for the crawlers of a run: many pages after each other have the same one.
//!
//! Invariant: a file is found by all that it was read with, so it answers as if it was read again. At most
//! [`MAX_SIZE`] bytes and [`MAX_FILES`] files are kept, and the oldest goes first. Of a file that is too large for all
//! crawlers, the first ones have it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::robots::Rules;

/// The bytes that are kept, as [`Rules::size`] counts them. Our choice: 64 MiB, as of the files themselves.
const MAX_SIZE: usize = 64 << 20;
/// The number of files. Our choice: each is compared with the one that is looked for, and few are needed at once.
const MAX_FILES: usize = 64;

/// What a file is read with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key<'k> {
    pub(crate) bytes: &'k [u8],
    /// Whether it is all of it.
    pub(crate) is_complete: bool,
    /// Whether a status closes the site, whatever the bytes are.
    pub(crate) is_closed: bool,
}

/// A file, read for the first crawlers.
pub(crate) struct KeptFile {
    bytes: Vec<u8>,
    is_complete: bool,
    is_closed: bool,
    pub(crate) rules: Vec<Rules<'static>>,
    size: usize,
}

impl KeptFile {
    fn key(&self) -> Key<'_> {
        Key { bytes: &self.bytes, is_complete: self.is_complete, is_closed: self.is_closed }
    }
}

/// The files. A copy keeps nothing yet: it may read in another way.
#[derive(Default)]
pub(crate) struct KeptFiles(Mutex<VecDeque<Arc<KeptFile>>>);

impl Clone for KeptFiles {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What is kept changes no row.
impl fmt::Debug for KeptFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptFiles")
    }
}

impl KeptFiles {
    /// The file, which is read for these crawlers if it is not kept.
    pub(crate) fn get<A>(&self, key: Key<'_>, agents: &[A], read: impl Fn(&A) -> Rules<'static>) -> Arc<KeptFile> {
        self.get_of(MAX_SIZE, key, agents, read)
    }

    fn get_of<A>(&self, most: usize, key: Key<'_>, agents: &[A], read: impl Fn(&A) -> Rules<'static>) -> Arc<KeptFile> {
        let find = |files: &VecDeque<Arc<KeptFile>>| files.iter().find(|file| file.key() == key).map(Arc::clone);
        if let Some(file) = find(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return file;
        }
        // Others can look for theirs while it is read.
        let (mut rules, mut size) = (Vec::new(), key.bytes.len());
        for agent in agents {
            let one = read(agent);
            let more = size.saturating_add(one.size());
            if more > most {
                break;
            }
            size = more;
            rules.push(one);
        }
        let Key { bytes, is_complete, is_closed } = key;
        let file = Arc::new(KeptFile { bytes: bytes.to_vec(), is_complete, is_closed, rules, size });
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = find(&files) {
            return other;
        }
        files.push_back(Arc::clone(&file));
        let total =
            |files: &VecDeque<Arc<KeptFile>>| files.iter().fold(0_usize, |sum, one| sum.saturating_add(one.size));
        while files.len() > MAX_FILES || total(&files) > most {
            files.pop_front();
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use robosieve::settings::Options;
    use robosieve_explain::{Groups, Names};

    use super::*;

    fn key(bytes: &[u8]) -> Key<'_> {
        Key { bytes, is_complete: true, is_closed: false }
    }

    fn rules(bytes: &[u8], groups: &Groups) -> Rules<'static> {
        Rules::read(bytes, &Options::default(), groups).into_owned()
    }

    fn held(files: &KeptFiles) -> usize {
        files.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// [signals.kept]
    #[test]
    fn files_are_kept_up_to_limits() {
        let agents = ["A", "B", "C"].map(|name| Names::Known.groups([name]));
        let bytes = b"User-agent: *\nDisallow: /a\n";
        let one = agents.first().map_or(0, |agent| rules(bytes, agent).size());
        let three = bytes.len() + 3 * one;
        for (most, crawlers) in [(three - 1, 2), (three, 3), (three + 1, 3), (bytes.len() + one - 1, 0), (0, 0)] {
            let files = KeptFiles::default();
            let file = files.get_of(most, key(bytes), &agents, |agent| rules(bytes, agent));
            assert_eq!(file.rules.len(), crawlers, "{most}");
        }
        for (most, is_kept) in [(2 * three - 1, false), (2 * three, true), (2 * three + 1, true)] {
            let files = KeptFiles::default();
            let other = b"User-agent: *\nDisallow: /b\n";
            for bytes in [bytes, other] {
                files.get_of(most, key(bytes), &agents, |agent| rules(bytes, agent));
            }
            assert_eq!(held(&files), if is_kept { 2 } else { 1 }, "{most}");
        }
        for (count, kept) in [(63, 63), (64, 64), (65, 64)] {
            let files = KeptFiles::default();
            for number in 0..count {
                let bytes = format!("#{number}").into_bytes();
                files.get(key(&bytes), &agents, |agent| rules(&bytes, agent));
            }
            assert_eq!(held(&files), kept, "{count}");
        }
    }

    /// [signals.kept]
    #[test]
    fn a_file_is_read_once_for_what_it_is_read_with() {
        let (files, agents) = (KeptFiles::default(), [Names::Known.groups(["A"])]);
        let reads = std::cell::Cell::new(0);
        for (is_complete, is_closed, expected) in [
            (true, false, 1),
            (true, false, 1),
            (false, false, 2),
            (true, true, 3),
            (true, false, 3),
            (false, false, 3),
        ] {
            let key = Key { bytes: b"x", is_complete, is_closed };
            files.get(key, &agents, |agent| {
                reads.set(reads.get() + 1);
                rules(b"x", agent)
            });
            assert_eq!(reads.get(), expected);
        }
        assert_eq!((held(&files), held(&files.clone()), &*format!("{files:?}")), (3, 0, "KeptFiles"));
    }
}
