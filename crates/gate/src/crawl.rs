//! Checks many URLs. Their sites are requested at the same time, and the answers are in the order of the URLs.
//!
//! Invariant: URLs take the slots of their hosts in the order in which they came, and they are answered in that order,
//! unless [`Crawl::waiting`] sorts them by time. Memory is bounded for any number of URLs: at most [`Crawl::AHEAD`] are
//! read ahead, and at most as many wait for their time.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use crate::answer::{Answer, GateError};
use crate::findings::Findings;
use crate::gate::Gate;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retriever::Retriever;
use crate::store::SiteStore;

/// A URL and its answer.
#[derive(Debug)]
pub struct CheckedUrl {
    /// The URL as it was given.
    pub url: String,
    /// When it was checked. The wait of the answer begins here.
    pub now: Moment,
    /// The answer.
    pub answer: Result<Answer, GateError>,
    /// What was found in the file that decided, if there is one.
    pub findings: Option<Arc<Findings>>,
}

impl CheckedUrl {
    /// Checks one URL at the system's time. If a retrieval is needed, the time after it counts.
    pub fn check<R: Retriever, S: SiteStore>(gate: &Gate<R, S>, url: String) -> Self {
        let known = gate.permits(&url, Moment::now());
        let now = Moment::now();
        let answer = known.and_then(|_| gate.check(&url, now));
        Self::with_findings(gate, url, now, answer)
    }

    /// The same URL, checked again without taking a slot.
    fn check_again<R: Retriever, S: SiteStore>(self, gate: &Gate<R, S>) -> Self {
        let now = Moment::now();
        let answer = gate.permits(&self.url, now);
        Self::with_findings(gate, self.url, now, answer)
    }

    fn with_findings<R: Retriever, S: SiteStore>(
        gate: &Gate<R, S>,
        url: String,
        now: Moment,
        answer: Result<Answer, GateError>,
    ) -> Self {
        let findings = match (&answer, Origin::of(&url)) {
            (Ok(_), Ok(origin)) => gate.findings(&origin, now),
            _ => Ok(None),
        };
        match findings {
            Ok(findings) => Self { url, now, answer, findings },
            Err(error) => Self { url, now, answer: Err(error), findings: None },
        }
    }

    /// When the URL may be fetched; `None` if the answer is not [`Answer::Allowed`].
    #[must_use]
    pub fn at(&self) -> Option<Moment> {
        match self.answer {
            Ok(Answer::Allowed { wait }) => Some(self.now.after(wait)),
            _ => None,
        }
    }
}

/// How many URLs are checked: with how many threads, and whether each answer waits for its time.
///
/// ```
/// # use robosieve_gate::{Moment, Origin, Outcome, Retrieval, Retriever};
/// use std::sync::Arc;
/// use robosieve::Agents;
/// use robosieve_gate::{Crawl, Gate, MemoryStore};
/// # struct Always(&'static str);
/// # impl Retriever for Always {
/// #     fn retrieve(&self, origin: &Origin) -> Retrieval {
/// #         Retrieval::of(origin.clone(), Outcome::Rules, Some(200), self.0, Moment::now())
/// #     }
/// # }
/// let retriever = Always("User-agent: *\nDisallow: /private\n"); // usually a `Driver`
/// let gate = Arc::new(Gate::new(retriever, MemoryStore::default(), Agents::new(["MyBot"])));
/// let urls = ["https://a.example/", "https://b.example/private"].map(|url| Ok::<_, ()>(url.to_owned()));
/// for checked in Crawl::default().run(gate, urls.into_iter())? {
///     let Ok(checked) = checked else { continue };
///     println!("{}: {:?}", checked.url, checked.answer);
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Crawl {
    threads: NonZeroUsize,
    is_waiting: bool,
}

impl Default for Crawl {
    fn default() -> Self {
        Self { threads: NonZeroUsize::new(8).unwrap_or(NonZeroUsize::MIN), is_waiting: false }
    }
}

impl Crawl {
    /// The most URLs that are read ahead. The most that wait for their time is the same. Our choice.
    pub const AHEAD: usize = 4_096;

    /// Sets the number of sites that are requested at the same time. The default is 8.
    #[must_use]
    pub const fn threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// Sets whether an allowed URL is returned only at its time. It is checked once more then. By default, each
    /// answer comes as soon as it is known, and says how long to wait.
    #[must_use]
    pub const fn waiting(self, is_waiting: bool) -> Self {
        Self { is_waiting, ..self }
    }

    /// Starts to read and check the URLs. The items that are errors come out unchanged, in their place.
    ///
    /// The threads end with the input, or after the answers are dropped. A retrieval that has begun then still ends,
    /// and a thread that is reading the input ends when the input returns.
    ///
    /// # Errors
    /// If a thread can't be started.
    pub fn run<R, S, E, I>(self, gate: Arc<Gate<R, S>>, urls: I) -> io::Result<CheckedUrls<R, S, E>>
    where
        R: Retriever + Send + Sync + 'static,
        S: SiteStore + Send + Sync + 'static,
        E: Send + 'static,
        I: Iterator<Item = Result<String, E>> + Send + 'static,
    {
        let (to_ask, jobs) = mpsc::sync_channel::<Job>(Self::AHEAD);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..self.threads.get() {
            let (jobs, gate) = (Arc::clone(&jobs), Arc::clone(&gate));
            thread::Builder::new().name("ask".into()).spawn(move || ask(&jobs, &gate))?;
        }
        let (sender, entries) = mpsc::sync_channel(Self::AHEAD);
        thread::Builder::new().name("read".into()).spawn(move || read(urls, &to_ask, &sender))?;
        Ok(CheckedUrls {
            gate,
            entries,
            is_open: true,
            is_waiting: self.is_waiting,
            held: None,
            waiting: Waiting::default(),
            next: None,
        })
    }
}

/// A URL that was read, with the ticket of its site; no ticket if the URL has no site.
type Entry<E> = (Result<String, E>, Option<Arc<Ticket>>);

/// Signals when the retrieval of a site has ended.
#[derive(Default)]
struct Ticket {
    state: Mutex<Asked>,
    bell: Condvar,
}

#[derive(Default)]
struct Asked {
    is_done: bool,
    /// The error of the retrieval. The first URL that waits for it takes it.
    error: Option<GateError>,
}

impl Ticket {
    fn finish(&self, error: Option<GateError>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = Asked { is_done: true, error };
        self.bell.notify_all();
    }

    /// The result, if it is known within the time; without a time, when it is known.
    fn wait(&self, within: Option<Duration>) -> Option<Result<(), GateError>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let pends = |state: &mut Asked| !state.is_done;
        let mut state = match within {
            Some(within) => {
                self.bell.wait_timeout_while(state, within, pends).unwrap_or_else(PoisonError::into_inner).0
            }
            None => self.bell.wait_while(state, pends).unwrap_or_else(PoisonError::into_inner),
        };
        state.is_done.then(|| state.error.take().map_or(Ok(()), Err))
    }
}

/// A URL of a site to request, and the site's ticket.
type Job = (String, Arc<Ticket>);

fn ask<R: Retriever, S: SiteStore>(jobs: &Mutex<Receiver<Job>>, gate: &Gate<R, S>) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((url, ticket)) = next else { return };
        // Without another owner of the ticket, the answers were dropped.
        if Arc::strong_count(&ticket) == 1 {
            continue;
        }
        // After a panic the site is requested again when its URL is checked. The caller then gets the panic.
        let asked = panic::catch_unwind(AssertUnwindSafe(|| gate.permits(&url, Moment::now())));
        ticket.finish(asked.ok().and_then(Result::err));
    }
}

fn read<E>(urls: impl Iterator<Item = Result<String, E>>, to_ask: &SyncSender<Job>, entries: &SyncSender<Entry<E>>) {
    let mut tickets: HashMap<Origin, Weak<Ticket>> = HashMap::new();
    for url in urls {
        let (ticket, job) = url.as_ref().map_or((None, None), |url| ticket_for(url, &mut tickets));
        if job.is_some_and(|job| to_ask.send(job).is_err()) || entries.send((url, ticket)).is_err() {
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
    if tickets.len() > Crawl::AHEAD.saturating_mul(2) {
        tickets.retain(|_, ticket| ticket.strong_count() > 0);
    }
    let ticket = Arc::new(Ticket::default());
    tickets.insert(origin, Arc::downgrade(&ticket));
    (Some(Arc::clone(&ticket)), Some((url.to_owned(), ticket)))
}

/// The answers to URLs, which [`Crawl::run`] starts. The iterator waits for the next answer.
pub struct CheckedUrls<R, S, E> {
    gate: Arc<Gate<R, S>>,
    entries: Receiver<Entry<E>>,
    /// Whether more URLs may come.
    is_open: bool,
    is_waiting: bool,
    /// The next URL, whose site is not known yet.
    held: Option<Entry<E>>,
    waiting: Waiting,
    /// What [`CheckedUrls::pauses`] found.
    next: Option<Item<E>>,
}

type Item<E> = Result<CheckedUrl, E>;

/// The result of one look for an answer.
enum Look<E> {
    Found(Item<E>),
    /// There is no answer yet.
    Nothing,
    End,
}

impl<R: Retriever, S: SiteStore, E> CheckedUrls<R, S, E> {
    /// Whether the next answer is not known yet. A caller that buffers its output writes it out then.
    pub fn pauses(&mut self) -> bool {
        if self.next.is_none() {
            match self.look(false) {
                Look::Found(item) => self.next = Some(item),
                Look::Nothing => return true,
                Look::End => {}
            }
        }
        false
    }

    /// The number of URLs that wait for their time.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.urls.len()
    }

    /// Looks for the next answer. `may_wait`: until there is one.
    fn look(&mut self, may_wait: bool) -> Look<E> {
        loop {
            if let Some(due) = self.waiting.pop_due(Moment::now()) {
                return Look::Found(Ok(due.check_again(&self.gate)));
            }
            let pause = self.waiting.pause(Moment::now());
            if !self.is_open || self.waiting.is_full() {
                let Some(pause) = pause else { return Look::End };
                if !may_wait {
                    return Look::Nothing;
                }
                thread::sleep(pause);
                continue;
            }
            // Until there is a URL, or until the first one that waits is due.
            let most = if may_wait { pause } else { Some(Duration::ZERO) };
            let entry = self.held.take().map_or_else(|| self.receive(most), Ok);
            let known = match &entry {
                Ok((_, Some(ticket))) => ticket.wait(most),
                Ok((_, None)) => Some(Ok(())),
                Err(_) => None,
            };
            match (entry, known) {
                (Ok((Ok(url), _)), Some(known)) => {
                    if let Some(checked) = self.answer(url, known) {
                        return Look::Found(Ok(checked));
                    }
                }
                (Ok((Err(error), _)), _) => return Look::Found(Err(error)),
                (Ok(entry), None) => {
                    self.held = Some(entry);
                    if !may_wait {
                        return Look::Nothing;
                    }
                }
                (Err(RecvTimeoutError::Disconnected), _) => self.is_open = false,
                (Err(RecvTimeoutError::Timeout), _) if !may_wait => return Look::Nothing,
                (Err(RecvTimeoutError::Timeout), _) => {}
            }
        }
    }

    fn receive(&self, most: Option<Duration>) -> Result<Entry<E>, RecvTimeoutError> {
        match (self.entries.try_recv(), most) {
            (Ok(entry), _) => Ok(entry),
            (Err(TryRecvError::Disconnected), _) => Err(RecvTimeoutError::Disconnected),
            (Err(TryRecvError::Empty), Some(most)) => self.entries.recv_timeout(most),
            (Err(TryRecvError::Empty), None) => self.entries.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// The answer, unless it waits for its time.
    fn answer(&mut self, url: String, known: Result<(), GateError>) -> Option<CheckedUrl> {
        let now = Moment::now();
        let answer = known.and_then(|()| self.gate.check(&url, now));
        let checked = CheckedUrl::with_findings(&self.gate, url, now, answer);
        match checked.at().filter(|&at| self.is_waiting && at > now) {
            Some(at) => {
                self.waiting.push(at, checked);
                None
            }
            None => Some(checked),
        }
    }
}

impl<R: Retriever, S: SiteStore, E> Iterator for CheckedUrls<R, S, E> {
    type Item = Item<E>;

    fn next(&mut self) -> Option<Item<E>> {
        if self.next.is_some() {
            return self.next.take();
        }
        match self.look(true) {
            Look::Found(item) => Some(item),
            Look::Nothing | Look::End => None,
        }
    }
}

/// Answers that wait for their time, the earliest first. Those of the same time keep their order.
#[derive(Default)]
struct Waiting {
    urls: BTreeMap<(Moment, u64), CheckedUrl>,
    count: u64,
}

impl Waiting {
    fn is_full(&self) -> bool {
        self.urls.len() >= Crawl::AHEAD
    }

    fn push(&mut self, at: Moment, checked: CheckedUrl) {
        self.count = self.count.saturating_add(1);
        self.urls.insert((at, self.count), checked);
    }

    /// The next URL whose time has come.
    fn pop_due(&mut self, now: Moment) -> Option<CheckedUrl> {
        let first = self.urls.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }

    /// The time until the first one is due.
    fn pause(&self, now: Moment) -> Option<Duration> {
        self.urls.first_key_value().map(|(key, _)| key.0.since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(url: &str) -> CheckedUrl {
        CheckedUrl {
            url: url.into(),
            now: Moment::default(),
            answer: Ok(Answer::Allowed { wait: Duration::ZERO }),
            findings: None,
        }
    }

    /// [cmd.crawl-check]
    #[test]
    fn the_number_that_waits_is_limited() {
        let mut waiting = Waiting::default();
        let at = Moment::from_millis(9);
        for count in 1..=Crawl::AHEAD {
            assert!(!waiting.is_full(), "{count}");
            waiting.push(at, checked(""));
        }
        assert!(waiting.is_full() && waiting.pop_due(Moment::from_millis(8)).is_none());
        assert!(waiting.pop_due(at).is_some() && !waiting.is_full());
    }

    /// [cmd.crawl-check]
    #[test]
    fn the_earliest_comes_first_and_equals_in_order() {
        let mut waiting = Waiting::default();
        for (at, url) in [(30, "c"), (10, "a"), (30, "d"), (20, "b")] {
            waiting.push(Moment::from_millis(at), checked(url));
        }
        assert_eq!(waiting.pause(Moment::default()), Some(Duration::from_millis(10)));
        assert!(waiting.pop_due(Moment::from_millis(9)).is_none());
        let mut seen = String::new();
        while let Some(checked) = waiting.pop_due(Moment::from_millis(30)) {
            seen.push_str(&checked.url);
        }
        assert_eq!((seen.as_str(), waiting.urls.len()), ("abcd", 0));
    }
}
