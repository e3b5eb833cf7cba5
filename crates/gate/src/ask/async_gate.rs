//! The gate for async code: it retrieves a site's robots.txt when it is due, and waits without blocking a thread.
//!
//! Invariant: all decisions are the core's. This adds an async retriever, and waiting. A question that is dropped
//! leaves the gate unchanged: another one gets its flight.

use std::sync::Arc;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve::value::HttpUrl;

use crate::ask::answer::{Answer, GateError, Why};
use crate::ask::flight::Learnt;
use crate::ask::gate_core::{GateCore, Next};
use crate::decide::site_report::SiteReport;
use crate::keep::SharedStore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::pacing::Page;
use crate::retrieve::head::Head;
use crate::retrieve::retriever::AsyncRetriever;
use crate::store_error::StoreError;

/// Answers whether a URL may be fetched now, in async code over tokio.
///
/// Clones share everything. The store is used in tokio's threads for blocking work if it
/// [blocks](crate::keep::Store::blocks).
///
/// ```
/// use robosieve::agent::Agents;
/// use robosieve_gate::{AsyncGate, GateCore, MemoryStore};
/// use robosieve_gate::retrieve::{Fetched, Request};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// # #[derive(Clone)]
/// # struct Client;
/// # impl Client {
/// #     async fn get(&self, url: &str) -> (u16, Vec<u8>) {
/// #         assert!(url.ends_with("/robots.txt"));
/// #         (200, b"User-agent: *\nDisallow: /private\n".to_vec())
/// #     }
/// # }
/// let client = Client; // Your own: it follows no redirect.
/// let core = GateCore::new(MemoryStore::default(), Agents::new(["MyBot"]));
/// let gate = AsyncGate::over(
///     move |request: Request| {
///         // Clients share what they hold, so a clone costs little.
///         let client = client.clone();
///         async move {
///             let (status, body) = client.get(request.url.as_str()).await;
///             Fetched::new(status, body)
///         }
///     },
///     core,
/// );
/// # async fn run<R: robosieve_gate::retrieve::AsyncRetriever>(gate: AsyncGate<R>) -> Result<(), robosieve_gate::GateError> {
/// assert!(gate.permits("https://example.com/a").await?.is_allowed());
/// assert!(!gate.permits("https://example.com/private").await?.is_allowed());
/// # Ok(()) }
/// # run(gate).await.unwrap();
/// # });
/// ```
#[derive(Debug)]
pub struct AsyncGate<R> {
    retriever: Arc<R>,
    core: Arc<GateCore>,
}

impl<R> Clone for AsyncGate<R> {
    fn clone(&self) -> Self {
        Self { retriever: Arc::clone(&self.retriever), core: Arc::clone(&self.core) }
    }
}

impl<R> AsyncGate<R> {
    /// Creates a gate for a crawler with these product tokens, with defaults.
    #[must_use]
    pub fn new(retriever: R, store: impl Into<SharedStore>, agents: Agents) -> Self {
        Self::over(retriever, GateCore::new(store, agents))
    }

    /// Creates a gate over a core.
    #[must_use]
    pub fn over(retriever: R, core: impl Into<Arc<GateCore>>) -> Self {
        Self { retriever: Arc::new(retriever), core: core.into() }
    }

    /// The core.
    #[must_use]
    pub fn core(&self) -> &GateCore {
        &self.core
    }

    /// The retriever.
    #[must_use]
    pub fn retriever(&self) -> &R {
        &self.retriever
    }
}

/// A question of the core about a URL.
type Ask = fn(&GateCore, &str, Moment, Option<Learnt>) -> Result<Next<Answer>, GateError>;

impl<R: AsyncRetriever> AsyncGate<R> {
    /// May this URL be fetched now? [`Answer::Allowed`] takes the lane's next slot, at the end of its wait.
    ///
    /// # Errors
    /// If the URL is not absolute or not http or https, or if the store fails.
    pub async fn check(&self, url: &str) -> Result<Answer, GateError> {
        self.ask(url, GateCore::ask_with).await
    }

    /// May this URL be fetched at all? Takes no slot.
    ///
    /// # Errors
    /// As for [`AsyncGate::check`].
    pub async fn permits(&self, url: &str) -> Result<Answer, GateError> {
        self.ask(url, GateCore::permission_with).await
    }

    /// Waits until this URL may be fetched, and takes the slot then: [`Answer::Allowed`] means now. Any other answer
    /// comes at once; so does a wait that would be longer than [`Pacing::max_wait`](crate::pace::Pacing::max_wait), as
    /// [`Why::Queue`].
    ///
    /// # Errors
    /// As for [`AsyncGate::check`].
    pub async fn turn(&self, url: &str) -> Result<Answer, GateError> {
        let longest = self.core.pacing().max_wait;
        loop {
            let own = url.to_owned();
            let answer = self.until_known(None, move |core, now, held| core.start_with(&own, now, held)).await?;
            let Answer::NotNow { until, why: Why::Pace | Why::Held } = answer else { return Ok(answer) };
            let wait = until.since(self.core.now());
            if wait > longest {
                return Ok(Answer::NotNow { until, why: Why::Queue });
            }
            tokio::time::sleep(wait.max(Duration::from_millis(1))).await;
        }
    }

    /// Takes in how a request for a page ended: as [`GateCore::observe`].
    ///
    /// # Errors
    /// If the URL is not one that can have a robots.txt, or if the store fails.
    pub async fn observe(&self, url: &str, page: Page) -> Result<(), GateError> {
        let url = url.to_owned();
        self.with_store(move |core| core.observe(&url, &page, core.now())).await
    }

    /// The same from the head of the page's response: as [`GateCore::observe_head`].
    ///
    /// # Errors
    /// As for [`AsyncGate::observe`].
    pub async fn observe_head(&self, url: &str, head: &Head, took: Duration) -> Result<(), GateError> {
        let (url, head) = (url.to_owned(), head.clone());
        self.with_store(move |core| core.observe_head(&url, &head, took, core.now())).await
    }

    /// The report on a site, after a retrieval if the site is due.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn qualify(&self, origin: &Origin) -> Result<SiteReport, GateError> {
        let origin = origin.clone();
        self.until_known(None, move |core, now, held| core.qualify_with(&origin, now, held)).await
    }

    /// The site's sitemaps, after a retrieval if the site is due.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn sitemaps(&self, origin: &Origin) -> Result<Vec<HttpUrl>, GateError> {
        let origin = origin.clone();
        self.until_known(None, move |core, now, held| core.sitemaps_with(&origin, now, held)).await
    }

    /// Asks about a URL: first in this task, if the store does not block.
    async fn ask(&self, url: &str, ask: Ask) -> Result<Answer, GateError> {
        let first = match (!self.core.store().blocks()).then(|| ask(&self.core, url, self.core.now(), None)) {
            Some(Ok(Next::Answer(answer))) => return Ok(answer),
            first => first.transpose()?,
        };
        let url = url.to_owned();
        // In a box of its own, so that an answer from memory does not carry all of this.
        Box::pin(self.until_known(first, move |core, now, held| ask(core, &url, now, held))).await
    }

    /// Asks until there is an answer. `first` is what the first question led to, if it was asked already. What has just
    /// been learnt is passed on, so there is at most one retrieval.
    async fn until_known<T, F>(&self, mut first: Option<Next<T>>, ask: F) -> Result<T, GateError>
    where
        T: Send + 'static,
        F: Fn(&GateCore, Moment, Option<Learnt>) -> Result<Next<T>, GateError> + Send + Sync + 'static,
    {
        let (ask, began, mut held) = (Arc::new(ask), self.core.now(), None);
        loop {
            let (own, learnt) = (Arc::clone(&ask), held.take());
            let next = match first.take() {
                Some(next) => next,
                None => self.with_store(move |core| own(core, core.now(), learnt)).await?,
            };
            match next {
                Next::Answer(answer) => return Ok(answer),
                Next::Wait(pending) => {
                    let again = pending.again();
                    pending.await;
                    held = again.learnt();
                }
                Next::Again(until) => {
                    self.core.expect_end(began, until)?;
                    tokio::time::sleep(until.since(self.core.now())).await;
                }
                Next::Retrieve(flight) => {
                    let wait = flight.starts_at().map_or(Duration::ZERO, |slot| slot.since(self.core.now()));
                    if !wait.is_zero() {
                        tokio::time::sleep(wait).await;
                    }
                    let turns = self.core.turns(&flight, self.core.now());
                    let retrieval = self.retriever.retrieve_in_turn(flight.origin(), flight.held(), turns);
                    let retrieval = retrieval.await;
                    held = self
                        .with_store(move |core| {
                            core.learn(flight.origin(), retrieval, core.now())?;
                            Ok(flight.learnt())
                        })
                        .await?;
                }
            }
        }
    }

    /// Uses the core in this task, or in a thread for blocking work if its store blocks.
    async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&GateCore) -> Result<T, GateError> + Send + 'static,
    ) -> Result<T, GateError> {
        if !self.core.store().blocks() {
            return work(&self.core);
        }
        let core = Arc::clone(&self.core);
        let done = tokio::task::spawn_blocking(move || work(&core)).await;
        done.unwrap_or_else(|error| Err(StoreError::Failed(format!("its thread ended: {error}")).into()))
    }
}
