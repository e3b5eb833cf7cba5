//! One thread reads, some work, and the caller's thread gets the results, in the order of reading. With one job, the
//! thread that reads also works: on one core, handing over costs time and gains nothing.
//!
//! Invariant: between reading and writing there are at most [`ahead`] chunks, each of at most [`CHUNK_ITEMS`] items
//! and about [`CHUNK_BYTES`] bytes. So memory depends on the number of threads and not on the input.

use std::convert::Infallible;
use std::iter;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::error::Error;

/// The maximum number of items in a chunk. However small an item is, it can become a text of `max_bytes` bytes.
const CHUNK_ITEMS: usize = 64;
/// A chunk with this many bytes is full.
const CHUNK_BYTES: usize = 1 << 19;

/// The maximum number of unfinished chunks.
const fn ahead(jobs: usize) -> usize {
    jobs.saturating_add(2)
}

/// A chunk of items, and where its results go.
type Task<I, D> = (Vec<I>, Sender<Vec<D>>);
/// Where the results of each chunk come from, in the order of the chunks. None after the last.
type Order<D> = Option<Receiver<Vec<D>>>;

/// The place where the reader puts its items.
pub(crate) struct Feed<I> {
    /// Hands over a chunk. Returns false if no thread accepts it.
    deliver: Box<dyn FnMut(Vec<I>) -> bool>,
    items: Vec<I>,
    bytes: usize,
    /// Whether no thread accepts items any more.
    pub(crate) is_over: bool,
}

impl<I> Feed<I> {
    fn new(deliver: impl FnMut(Vec<I>) -> bool + 'static) -> Self {
        Self { deliver: Box::new(deliver), items: Vec::new(), bytes: 0, is_over: false }
    }

    /// One that gets nothing.
    pub(crate) fn nowhere() -> Self {
        Self::new(|_| false)
    }

    /// Adds an item with this number of bytes.
    pub(crate) fn push(&mut self, item: I, bytes: usize) {
        self.items.push(item);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.items.len() >= CHUNK_ITEMS || self.bytes >= CHUNK_BYTES {
            self.flush();
        }
    }

    /// Hands over the collected items, because the input pauses.
    pub(crate) fn flush(&mut self) {
        if self.items.is_empty() {
            return;
        }
        self.bytes = 0;
        self.is_over |= !(self.deliver)(std::mem::take(&mut self.items));
    }
}

/// The results, in the order of the items.
pub(crate) struct Ordered<D> {
    order: Receiver<Order<D>>,
    /// Whether all results have been returned: no thread ended early.
    pub(crate) is_complete: bool,
}

/// Starts the threads. They end with the input or with the process, so none of them may write anything.
pub(crate) fn start<I, D>(
    jobs: usize,
    read: impl FnOnce(&mut Feed<I>) + Send + 'static,
    work: impl Fn(I) -> D + Send + Sync + 'static,
) -> Ordered<D>
where
    I: Send + 'static,
    D: Send + 'static,
{
    // One more is in the hands of the receiver.
    let (sender, order) = mpsc::sync_channel(ahead(jobs).saturating_sub(1));
    let done = move |(items, to): Task<I, D>| drop(to.send(items.into_iter().map(&work).collect()));
    spawn("read", move || {
        let mut feed = if jobs > 1 {
            let tasks = hire(jobs, done);
            Feed::new(in_order(sender.clone(), move |task| tasks.send(task).is_ok()))
        } else {
            Feed::new(in_order(sender.clone(), move |task| {
                done(task);
                true
            }))
        };
        read(&mut feed);
        feed.flush();
        let _ = sender.send(None);
    });
    Ordered { order, is_complete: false }
}

/// Hands over chunks, after a place for their results in the order.
fn in_order<I, D>(
    order: SyncSender<Order<D>>,
    mut deliver: impl FnMut(Task<I, D>) -> bool,
) -> impl FnMut(Vec<I>) -> bool {
    move |items| {
        let (to, from) = mpsc::channel();
        order.send(Some(from)).is_ok() && deliver((items, to))
    }
}

/// Starts a thread. If the system has none, what it was to do is dropped, which the others see.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    let _ = thread::Builder::new().name(name.into()).spawn(work);
}

/// Starts the workers, and returns the end of the channel from which they take their work.
fn hire<T: Send + 'static>(jobs: usize, work: impl Fn(T) + Send + Sync + 'static) -> Sender<T> {
    let (sender, tasks) = mpsc::channel();
    let shared = Arc::new((Mutex::new(tasks), work));
    for _ in 0..jobs {
        let shared = Arc::clone(&shared);
        spawn("work", move || {
            let (tasks, work) = &*shared;
            let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
            while let Ok(task) = next() {
                work(task);
            }
        });
    }
    sender
}

impl<D> Ordered<D> {
    /// The next chunk. None at the end. Calls `idle` before it waits.
    pub(crate) fn next_chunk<E>(&mut self, mut idle: impl FnMut() -> Result<(), E>) -> Result<Option<Vec<D>>, E> {
        let Some(next) = received(&self.order, &mut idle)? else { return Ok(None) };
        self.is_complete = next.is_none();
        next.map_or(Ok(None), |chunk| received(&chunk, &mut idle))
    }

    /// All results, one by one. Returns an error if a thread ended early.
    pub(crate) fn into_results(mut self) -> impl Iterator<Item = Result<D, Error>> {
        let mut is_over = false;
        let chunks = iter::from_fn(move || {
            if is_over {
                return None;
            }
            let Ok(chunk) = self.next_chunk(|| Ok::<(), Infallible>(()));
            is_over = chunk.is_none();
            match chunk {
                Some(items) => Some(items.into_iter().map(Ok).collect()),
                None if self.is_complete => None,
                None => Some(vec![Err(Error::Thread)]),
            }
        });
        chunks.flatten()
    }
}

/// What comes next. None if no thread has anything for this channel. Calls `idle` before it waits.
fn received<T, E>(from: &Receiver<T>, idle: &mut impl FnMut() -> Result<(), E>) -> Result<Option<T>, E> {
    match from.try_recv() {
        Ok(next) => Ok(Some(next)),
        Err(TryRecvError::Disconnected) => Ok(None),
        Err(TryRecvError::Empty) => {
            idle()?;
            Ok(from.recv().ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// [batch.order]
    #[test]
    fn results_come_in_order() {
        for jobs in [1, 2, 7] {
            let pushed = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&pushed);
            let read = move |feed: &mut Feed<u64>| {
                (0..10_000).for_each(|number| {
                    count.fetch_add(1, Ordering::SeqCst);
                    feed.push(number, 1);
                });
            };
            // The first chunks take longest.
            let work = |number: u64| {
                if number < 64 {
                    thread::sleep(std::time::Duration::from_millis(1));
                }
                number
            };
            let mut ordered = start(jobs, read, work);
            let mut seen = Vec::new();
            while let Ok(Some(items)) = ordered.next_chunk(|| Ok::<(), ()>(())) {
                seen.extend(items);
                let unseen = pushed.load(Ordering::SeqCst) - seen.len() as u64;
                assert!(unseen <= (ahead(jobs) as u64 + 1) * CHUNK_ITEMS as u64, "{unseen} with {jobs}");
            }
            assert!(seen.iter().copied().eq(0..10_000));
            assert!(ordered.is_complete);
        }
    }

    /// [batch.order]
    #[test]
    fn a_thread_that_ends_early_is_seen() {
        for jobs in [1, 2] {
            // More chunks than allowed at a time, so that the reading thread has to wait.
            let read = |feed: &mut Feed<u8>| (0..100).for_each(|number| feed.push(number, CHUNK_BYTES));
            let mut ordered = start(jobs, read, |_| std::panic::resume_unwind(Box::new(())));
            assert!(matches!(ordered.next_chunk(|| Ok::<(), ()>(())), Ok(None::<Vec<()>>)));
            assert!(!ordered.is_complete);
        }
    }
}
