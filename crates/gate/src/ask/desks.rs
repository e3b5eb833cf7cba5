//! How many long files are read at a time.
//!
//! Invariant: no more than that, each in a thread that only reads such files. Reading one takes many times its length
//! for a moment, and an allocator keeps that for the thread: each thread that retrieves files would keep as much.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// A file of so many bytes is long. Our choice: 64 KiB; one of a hundred is.
const LONG: usize = 65_536;

/// The most long files at a time. Our choice: 2.
const MOST: usize = 2;

type Job = Box<dyn FnOnce() + Send>;

/// The threads start with the first long file, and end after this is dropped.
#[derive(Debug, Default)]
pub(super) struct Desks {
    jobs: OnceLock<Option<Sender<Job>>>,
}

impl Desks {
    /// Reads a file of so many bytes, when there is room.
    pub(super) fn read<T: Send + 'static>(&self, bytes: usize, read: impl Fn() -> T + Send + Sync + 'static) -> T {
        let jobs = if bytes > LONG { self.jobs.get_or_init(start).as_ref() } else { None };
        let Some(jobs) = jobs else { return read() };
        let (tell, heard) = mpsc::sync_channel(1);
        let read = Arc::new(read);
        let theirs = Arc::clone(&read);
        let job = move || {
            let result = catch_unwind(AssertUnwindSafe(|| theirs()));
            // What the file was read from is let go before its reader goes on.
            drop(theirs);
            // Nobody listens if the caller is gone.
            let _ = tell.send(result);
        };
        let heard = jobs.send(Box::new(job)).ok().and_then(|()| heard.recv().ok());
        match heard {
            Some(Ok(result)) => result,
            Some(Err(panic)) => resume_unwind(panic),
            None => read(),
        }
    }
}

/// Starts the threads; `None` if the system has no more.
fn start() -> Option<Sender<Job>> {
    let (jobs, queue) = mpsc::channel::<Job>();
    let queue = Arc::new(Mutex::new(queue));
    let started = (0..MOST).filter(|_| {
        let queue = Arc::clone(&queue);
        thread::Builder::new().name("robosieve-read".into()).spawn(move || work(&queue)).is_ok()
    });
    (started.count() > 0).then_some(jobs)
}

fn work(queue: &Mutex<Receiver<Job>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// No more long files than that at a time, also after a panic; short ones do not count. [gate.ready]
    #[test]
    fn long_files_take_turns() {
        let (desks, now, peak) = (Desks::default(), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let read = {
            let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
            move || {
                peak.fetch_max(now.fetch_add(1, Ordering::SeqCst).saturating_add(1), Ordering::SeqCst);
                thread::sleep(Duration::from_millis(5));
                now.fetch_sub(1, Ordering::SeqCst);
            }
        };
        for _ in 0..9 {
            let panics = || desks.read(LONG + 1, || std::panic::panic_any("a bug"));
            assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        }
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| desks.read(LONG + 1, read.clone()));
            }
        });
        assert_eq!(peak.load(Ordering::SeqCst), MOST);
        let here = thread::current().id();
        assert_eq!(desks.read(LONG, || thread::current().id()), here);
        assert_ne!(desks.read(LONG + 1, || thread::current().id()), here);
    }
}
