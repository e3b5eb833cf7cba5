//! Requests the sites of many URLs at the same time.
//!
//! Invariant: one slow site delays no other. A retrieval that takes longer than [`SLOW`] no longer counts as one of the
//! jobs, and a URL whose site is not known yet is set aside, on disk if its site has many. URLs of one site keep their
//! order. At most [`AHEAD`] URLs are neither set aside nor answered. Reading stops while too many sites wait.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::fifo::{Fifo, Spill};
use crate::ask::answer::{Answer, GateError, Why};
use crate::ask::gate::Gate;
use crate::origin::Origin;
use crate::retrieve::retriever::Retriever;

/// The most URLs that are on their way, besides those that are set aside.
pub(super) const AHEAD: usize = 4_096;

/// Half a second: a retrieval that takes longer gives its place among the jobs to another. Our choice: most sites
/// answer sooner.
const SLOW: Duration = Duration::from_millis(500);

/// The most slow retrievals at a time. When there are more, the next ones wait. Our choice: 256 threads.
const MOST_SLOW: usize = 256;

/// A URL that was read, with the ticket of its site; no ticket if the URL has no site.
pub(super) type Entry<E> = (Result<String, E>, Option<Arc<Ticket>>);

/// News for the line.
enum News<E> {
    Read(Entry<E>),
    Known(Arc<Ticket>),
}

/// The state of the retrieval of a site.
#[derive(Default)]
pub(super) struct Ticket(Mutex<Asked>);

#[derive(Default)]
struct Asked {
    is_done: bool,
    /// The error of the retrieval. The first URL that waits for it takes it.
    error: Option<GateError>,
}

impl Ticket {
    fn finish(&self, error: Option<GateError>) {
        *lock(&self.0) = Asked { is_done: true, error };
    }

    fn is_done(&self) -> bool {
        lock(&self.0).is_done
    }

    fn result(&self) -> Result<(), GateError> {
        lock(&self.0).error.take().map_or(Ok(()), Err)
    }
}

/// A URL of a site to request, and the site's ticket.
type Job = (String, Arc<Ticket>);

/// The URLs on their way, from where they are read to where they are answered.
pub(super) struct Line<E> {
    news: Receiver<News<E>>,
    /// One permit for each URL on its way.
    permits: Receiver<()>,
    is_open: bool,
    in_order: bool,
    /// The URLs whose site is not known yet, or was not until now, by ticket.
    aside: HashMap<usize, Aside>,
    spill: Spill,
    /// The sites among them that are known, each once.
    known: VecDeque<usize>,
    /// The URLs that can be answered. In order: all URLs.
    ready: VecDeque<Entry<E>>,
    /// Whether a URL of a site that was set aside is the next one, if both wait.
    is_aside_next: bool,
    /// Permits of URLs that were set aside or answered. They are given back while more may be read.
    owed: usize,
}

/// The URLs of a site, in order.
struct Aside {
    ticket: Arc<Ticket>,
    urls: Fifo,
}

impl<E: Send + 'static> Line<E> {
    /// Starts to read the URLs, and to request their sites.
    pub(super) fn start<R, I>(gate: &Arc<Gate<R>>, threads: NonZeroUsize, in_order: bool, urls: I) -> io::Result<Self>
    where
        R: Retriever + Send + Sync + 'static,
        I: Iterator<Item = Result<String, E>> + Send + 'static,
    {
        let (to_ask, jobs) = mpsc::sync_channel::<Job>(AHEAD);
        let (tell, news) = mpsc::channel();
        let (take, permits) = mpsc::sync_channel(AHEAD);
        let desk = Arc::new(Desk::default());
        let (gate, told) = (Arc::clone(gate), tell.clone());
        thread::Builder::new()
            .name("ask".into())
            .spawn(move || dispatch(&jobs, &desk, threads, &gate, &told, in_thread))?;
        thread::Builder::new().name("read".into()).spawn(move || read(urls, &to_ask, &take, &tell))?;
        let (aside, known, ready) = (HashMap::new(), VecDeque::new(), VecDeque::new());
        Ok(Self {
            news,
            permits,
            is_open: true,
            in_order,
            aside,
            spill: Spill::default(),
            known,
            ready,
            is_aside_next: false,
            owed: 0,
        })
    }
}

impl<E> Line<E> {
    /// Whether all URLs were answered and no more come.
    pub(super) fn is_over(&self) -> bool {
        !self.is_open && self.ready.is_empty() && self.aside.is_empty()
    }

    /// The number of sites with URLs that are set aside.
    pub(super) fn sites(&self) -> usize {
        self.aside.len()
    }

    pub(super) const fn spill(&mut self) -> &mut Spill {
        &mut self.spill
    }

    /// Lets the reader read more.
    pub(super) fn go_on(&mut self) {
        while self.owed > 0 && self.permits.try_recv().is_ok() {
            self.owed = self.owed.saturating_sub(1);
        }
    }

    /// Takes in the news that are there, but not for ever.
    pub(super) fn catch_up(&mut self) {
        /// Our choice: so many take less than a millisecond.
        const AT_ONCE: usize = 256;
        for _ in 0..AT_ONCE {
            let Ok(news) = self.news.try_recv() else { return };
            self.take_in(news);
        }
    }

    /// The next URL of a site that was set aside and is known by now. Sites take turns.
    fn pop_aside(&mut self) -> Option<(Result<String, E>, Result<(), GateError>)> {
        while let Some(key) = self.known.pop_front() {
            let Some(site) = self.aside.get_mut(&key) else { continue };
            let (url, result) = (site.urls.pop(&mut self.spill), site.ticket.result());
            if site.urls.len() == 0 {
                self.aside.remove(&key);
            } else {
                self.known.push_back(key);
            }
            if let Some(url) = url {
                return Some((Ok(url), result));
            }
        }
        None
    }

    /// The next URL that can be answered, with the error of its site's retrieval.
    pub(super) fn pop(&mut self) -> Option<(Result<String, E>, Result<(), GateError>)> {
        self.is_aside_next = !self.is_aside_next;
        if self.is_aside_next {
            return self.pop_aside().or_else(|| self.pop_ready());
        }
        self.pop_ready().or_else(|| self.pop_aside())
    }

    fn pop_ready(&mut self) -> Option<(Result<String, E>, Result<(), GateError>)> {
        if self.ready.front().is_some_and(|(_, ticket)| ticket.as_ref().is_some_and(|ticket| !ticket.is_done())) {
            return None;
        }
        let (url, ticket) = self.ready.pop_front()?;
        // There is a permit for each URL.
        self.owed = self.owed.saturating_add(1);
        Some((url, ticket.map_or(Ok(()), |ticket| ticket.result())))
    }

    /// Waits for news: within that time, if there is one.
    ///
    /// # Errors
    /// If nothing came in time.
    pub(super) fn listen(&mut self, within: Option<Duration>) -> Result<(), RecvTimeoutError> {
        let came = match (self.news.try_recv(), within) {
            (Ok(news), _) => Ok(news),
            (Err(TryRecvError::Disconnected), _) => Err(RecvTimeoutError::Disconnected),
            (Err(TryRecvError::Empty), Some(within)) => self.news.recv_timeout(within),
            (Err(TryRecvError::Empty), None) => self.news.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match came {
            Ok(news) => self.take_in(news),
            Err(RecvTimeoutError::Disconnected) => {
                self.is_open = false;
                // Nobody is left who could finish them: their sites are requested when they are checked.
                self.known = self.aside.keys().copied().collect();
            }
            Err(error @ RecvTimeoutError::Timeout) => return Err(error),
        }
        Ok(())
    }

    fn add(&mut self, entry: Entry<E>) {
        let Some(ticket) = entry.1.as_ref().filter(|_| !self.in_order) else { return self.ready.push_back(entry) };
        let key = key(ticket);
        if !self.aside.contains_key(&key) && ticket.is_done() {
            return self.ready.push_back(entry);
        }
        let (Ok(url), Some(ticket)) = entry else { return };
        let site = self.aside.entry(key).or_insert_with(|| Aside { ticket, urls: Fifo::default() });
        site.urls.push(url, &mut self.spill);
        self.owed = self.owed.saturating_add(1);
    }

    fn take_in(&mut self, news: News<E>) {
        match news {
            News::Read(entry) => self.add(entry),
            // It is known once.
            News::Known(ticket) if self.aside.contains_key(&key(&ticket)) => self.known.push_back(key(&ticket)),
            News::Known(_) => {}
        }
    }
}

/// The entry keeps its ticket alive, so no other has this key meanwhile.
fn key(ticket: &Arc<Ticket>) -> usize {
    Arc::as_ptr(ticket).addr()
}

/// The retrievals under way, by number, and when each began.
#[derive(Default)]
struct Desk {
    running: Mutex<BTreeMap<u64, Instant>>,
    bell: Condvar,
}

impl Desk {
    /// Waits until fewer than `jobs` quick retrievals and not too many slow ones run.
    fn wait_for_place(&self, jobs: usize) {
        let mut running = lock(&self.running);
        loop {
            let now = Instant::now();
            let ages = running.values().map(|began| now.saturating_duration_since(*began));
            let quick: Vec<Duration> = ages.filter(|age| *age < SLOW).collect();
            let slow = running.len().saturating_sub(quick.len());
            if quick.len() < jobs && slow < MOST_SLOW {
                return;
            }
            let oldest = quick.iter().max().map_or(SLOW, |age| SLOW.saturating_sub(*age));
            let pause = oldest.max(Duration::from_millis(1));
            running = self.bell.wait_timeout(running, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// One retrieval at the desk. It leaves when this is dropped.
struct Seat {
    desk: Arc<Desk>,
    number: u64,
}

impl Seat {
    fn take(desk: &Arc<Desk>, number: u64) -> Self {
        lock(&desk.running).insert(number, Instant::now());
        Self { desk: Arc::clone(desk), number }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.desk.running).remove(&self.number);
        self.desk.bell.notify_all();
    }
}

/// Requests a site. If it is put off by no longer than a request for robots.txt may wait, it is requested then.
fn ask<R: Retriever>(gate: &Gate<R>, url: &str) -> Result<(), GateError> {
    let began = gate.now();
    let last = began.after(gate.core().pace().pacing().robots_txt_wait);
    loop {
        let now = gate.now();
        match gate.permits(url, now)? {
            Answer::NotNow { until, why: Why::Pace } if until <= last && now < last => {
                thread::sleep(until.since(now).max(Duration::from_millis(20)));
            }
            _ => return Ok(()),
        }
    }
}

/// The retrieval of one site.
type Work = Box<dyn FnOnce() + Send>;

fn in_thread(work: Work) -> io::Result<()> {
    thread::Builder::new().name("site".into()).spawn(work).map(drop)
}

/// Starts a thread for each site as soon as there is a place.
fn dispatch<R, E>(
    jobs: &Receiver<Job>,
    desk: &Arc<Desk>,
    threads: NonZeroUsize,
    gate: &Arc<Gate<R>>,
    tell: &Sender<News<E>>,
    spawn: impl Fn(Work) -> io::Result<()>,
) where
    R: Retriever + Send + Sync + 'static,
    E: Send + 'static,
{
    for (number, (url, ticket)) in (0_u64..).zip(jobs) {
        desk.wait_for_place(threads.get());
        // Without another owner of the ticket, the answers were dropped.
        if Arc::strong_count(&ticket) == 1 {
            continue;
        }
        let seat = Seat::take(desk, number);
        let (own, told, of_thread) = (Arc::clone(gate), tell.clone(), Arc::clone(&ticket));
        let work = move || {
            // After a panic the site is requested again when its URL is checked. The caller then gets the panic.
            let asked = panic::catch_unwind(AssertUnwindSafe(|| ask(&own, &url)));
            drop(seat);
            of_thread.finish(asked.ok().and_then(Result::err));
            let _ = told.send(News::Known(of_thread));
        };
        if let Err(error) = spawn(Box::new(work)) {
            let until = gate.now();
            ticket.finish(Some(GateError::NotAsked { why: format!("no thread: {error}"), until }));
            let _ = tell.send(News::Known(ticket));
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn read<E>(
    urls: impl Iterator<Item = Result<String, E>>,
    to_ask: &SyncSender<Job>,
    take: &SyncSender<()>,
    tell: &Sender<News<E>>,
) {
    let mut tickets: HashMap<Origin, Weak<Ticket>> = HashMap::new();
    for url in urls {
        let (ticket, job) = url.as_ref().map_or((None, None), |url| ticket_for(url, &mut tickets));
        let is_asked = job.is_none_or(|job| to_ask.send(job).is_ok());
        if !is_asked || take.send(()).is_err() || tell.send(News::Read((url, ticket))).is_err() {
            return;
        }
    }
}

/// The ticket of a URL's site, and the job to do for it unless another URL on its way has one.
fn ticket_for(url: &str, tickets: &mut HashMap<Origin, Weak<Ticket>>) -> (Option<Arc<Ticket>>, Option<Job>) {
    let Ok(origin) = Origin::of(url) else { return (None, None) };
    if let Some(ticket) = tickets.get(&origin).and_then(Weak::upgrade) {
        return (Some(ticket), None);
    }
    if tickets.len() > AHEAD.saturating_mul(2) {
        tickets.retain(|_, ticket| ticket.strong_count() > 0);
    }
    let ticket = Arc::new(Ticket::default());
    tickets.insert(origin, Arc::downgrade(&ticket));
    (Some(Arc::clone(&ticket)), Some((url.to_owned(), ticket)))
}

/// A poisoned lock means that a thread panicked. No change under these locks can be half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::MemoryStore;
    use crate::retrieve::{FetchWith, Fetched, Request};

    /// A site whose thread can't be started has an answer at once: its URLs do not wait until the input ends.
    /// [cmd.crawl-check]
    #[test]
    fn without_a_thread_there_is_an_answer() {
        let fetch = FetchWith::new(|_: &Request| Fetched::new(404, ""));
        let gate = Arc::new(Gate::new(fetch, MemoryStore::default(), robosieve::agent::Agents::new(["MyBot"])));
        let (to_ask, jobs) = mpsc::sync_channel(1);
        let (tell, news) = mpsc::channel::<News<()>>();
        let ticket = Arc::new(Ticket::default());
        to_ask.send(("http://a.test/".to_owned(), Arc::clone(&ticket))).unwrap();
        drop(to_ask);
        dispatch(&jobs, &Arc::default(), NonZeroUsize::MIN, &gate, &tell, |_| Err(io::Error::other("none left")));
        assert!(matches!(news.try_recv().unwrap(), News::Known(known) if Arc::ptr_eq(&known, &ticket)));
        assert!(matches!(ticket.result(), Err(GateError::NotAsked { why, .. }) if why == "no thread: none left"));
    }
}
