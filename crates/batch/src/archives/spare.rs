//! Memory of rows that were written, for the next ones: rows are made by one thread and written by another, and memory
//! that goes from one to the other costs more than the rows.
//!
//! Invariant: at most [`MOST`] buffers are kept, of at most [`LARGEST`] bytes each.

use std::sync::{Mutex, PoisonError};

/// The number of buffers. Our choice: the items of four chunks.
const MOST: usize = 256;
/// The size of a buffer that is kept. Our choice: the rows of a file for 1,000 crawlers have half a megabyte.
const LARGEST: usize = 1 << 19;

static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// An empty buffer.
pub(crate) fn take() -> Vec<u8> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
}

/// A buffer that is no longer needed.
pub(crate) fn put(mut buffer: Vec<u8>) {
    if buffer.capacity() <= LARGEST {
        buffer.clear();
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MOST {
            spare.push(buffer);
        }
    }
}
