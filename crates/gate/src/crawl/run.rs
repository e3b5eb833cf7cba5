//! Checks many URLs. Their sites are requested at the same time.
//!
//! Invariant: URLs of one site take its slots, and are answered, in the order in which they came, unless
//! [`Crawl::waiting`] answers each at its time. Then a slot is taken only when it is free. No site holds up another by
//! the number of its URLs. Memory is bounded for any number of URLs: those of a site beyond the first ones are in a
//! temporary file, and reading stops while [`Crawl::SITES`] wait.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::again::Again;
use super::queue::Queue;
use super::sites::{AHEAD, Line};
use super::trouble::Troubles;
use crate::ask::answer::{Answer, GateError, Why};
use crate::ask::gate::Gate;
use crate::ask::gate_core::Reasons;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::retriever::Retriever;

/// How long nobody looks whether a site that is requested again is known.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A URL and its answer.
#[derive(Debug)]
pub struct CheckedUrl {
    /// The URL as it was given.
    pub url: String,
    /// When it was checked. The wait of the answer begins here.
    pub now: Moment,
    /// The answer.
    pub answer: Result<Answer, GateError>,
    /// What it is based on.
    pub reasons: Reasons,
}

impl CheckedUrl {
    /// Checks one URL at the time of the gate's run. If a retrieval is needed, the time after it counts.
    pub fn check<R: Retriever>(gate: &Gate<R>, url: String) -> Self {
        let known = gate.permits(&url, gate.now());
        let now = gate.now();
        let answer = known.and_then(|_| gate.check(&url, now));
        Self::with_reasons(gate, url, now, answer)
    }

    /// Checks one URL at the time of the gate's run, if that needs no retrieval and waits for none.
    ///
    /// # Errors
    /// Otherwise: the URL comes back. No slot was taken.
    pub fn if_known<R: Retriever>(gate: &Gate<R>, url: String) -> Result<Self, String> {
        let now = gate.now();
        match gate.check_if_known(&url, now).transpose() {
            Some(answer) => Ok(Self::with_reasons(gate, url, now, answer)),
            None => Err(url),
        }
    }

    fn with_reasons<R: Retriever>(gate: &Gate<R>, url: String, now: Moment, answer: Result<Answer, GateError>) -> Self {
        let Ok(origin) = Origin::of(&url) else { return Self { url, now, answer, reasons: Reasons::default() } };
        match answer.and_then(|answer| Ok((answer, gate.reasons(&origin, now)?))) {
            Ok((answer, reasons)) => Self { url, now, answer: Ok(answer), reasons },
            Err(error) => {
                let reasons = Reasons { insecure: gate.is_insecure(&origin), ..Reasons::default() };
                Self { url, now, answer: Err(error), reasons }
            }
        }
    }

    /// When the URL may be fetched; `None` if the answer is not [`Answer::Allowed`].
    #[must_use]
    pub fn at(&self) -> Option<Moment> {
        match self.answer {
            Ok(Answer::Allowed { wait, .. }) => Some(self.now.after(wait)),
            _ => None,
        }
    }
}

/// How many URLs are checked: with how many threads, and whether each answer waits for its time.
///
/// ```
/// # use robosieve_gate::{Moment, Origin};
/// # use robosieve_gate::retrieve::{Outcome, Retrieval, Retriever};
/// use std::sync::Arc;
/// use robosieve::agent::Agents;
/// use robosieve_gate::{Gate, MemoryStore};
/// use robosieve_gate::crawl::Crawl;
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
    in_order: bool,
    patience: Duration,
}

impl Default for Crawl {
    fn default() -> Self {
        let threads = NonZeroUsize::new(8).unwrap_or(NonZeroUsize::MIN);
        Self { threads, is_waiting: false, in_order: false, patience: Self::PATIENCE }
    }
}

impl Crawl {
    /// The most URLs that are read ahead and not set aside for their site; in the order of the URLs, all. Our choice.
    pub const AHEAD: usize = AHEAD;

    /// The most sites, and lanes, whose URLs wait before reading stops. Our choice: 65,536, which take some 50 MB,
    /// since a site has 8 KiB of URLs in memory at most and most have one.
    pub const SITES: usize = 65_536;

    /// One minute: for so long, an answer that waits is not given up because of trouble on our side. Our choice: as
    /// long as a retrieval may take ([`RetrievalLimits::budget`](crate::retrieve::RetrievalLimits::budget)). A store
    /// that starts again takes seconds.
    pub const PATIENCE: Duration = Duration::from_secs(60);

    /// Sets the number of sites that are requested at the same time. The default is 8. A site that takes longer than
    /// half a second does not count, and there are at most 256 of these.
    #[must_use]
    pub const fn threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// Sets whether an allowed URL is returned only when it can start. It is checked once more then. By default, each
    /// answer comes as soon as it is known, and says how long to wait.
    #[must_use]
    pub const fn waiting(self, is_waiting: bool) -> Self {
        Self { is_waiting, ..self }
    }

    /// Sets for how long a URL waits while its site can't be asked because of trouble on our side, such as a store that
    /// is away, instead of [`Crawl::PATIENCE`]. It counts only with [`Crawl::waiting`]: without that, the error comes
    /// at once.
    #[must_use]
    pub const fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Sets whether the answers are in the order of the URLs. By default only those of one site are, so that a slow
    /// site delays no other.
    #[must_use]
    pub const fn in_order(self, in_order: bool) -> Self {
        Self { in_order, ..self }
    }

    /// Starts to read and check the URLs. The items that are errors come out unchanged.
    ///
    /// The threads end with the input, or after the answers are dropped. A retrieval that has begun then still ends,
    /// and a thread that is reading the input ends when the input returns.
    ///
    /// # Errors
    /// If a thread can't be started.
    pub fn run<R, E, I>(self, gate: Arc<Gate<R>>, urls: I) -> io::Result<CheckedUrls<R, E>>
    where
        R: Retriever + Send + Sync + 'static,
        E: Send + 'static,
        I: Iterator<Item = Result<String, E>> + Send + 'static,
    {
        let line = Line::start(&gate, self.threads, self.in_order, urls)?;
        Ok(CheckedUrls {
            gate,
            line,
            is_waiting: self.is_waiting,
            waiting: Queue::default(),
            again: Again::new(),
            troubles: Troubles::new(self.patience),
            next: None,
        })
    }
}

/// The answers to URLs, which [`Crawl::run`] starts. The iterator waits for the next answer.
pub struct CheckedUrls<R, E> {
    gate: Arc<Gate<R>>,
    line: Line<E>,
    is_waiting: bool,
    waiting: Queue,
    again: Again,
    troubles: Troubles,
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

impl<R: Retriever + Send + Sync + 'static, E> CheckedUrls<R, E> {
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
        self.waiting.len()
    }

    /// Looks for the next answer. `may_wait`: until there is one.
    fn look(&mut self, may_wait: bool) -> Look<E> {
        /// While URLs come in all the time, whoever buffers answers hears of a pause after so many rounds.
        const ROUNDS: u32 = 16;
        let mut rounds = 0_u32;
        loop {
            rounds = rounds.saturating_add(1);
            if !may_wait && rounds > ROUNDS {
                return Look::Nothing;
            }
            if let Some(due) = self.start_due() {
                return Look::Found(Ok(due));
            }
            self.line.catch_up();
            if let Some(lost) = self.lost() {
                return Look::Found(Ok(lost));
            }
            let may_read = self.line.sites().saturating_add(self.waiting.lanes()) < Crawl::SITES;
            if may_read && self.waiting.spill().is_sound() && self.line.spill().is_sound() {
                self.line.go_on();
            }
            if let Some((url, known)) = self.line.pop() {
                match url.map(|url| self.answer(url, known)) {
                    Ok(Some(checked)) => return Look::Found(Ok(checked)),
                    Ok(None) => continue,
                    Err(error) => return Look::Found(Err(error)),
                }
            }
            let pause = self.waiting.pause(self.gate.now());
            let pause = match pause {
                // Looks whether a site is known by now.
                _ if self.again.is_running() => Some(pause.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN)),
                pause => pause,
            };
            if self.line.is_over() {
                let Some(pause) = pause else { return Look::End };
                if !may_wait {
                    return Look::Nothing;
                }
                thread::sleep(pause);
                continue;
            }
            // Until there is news, or until the first URL that waits is due.
            let most = if may_wait { pause } else { Some(Duration::ZERO) };
            if self.line.listen(most).is_err() && !may_wait {
                return Look::Nothing;
            }
        }
    }

    /// What is said of URLs that could not be read back from the temporary file.
    fn lost(&mut self) -> Option<CheckedUrl> {
        let (count, why) = self.waiting.spill().take_lost().or_else(|| self.line.spill().take_lost())?;
        let now = self.gate.now();
        let why = format!("{count} URLs were lost: {why}");
        let answer = Err(GateError::NotAsked { why, until: now });
        Some(CheckedUrl { url: String::new(), now, answer, reasons: Reasons::default() })
    }

    /// The answer, unless it waits for its time.
    fn answer(&mut self, url: String, known: Result<(), GateError>) -> Option<CheckedUrl> {
        let now = self.gate.now();
        if !self.is_waiting {
            let answer = known.and_then(|()| self.gate.check(&url, now));
            return Some(CheckedUrl::with_reasons(&self.gate, url, now, answer));
        }
        let origin = Origin::of(&url).ok();
        if let Some(origin) = origin.as_ref().filter(|origin| self.troubles.has(origin)) {
            self.stand_behind(origin, url, now);
            return None;
        }
        let (answer, lane) = match known.and_then(|()| self.enqueue(&url, now)) {
            Ok((answer, lane)) => (Ok(answer), lane),
            Err(error) => (Err(error), String::new()),
        };
        if let Ok(Answer::NotNow { until, why: Why::Pace | Why::InFlight }) = answer {
            self.waiting.push(&lane, url, until);
            return None;
        }
        let checked = CheckedUrl::with_reasons(&self.gate, url, now, answer);
        let Some(origin) = origin else { return Some(checked) };
        match self.met(&origin, checked) {
            Ok(checked) => Some(checked),
            Err((url, again)) => {
                self.waiting.push(&Troubles::lane(&origin), url, again);
                None
            }
        }
    }

    /// Lets a URL wait with those of its site that could not be asked. Those in front of it may still be in the lane.
    fn stand_behind(&mut self, origin: &Origin, url: String, now: Moment) {
        let lane = self.gate.core().lane_of(origin).ok().filter(|lane| self.waiting.of_lane(lane) > 0);
        self.waiting.push(&lane.unwrap_or_else(|| Troubles::lane(origin)), url, now);
    }

    /// The answer, unless trouble of ours is to be waited out: then the URL, and when to ask again.
    fn met(&mut self, origin: &Origin, checked: CheckedUrl) -> Result<CheckedUrl, (String, Moment)> {
        match &checked.answer {
            Err(error) if Troubles::may_pass(error) => match self.troubles.met(origin, error, checked.now) {
                Some(again) => Err((checked.url, again)),
                None => match self.troubles.error_of(origin) {
                    Some(error) => Ok(CheckedUrl { answer: Err(error), ..checked }),
                    None => Ok(checked),
                },
            },
            _ => Ok(checked),
        }
    }

    /// The answer to a URL that may have to wait after others, and its lane.
    fn enqueue(&self, url: &str, now: Moment) -> Result<(Answer, String), GateError> {
        let origin = Origin::of(url)?;
        let lane = self.gate.core().lane_of(&origin)?;
        // Those in front of it may still be in the lane.
        let is_apart = self.waiting.of_lane(&lane) == 0 && self.is_apart(&origin, now);
        let lane = if is_apart { Troubles::lane(&origin) } else { lane };
        if self.gate.core().needs_retrieval(url, now)? {
            return Ok((Answer::NotNow { until: now, why: Why::Pace }, lane));
        }
        let permitted = self.gate.permits(url, now)?;
        if !permitted.is_allowed() {
            return Ok((permitted, lane));
        }
        if self.waiting.of_lane(&lane) > 0 {
            // However many stand before it: reading is not held up by them, so this can't be either.
            return Ok((Answer::NotNow { until: now, why: Why::Pace }, lane));
        }
        let answer = self.gate.start(url, now)?;
        match answer {
            Answer::NotNow { until, why: Why::Pace }
                if until.since(now) > self.gate.core().pace().pacing().max_wait =>
            {
                Ok((Answer::NotNow { until, why: Why::Queue }, lane))
            }
            answer => Ok((answer, lane)),
        }
    }

    /// Whether the URLs of a site wait in a queue of their own: its host holds them, but not the lane.
    fn is_apart(&self, origin: &Origin, now: Moment) -> bool {
        self.waiting.of_lane(&Troubles::lane(origin)) > 0 || self.gate.core().is_held_apart(origin, now)
    }

    /// A URL that waited and can start, or has another answer by now.
    fn start_due(&mut self) -> Option<CheckedUrl> {
        while let Some(lane) = self.again.ended() {
            self.waiting.offer(&lane, self.gate.now());
        }
        // Other work goes on after so many steps.
        for _ in 0..AHEAD {
            let now = self.gate.now();
            let (lane, url) = self.waiting.first(now)?;
            let Ok(origin) = Origin::of(&url) else {
                self.waiting.pop(&lane, now);
                continue;
            };
            let fresh = self.again.fresh(&lane);
            let (own, has_trouble) = (Troubles::lane(&origin), self.troubles.has(&origin));
            if own != lane && (has_trouble || self.is_apart(&origin, now)) {
                self.waiting.pop(&lane, now);
                self.waiting.push(&own, url, now);
                continue;
            }
            if let Some(error) = self.troubles.given_up(&origin, now) {
                self.waiting.pop(&lane, now);
                return Some(CheckedUrl::with_reasons(&self.gate, url, now, Err(error)));
            }
            if fresh.is_none() && self.gate.core().needs_retrieval(&url, now).unwrap_or(false) {
                if self.again.ask(&self.gate, &lane, &url) {
                    self.waiting.park(&lane);
                } else {
                    self.waiting.offer(&lane, now.after(LOOK_AGAIN));
                }
                continue;
            }
            let answer = match fresh {
                // To ask again could mean a retrieval here.
                Some(Err(error)) => Err(error),
                _ => self.gate.start(&url, now),
            };
            if let Ok(Answer::NotNow { until, why: Why::Pace | Why::InFlight | Why::Crowded | Why::Queue }) = answer {
                // A millisecond at least, so that this ends.
                self.waiting.offer(&lane, until.max(now.after(Duration::from_millis(1))));
                if has_trouble {
                    self.troubles.passed(&origin, self.waiting.of_lane(&lane));
                }
                continue;
            }
            let checked = CheckedUrl::with_reasons(&self.gate, url, now, answer);
            let is_failed = checked.answer.as_ref().is_err_and(Troubles::may_pass);
            match self.met(&origin, checked) {
                Ok(checked) => {
                    self.waiting.pop(&lane, now);
                    if has_trouble && !is_failed {
                        self.troubles.passed(&origin, self.waiting.of_lane(&lane));
                    }
                    return Some(checked);
                }
                // A store that is away may take its time for each call, so that is enough for now.
                Err((_, again)) if has_trouble => {
                    self.waiting.offer(&lane, again);
                    return None;
                }
                Err((url, again)) => {
                    self.waiting.pop(&lane, now);
                    self.waiting.push(&Troubles::lane(&origin), url, again);
                    return None;
                }
            }
        }
        None
    }
}

impl<R: Retriever + Send + Sync + 'static, E> Iterator for CheckedUrls<R, E> {
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
