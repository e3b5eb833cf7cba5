//! The gate with a client: it retrieves a site's robots.txt when it is due, and waits.
//!
//! Invariant: all decisions are the core's. This adds a client, a clock and waiting. A question that is dropped leaves
//! the gate unchanged: another one gets its retrieval.
#![allow(clippy::result_large_err, reason = "what is no answer yet is no error")]

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};

use crate::ask::errand::{Errand, LONGEST_WAIT, Next};
use crate::ask::{Action, Answer, Ask, Core};
use crate::decide::SiteReport;
use crate::error::Error;
use crate::moment::{Moment, RunClock};
use crate::origin::Origin;
use crate::pace::Page;
use crate::retrieve::{Fetched, Outcome, Request, Retrieval};

/// Makes one request for robots.txt: the gate's own client, or a closure over yours.
///
/// It follows no redirect, sends the headers of [`Request::held`], and gives all headers and the body as they came. It
/// is called in the slot that the request has, and decides nothing.
///
/// ```
/// use robosieve::Agents;
/// use robosieve_gate::retrieve::{Fetched, Request};
/// use robosieve_gate::{Core, Gate, MemoryStore, Settings};
/// # mod client { pub async fn get(_: &str) -> Result<(u16, Vec<(String, Vec<u8>)>, Vec<u8>), String> { Err("".into()) } }
/// let fetch = |request: Request| async move {
///     match client::get(request.url.as_str()).await {
///         Ok((status, headers, body)) => {
///             let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
///             Fetched::new(status, body).headers(headers)
///         }
///         Err(why) => Fetched::failed(&why),
///     }
/// };
/// let gate = Gate::new(fetch, Core::new(Settings::new(Agents::new(["MyBot"])), MemoryStore::default()));
/// ```
pub trait Fetch {
    /// Makes the request.
    fn fetch(&self, request: Request) -> impl Future<Output = Fetched> + Send;
}

impl<F, Came> Fetch for F
where
    F: Fn(Request) -> Came + Sync,
    Came: Future<Output = Fetched> + Send,
{
    fn fetch(&self, request: Request) -> impl Future<Output = Fetched> + Send {
        self(request)
    }
}

/// Answers whether a URL may be fetched now, and retrieves robots.txt if that is needed. For async code over tokio, and
/// with [`Gate::ask_blocking`] for threads.
///
/// Clones share everything. The store is used in tokio's threads for blocking work if it
/// [blocks](crate::keep::Store::blocks).
#[derive(Debug)]
pub struct Gate<F> {
    client: Arc<F>,
    core: Arc<Core>,
    clock: RunClock,
}

impl<F> Clone for Gate<F> {
    fn clone(&self) -> Self {
        Self { client: Arc::clone(&self.client), core: Arc::clone(&self.core), clock: self.clock }
    }
}

impl<F> Gate<F> {
    /// Creates a gate over a core.
    pub fn new(client: F, core: impl Into<Arc<Core>>) -> Self {
        Self { client: Arc::new(client), core: core.into(), clock: RunClock::default() }
    }

    /// The core.
    pub const fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// The time of the gate's clock.
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Takes in how a request for a page ended: as [`Core::observe`].
    ///
    /// # Errors
    /// If the URL is not one that can have a robots.txt, or if the store fails.
    pub async fn observe(&self, url: &str, page: Page) -> Result<(), Error> {
        let (url, now) = (url.to_owned(), self.now());
        self.with_core(move |core| core.observe(&url, &page, now)).await.unwrap_or_else(Err)
    }

    async fn sleep_until(&self, until: Moment) {
        let wait = until.since(self.now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }

    /// Uses the core in this task, or in a thread for blocking work if its store blocks.
    async fn with_core<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<Core>) -> T + Send + 'static,
    ) -> Result<T, Error> {
        if !self.core.store().blocks() {
            return Ok(work(&self.core));
        }
        let core = Arc::clone(&self.core);
        let done = tokio::task::spawn_blocking(move || work(&core)).await;
        done.map_err(|error| Error::store(format!("its thread ended: {error}")))
    }

    fn failed(&self, error: &Error) -> Answer {
        Answer::of_error(error, self.now().after(Core::HOLD_OFF))
    }

    /// How long a caller waits for another's retrieval: as long as one may take.
    fn patience(&self) -> Duration {
        let settings = self.core.settings();
        settings.limits.budget.saturating_add(settings.pacing.robots_txt_wait).saturating_add(LONGEST_WAIT)
    }
}

impl<F: Fetch> Gate<F> {
    /// Asks about a URL.
    pub async fn ask(&self, url: &str, ask: Ask) -> Answer {
        let next = self.question(url, ask).await;
        self.answer(url, ask, next).await
    }

    /// The answer that a question leads to.
    async fn answer(&self, url: &str, ask: Ask, mut next: Next) -> Answer {
        let began = self.now();
        loop {
            next = match next {
                Next::Answer(answer) => return answer,
                Next::Fetch(errand) => Box::pin(self.run(errand)).await.1,
                Next::Again(until) if until > began.after(self.patience()) => {
                    return Answer::not_asked("another retrieval of its robots.txt does not end", until);
                }
                Next::Again(until) => {
                    self.sleep_until(until).await;
                    self.question(url, ask).await
                }
            };
        }
    }

    /// Waits until this URL may be fetched, and takes the slot then: `go` means now. Any other answer comes at once; so
    /// does a wait that would be longer than [`Pacing::max_wait`](crate::pace::Pacing::max_wait), as `queue`.
    pub async fn turn(&self, url: &str) -> Answer {
        let longest = self.core.settings().pacing.max_wait;
        loop {
            let answer = self.ask(url, Ask::Start).await;
            let Some(until) = answer.until.filter(|_| answer.action == Action::Wait) else { return answer };
            let now = self.now();
            if until.since(now) > longest {
                return Answer::not_before(until, "queue", now);
            }
            tokio::time::sleep(until.since(now).max(Duration::from_millis(1))).await;
        }
    }

    /// The report on a site, with its rules, its crawl delay and its sitemaps, after a retrieval if it is due. If there
    /// is none, the answer says why.
    ///
    /// # Errors
    /// If the site could not be asked, or if the store fails.
    pub async fn site(&self, origin: &Origin) -> Result<SiteReport, Answer> {
        let answer = self.ask(&origin.robots_txt(), Ask::Permission).await;
        if !answer.is_allowed() {
            return Err(answer);
        }
        let (own, now) = (origin.clone(), self.now());
        let report = self.with_core(move |core| core.report(&own, now)).await.unwrap_or_else(Err);
        report.map_err(|error| self.failed(&error))?.ok_or(answer)
    }

    /// Retrieves a site's robots.txt, even if it is known, with each request in its slot. The gate learns what came.
    pub async fn retrieve(&self, origin: &Origin) -> Retrieval {
        /// So often, a retrieval that has no slot soon begins anew.
        const MOST: usize = 3;
        let mut last = Retrieval::of(origin.clone(), Outcome::NotAsked, None, "", self.now());
        for _ in 0..MOST {
            let (own, now) = (origin.clone(), self.now());
            let next = self.with_core(move |core| core.retrieve(&own, now)).await;
            let (came, next) = match next.unwrap_or_else(|error| Next::Answer(self.failed(&error))) {
                Next::Fetch(errand) => self.run(errand).await,
                next => (None, next),
            };
            let until = match (came, next) {
                (Some(came), _) => {
                    last = came;
                    last.not_before
                }
                (None, Next::Answer(answer)) => {
                    last.error = Some(answer.error.unwrap_or(answer.why));
                    answer.until.filter(|_| answer.action == Action::Wait)
                }
                (None, Next::Again(until)) => Some(until),
                (None, Next::Fetch(_)) => None,
            };
            let Some(until) = until else { break };
            self.sleep_until(until).await;
        }
        last
    }

    async fn question(&self, url: &str, ask: Ask) -> Next {
        let (url, now) = (url.to_owned(), self.now());
        self.with_core(move |core| core.ask(&url, ask, now))
            .await
            .unwrap_or_else(|error| Next::Answer(self.failed(&error)))
    }

    /// Makes all requests of a retrieval, each in its slot: what it came to, if its end is known, and what is next.
    async fn run(&self, mut errand: Errand) -> (Option<Retrieval>, Next) {
        loop {
            self.sleep_until(errand.starts_at()).await;
            let fetched = self.client.fetch(errand.request().clone()).await;
            let now = self.now();
            let stepped = self.with_core(move |_| errand.step(fetched, now)).await;
            match stepped.unwrap_or_else(|error| (None, Next::Answer(self.failed(&error)))) {
                (None, Next::Fetch(next)) => errand = next,
                ended => return ended,
            }
        }
    }
}

impl<F: Fetch + Send + Sync> Gate<F> {
    /// The same as [`Gate::ask`] for code that blocks, in a runtime of its own.
    pub fn ask_blocking(&self, url: &str, ask: Ask) -> Answer {
        let now = self.now();
        let next = match self.core.ask(url, ask, now) {
            // What is known needs no runtime.
            Next::Answer(answer) => return answer,
            next => next,
        };
        self.block_on(self.answer(url, ask, next)).unwrap_or_else(|error| {
            let why = format!("no place to wait for the network: {error}");
            Answer::not_asked(&why, now.after(Core::HOLD_OFF))
        })
    }

    /// Runs work of this gate in a runtime of its own. Inside another runtime, which has its thread, in a thread of its
    /// own.
    ///
    /// # Errors
    /// If there is no runtime or no thread.
    pub fn block_on<T: Send>(&self, work: impl Future<Output = T> + Send) -> io::Result<T> {
        let run = || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let done = runtime.block_on(work);
            // A look-up that hangs would hold it otherwise.
            runtime.shutdown_background();
            Ok(done)
        };
        if Handle::try_current().is_err() {
            return run();
        }
        thread::scope(|scope| {
            let thread = thread::Builder::new().spawn_scoped(scope, run)?;
            thread.join().unwrap_or_else(|_| Err(io::Error::other("its thread ended")))
        })
    }
}
