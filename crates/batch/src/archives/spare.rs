//! Memory of rows and lines that were written, for the next ones: they are made by one thread and written by another,
//! and memory that goes from one to the other costs more than the rows.
//!
//! Invariant: at most [`MOST`] buffers are kept, of at most [`LARGEST_ROWS`] or [`LARGEST_LINE`] bytes each.

use std::sync::{Mutex, PoisonError};

/// The number of buffers. Our choice: the items of four chunks.
const MOST: usize = 256;
/// The size of a buffer of rows that is kept. Our choice: the rows of a file for 1,000 crawlers have half a megabyte.
const LARGEST_ROWS: usize = 1 << 19;
/// The size of a buffer of a line that is kept. Our choice: few texts are longer.
const LARGEST_LINE: usize = 1 << 16;

static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// An empty buffer.
pub(crate) fn take() -> Vec<u8> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
}

/// A buffer that is no longer needed.
pub(crate) fn put(mut buffer: Vec<u8>, is_rows: bool) {
    let largest = if is_rows { LARGEST_ROWS } else { LARGEST_LINE };
    if buffer.capacity() > 0 && buffer.capacity() <= largest {
        buffer.clear();
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MOST {
            spare.push(buffer);
        }
    }
}
