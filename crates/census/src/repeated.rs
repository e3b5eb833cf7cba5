//! What files with the same bytes have in common: many sites have the file that their software makes.
//!
//! Invariant: a hit is what reading the file again would give. Two generations have a limit in bytes each; when the
//! younger one is full, the older one goes.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use robosieve::report::InputKind;

use crate::normal::FileRow;

/// The bytes of a generation: what is kept of its files. Our choice: some 10,000 files.
const MAX_BYTES: usize = 1 << 24;
/// The bytes that a file is counted as, apart from its lines.
const OF_FILE: usize = 512;

/// What is known of the bytes of a file.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) kind: InputKind,
    /// The counts and the status. What else a row has is that of the record.
    pub(crate) row: FileRow,
    /// The rest of its line: policies, names and texts.
    pub(crate) rest: Vec<u8>,
}

/// Files that were read before, by the hash of their bytes and whether these are all of it.
#[derive(Debug)]
pub(crate) struct Repeated {
    generations: Mutex<Generations>,
    most: usize,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<([u8; 32], bool), Arc<Known>>,
    old: HashMap<([u8; 32], bool), Arc<Known>>,
    /// The bytes of the young one.
    bytes: usize,
}

impl Default for Repeated {
    fn default() -> Self {
        Self { generations: Mutex::default(), most: MAX_BYTES }
    }
}

impl Repeated {
    /// What is known of a file with this hash, or what `read` finds.
    pub(crate) fn get_or(&self, hash: [u8; 32], is_whole: bool, read: impl FnOnce() -> Known) -> Arc<Known> {
        let key = (hash, is_whole);
        let found = {
            let generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
            generations.young.get(&key).cloned().ok_or_else(|| generations.old.get(&key).cloned())
        };
        let known = match found {
            Ok(known) => return known,
            // It is young again.
            Err(Some(known)) => known,
            Err(None) => Arc::new(read()),
        };
        let size = known.rest.len().saturating_add(OF_FILE);
        // A long one would push out all others.
        if size <= self.most / 16 {
            let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = generations.bytes.saturating_add(size);
            if bytes > self.most {
                generations.old = mem::take(&mut generations.young);
                generations.bytes = size;
            } else {
                generations.bytes = bytes;
            }
            generations.young.insert(key, Arc::clone(&known));
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// [census.repeated]
    #[test]
    fn what_is_kept_has_a_limit() {
        const MOST: usize = 16 * OF_FILE * 2;
        let repeated = Repeated { generations: Mutex::default(), most: MOST };
        let reads = Cell::new(0);
        let ask = |number: u8, length: usize| {
            let known = repeated.get_or([number; 32], true, || {
                reads.set(reads.get() + 1);
                Known { kind: InputKind::Text, row: FileRow::default(), rest: vec![number; length] }
            });
            assert_eq!(known.rest, vec![number; length]);
            reads.replace(0)
        };
        // As long as they may be: OF_FILE bytes, so that a generation has 16.
        assert_eq!((0..16).map(|number| ask(number, OF_FILE)).sum::<usize>(), 16);
        assert_eq!((0..16).map(|number| ask(number, OF_FILE)).sum::<usize>(), 0);
        // The next one begins a generation, and the old one is still known.
        assert_eq!((ask(16, OF_FILE), ask(0, OF_FILE), ask(1, OF_FILE)), (1, 0, 0));
        // After another 14, those that were not asked for again are gone.
        assert_eq!((17..31).map(|number| ask(number, OF_FILE)).sum::<usize>(), 14);
        assert_eq!((ask(0, OF_FILE), ask(2, OF_FILE)), (0, 1));
        // One that is longer is not kept.
        assert_eq!((ask(99, OF_FILE + 1), ask(99, OF_FILE + 1)), (1, 1));
        // The same bytes as a part of a file are another file.
        assert!(Arc::ptr_eq(
            &repeated.get_or([0; 32], true, || unreachable!()),
            &repeated.get_or([0; 32], true, || unreachable!())
        ));
        let part = Known { kind: InputKind::Html, row: FileRow::default(), rest: Vec::new() };
        assert_eq!(repeated.get_or([0; 32], false, || part).kind, InputKind::Html);
    }
}
