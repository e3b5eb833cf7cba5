//! How many long files are read at a time.
//!
//! Invariant: no more than that. Reading one takes many times its length for a moment, and processor time only, so that
//! more at a time would take memory and be no faster.

use std::sync::{Condvar, Mutex, PoisonError};

/// A file of so many bytes is long. Our choice: 64 KiB; one of a hundred is.
const LONG: usize = 65_536;

/// The most long files at a time. Our choice: 4.
const MOST: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct Desks {
    taken: Mutex<u32>,
    bell: Condvar,
}

impl Desks {
    /// Reads a file of so many bytes, when there is room.
    pub(super) fn read<T>(&self, bytes: usize, read: impl FnOnce() -> T) -> T {
        let _desk = (bytes > LONG).then(|| self.take());
        read()
    }

    fn take(&self) -> Desk<'_> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.bell.wait_while(taken, |taken| *taken >= MOST);
        let mut taken = taken.unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_add(1);
        Desk(self)
    }
}

struct Desk<'d>(&'d Desks);

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(1);
        drop(taken);
        self.0.bell.notify_one();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    /// No more long files than that at a time, also after a panic; short ones do not count. [gate.ready]
    #[test]
    fn long_files_take_turns() {
        let (desks, now, peak) = (Desks::default(), AtomicU32::new(0), AtomicU32::new(0));
        let read = || {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst).saturating_add(1), Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            now.fetch_sub(1, Ordering::SeqCst);
        };
        let panics = || desks.read(LONG + 1, || std::panic::panic_any("a bug"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| desks.read(LONG + 1, read));
            }
        });
        assert_eq!((peak.load(Ordering::SeqCst), *desks.taken.lock().unwrap()), (MOST, 0));
        (0..9).for_each(|_| desks.read(LONG, || assert_eq!(*desks.taken.lock().unwrap(), 0)));
    }
}
