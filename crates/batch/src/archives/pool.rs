//! One thread reads, some work, and the caller's thread gets the results, in the order of reading. With one job, the
//! thread that reads also works: on one core, handing over costs time and gains nothing.
//!
//! Invariant: between reading and writing there are at most [`ahead`] chunks, each of at most [`CHUNK_ITEMS`] items
//! and about [`CHUNK_BYTES`] bytes. So memory depends on the number of threads and not on the input.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
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

struct Chunk<T> {
    number: u64,
    items: Vec<T>,
}

/// The place where the reader puts its items.
pub(crate) struct Feed<I> {
    /// Hands over a chunk. Returns false if no thread accepts it.
    deliver: Box<dyn FnMut(Chunk<I>) -> bool>,
    tickets: Receiver<()>,
    items: Vec<I>,
    bytes: usize,
    number: u64,
    /// Whether no thread accepts items any more.
    pub(crate) is_over: bool,
}

impl<I> Feed<I> {
    /// One that gets nothing.
    pub(crate) fn nowhere() -> Self {
        let (items, tickets) = (Vec::new(), mpsc::channel().1);
        Self { deliver: Box::new(|_| false), tickets, items, bytes: 0, number: 0, is_over: false }
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
        let items = std::mem::take(&mut self.items);
        self.bytes = 0;
        let sent = self.tickets.recv().is_ok() && (self.deliver)(Chunk { number: self.number, items });
        self.number = self.number.saturating_add(1);
        self.is_over |= !sent;
    }
}

/// The results, in the order of the items.
pub(crate) struct Ordered<D> {
    results: Receiver<Chunk<D>>,
    waiting: BTreeMap<u64, Vec<D>>,
    next: u64,
    tickets: SyncSender<()>,
    /// The number of chunks, as soon as it is known.
    all: Arc<AtomicU64>,
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
    let (done, results) = mpsc::channel();
    let (tickets, ticket_receiver) = mpsc::sync_channel(ahead(jobs));
    for _ in 0..ahead(jobs) {
        let _ = tickets.try_send(());
    }
    let all = Arc::new(AtomicU64::new(u64::MAX));
    let counted = Arc::clone(&all);
    let work = Arc::new(work);
    let workers = (jobs > 1).then(|| hire(jobs, &done, &work));
    spawn("read", move || {
        let deliver: Box<dyn FnMut(Chunk<I>) -> bool> = match workers {
            Some(tasks) => {
                // The results must end when the workers end.
                drop(done);
                Box::new(move |chunk| tasks.send(chunk).is_ok())
            }
            None => Box::new(move |chunk| done.send(chunk.worked(&*work)).is_ok()),
        };
        let mut feed =
            Feed { deliver, tickets: ticket_receiver, items: Vec::new(), bytes: 0, number: 0, is_over: false };
        read(&mut feed);
        feed.flush();
        counted.store(feed.number, Ordering::Release);
    });
    Ordered { results, waiting: BTreeMap::new(), next: 0, tickets, all }
}

/// Starts a thread. If the system has none, what it was to do is dropped, which the others see.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    let _ = thread::Builder::new().name(name.into()).spawn(work);
}

/// Starts the workers, and returns the end of the channel from which they take their work.
fn hire<I: Send + 'static, D: Send + 'static>(
    jobs: usize,
    done: &Sender<Chunk<D>>,
    work: &Arc<impl Fn(I) -> D + Send + Sync + 'static>,
) -> Sender<Chunk<I>> {
    let (sender, tasks) = mpsc::channel();
    let tasks = Arc::new(Mutex::new(tasks));
    for _ in 0..jobs {
        let (tasks, done, work) = (Arc::clone(&tasks), done.clone(), Arc::clone(work));
        spawn("work", move || serve(&tasks, &done, &*work));
    }
    sender
}

fn serve<I, D>(tasks: &Mutex<Receiver<Chunk<I>>>, done: &Sender<Chunk<D>>, work: &impl Fn(I) -> D) {
    loop {
        let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(chunk) = next else { return };
        if done.send(chunk.worked(work)).is_err() {
            return;
        }
    }
}

impl<I> Chunk<I> {
    fn worked<D>(self, work: &impl Fn(I) -> D) -> Chunk<D> {
        Chunk { number: self.number, items: self.items.into_iter().map(work).collect() }
    }
}

impl<D> Ordered<D> {
    /// The next chunk. None at the end. Calls `idle` before it waits.
    pub(crate) fn next_chunk<E>(&mut self, mut idle: impl FnMut() -> Result<(), E>) -> Result<Option<Vec<D>>, E> {
        loop {
            if let Some(items) = self.waiting.remove(&self.next) {
                self.next = self.next.saturating_add(1);
                let _ = self.tickets.try_send(());
                return Ok(Some(items));
            }
            let received = match self.results.try_recv() {
                Ok(chunk) => Ok(chunk),
                Err(mpsc::TryRecvError::Disconnected) => return Ok(None),
                Err(mpsc::TryRecvError::Empty) => {
                    idle()?;
                    self.results.recv()
                }
            };
            let Ok(Chunk { number, items }) = received else { return Ok(None) };
            self.waiting.insert(number, items);
        }
    }

    /// All results, one by one. Returns an error if a thread ended early.
    pub(crate) fn into_results(mut self) -> impl Iterator<Item = Result<D, Error>> {
        let mut items = Vec::new().into_iter();
        let mut is_over = false;
        iter::from_fn(move || {
            loop {
                if let Some(item) = items.next() {
                    return Some(Ok(item));
                }
                if is_over {
                    return None;
                }
                match self.next_chunk(|| Ok::<(), Infallible>(())) {
                    Ok(Some(chunk)) => items = chunk.into_iter(),
                    Ok(None) => {
                        is_over = true;
                        return if self.is_complete() { None } else { Some(Err(Error::Thread)) };
                    }
                    Err(never) => match never {},
                }
            }
        })
    }

    /// Whether all results have been returned: no thread ended early.
    pub(crate) fn is_complete(&self) -> bool {
        self.all.load(Ordering::Acquire) == self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.order]
    #[test]
    fn results_come_in_order() {
        for jobs in [1, 2, 7] {
            let read = |feed: &mut Feed<u64>| (0..10_000).for_each(|number| feed.push(number, 1));
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
                assert!(ordered.waiting.len() <= ahead(jobs));
                seen.extend(items);
            }
            assert!(seen.iter().copied().eq(0..10_000));
            assert!(ordered.is_complete());
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
            assert!(!ordered.is_complete());
        }
    }
}
