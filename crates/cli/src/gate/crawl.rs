//! `crawl-check`: many URLs, with their times.
//!
//! Invariant: URLs take the slots of their hosts in the order in which they came, and are answered in that order too, unless `--wait`
//! orders them by time. Memory is bounded however many come: [`AHEAD`] URLs are read ahead so that their sites can be asked at the same
//! time, one retrieval a site.

use std::collections::HashMap;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use robosieve_gate::{Answer, GateError, Moment, Origin};

use super::answers::Answered;
use super::args::CrawlArgs;
use super::asker::{Asker, tell_who};
use super::check::store_failed;
use super::feed::{Feed, Found, no_urls};
use super::identity::Identity;
use super::told::Told;
use super::waiting::Waiting;
use crate::choices::FailOn;
use crate::exit::{self, Code, Failure};
use crate::{input, output, text};

/// URLs that are read ahead. Our choice: 64 MiB of the longest.
const AHEAD: usize = 4_096;

/// As long as what a site said holds: a time further off can't be promised.
const MAX_WAIT: Duration = Duration::from_secs(86_400);

pub(super) fn run(args: &CrawlArgs) -> Result<Code, Failure> {
    let who = Identity::of_crawler(&args.who)?;
    if input::is_stdin(&args.files_from) && io::stdin().is_terminal() {
        exit::tell("reading URLs from the terminal, one a line");
    }
    let feed = Feed::open(&args.files_from)?;
    let asker = Arc::new(Asker::new(&who, (&args.net, &args.policy, &args.pace), MAX_WAIT, args.store.as_deref())?);
    if args.quiet {
        asker.hush();
    } else {
        tell_who(&who);
    }
    let entries = read_ahead(feed, &asker, args.jobs.get())?;
    let mut crawl = Crawl {
        args,
        asker,
        entries,
        held: None,
        waiting: Waiting::default(),
        fail_on: args.fail_on.clone(),
        told: Told::default(),
        tally: Tally::default(),
        bar: bar(args),
        out: output::stdout(),
    };
    let done = crawl.run();
    crawl.bar.finish_and_clear();
    done?;
    if crawl.tally.all == 0 && input::is_stdin(&args.files_from) {
        return Err(no_urls());
    }
    if !args.quiet {
        exit::tell(&crawl.tally.words(crawl.asker.retrievals()));
    }
    Ok(crawl.tally.code)
}

/// Progress is for a terminal on which no answers appear.
fn bar(args: &CrawlArgs) -> ProgressBar {
    let shows = !args.quiet && !io::stdout().is_terminal();
    ProgressBar::with_draw_target(None, if shows { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() })
}

/// A URL on its way.
struct Entry {
    found: Found,
    /// Of its site; none for what has no site.
    ticket: Option<Arc<Ticket>>,
}

enum Coming {
    Entry(Entry),
    /// The input can't be read on.
    Failed(io::Error),
}

/// Says when a site has been asked.
#[derive(Default)]
struct Ticket {
    done: Mutex<Option<Result<(), String>>>,
    bell: Condvar,
}

impl Ticket {
    fn finish(&self, outcome: Result<(), String>) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.get_or_insert(outcome);
        self.bell.notify_all();
    }

    /// What came of it, if that is known within the time.
    fn wait(&self, within: Option<Duration>) -> Option<Result<(), String>> {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let pends = |done: &mut Option<_>| done.is_none();
        let done = match within {
            Some(within) => self.bell.wait_timeout_while(done, within, pends).unwrap_or_else(PoisonError::into_inner).0,
            None => self.bell.wait_while(done, pends).unwrap_or_else(PoisonError::into_inner),
        };
        done.clone()
    }
}

/// A site to fetch. When it ends in any way, all waiting URLs are notified.
struct Job {
    url: String,
    ticket: Arc<Ticket>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.ticket.finish(Err("a fetch stopped because of a bug in this program".into()));
    }
}

/// Starts the threads that read URLs and ask their sites. They end with the input, or with the program.
fn read_ahead(feed: Feed, asker: &Arc<Asker>, threads: usize) -> Result<Receiver<Coming>, Failure> {
    let failed = |error: io::Error| Failure::Io(format!("no thread can be started: {error}; try fewer --jobs"));
    let (to_ask, jobs) = mpsc::sync_channel::<Job>(AHEAD);
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..threads {
        let (jobs, asker) = (Arc::clone(&jobs), Arc::clone(asker));
        thread::Builder::new().spawn(move || ask(&jobs, &asker)).map_err(failed)?;
    }
    let (sender, entries) = mpsc::sync_channel(AHEAD);
    thread::Builder::new().spawn(move || read(feed, &to_ask, &sender)).map_err(failed)?;
    Ok(entries)
}

fn ask(jobs: &Mutex<Receiver<Job>>, asker: &Asker) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        job.ticket.finish(asker.learn(&job.url).map_err(|error| error.to_string()));
    }
}

fn read(mut feed: Feed, to_ask: &SyncSender<Job>, entries: &SyncSender<Coming>) {
    let mut tickets: HashMap<Origin, Weak<Ticket>> = HashMap::new();
    loop {
        let coming = match feed.next() {
            Ok(None) => return,
            Ok(Some(found)) => {
                let (ticket, job) = ticket_for(&found, &mut tickets);
                // Without anyone to ask there is nobody to answer either.
                if job.is_some_and(|job| to_ask.send(job).is_err()) {
                    return;
                }
                Coming::Entry(Entry { found, ticket })
            }
            Err(error) => Coming::Failed(error),
        };
        let is_last = matches!(coming, Coming::Failed(_));
        if entries.send(coming).is_err() || is_last {
            return;
        }
    }
}

/// The ticket of a URL's site, and the job to do for it unless another URL on its way has one.
fn ticket_for(found: &Found, tickets: &mut HashMap<Origin, Weak<Ticket>>) -> (Option<Arc<Ticket>>, Option<Job>) {
    let Some((url, origin)) = found.as_ref().ok().and_then(|url| Some((url, Origin::of(url).ok()?))) else {
        return (None, None);
    };
    if let Some(ticket) = tickets.get(&origin).and_then(Weak::upgrade) {
        return (Some(ticket), None);
    }
    if tickets.len() > AHEAD.saturating_mul(2) {
        tickets.retain(|_, ticket| ticket.strong_count() > 0);
    }
    let ticket = Arc::new(Ticket::default());
    tickets.insert(origin, Arc::downgrade(&ticket));
    (Some(Arc::clone(&ticket)), Some(Job { url: url.clone(), ticket }))
}

/// The end of the line, where URLs are answered.
struct Crawl<'c> {
    args: &'c CrawlArgs,
    asker: Arc<Asker>,
    entries: Receiver<Coming>,
    /// The URL whose site is not known yet.
    held: Option<Entry>,
    waiting: Waiting,
    fail_on: Vec<FailOn>,
    told: Told,
    tally: Tally,
    bar: ProgressBar,
    out: BufWriter<StdoutLock<'static>>,
}

/// What to do after a look at the input.
enum Look {
    Found(Entry),
    Nothing,
    End,
}

impl Crawl<'_> {
    fn run(&mut self) -> Result<(), Failure> {
        let mut is_open = true;
        while is_open || !self.waiting.is_empty() {
            self.release()?;
            if is_open && !self.waiting.is_full() {
                match self.look()? {
                    Look::Found(entry) => self.answer(entry)?,
                    Look::Nothing => {}
                    Look::End => is_open = false,
                }
            } else if let Some(pause) = self.waiting.pause(Moment::now()) {
                self.flush()?;
                thread::sleep(pause);
            }
        }
        self.flush()
    }

    /// The next URL whose site is known. Waits for it, but at most until the time of a delayed answer.
    fn look(&mut self) -> Result<Look, Failure> {
        let entry = match self.held.take().map_or_else(|| self.next(), |entry| Ok(Look::Found(entry)))? {
            Look::Found(entry) => entry,
            other => return Ok(other),
        };
        let Some(ticket) = entry.ticket.clone() else { return Ok(Look::Found(entry)) };
        let known = match ticket.wait(Some(Duration::ZERO)) {
            None => {
                self.flush()?;
                ticket.wait(self.waiting.pause(Moment::now()))
            }
            known => known,
        };
        if let Some(outcome) = known {
            return outcome.map(|()| Look::Found(entry)).map_err(Failure::Io);
        }
        self.held = Some(entry);
        Ok(Look::Nothing)
    }

    fn next(&mut self) -> Result<Look, Failure> {
        let coming = match self.entries.try_recv() {
            Ok(coming) => Ok(coming),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {
                self.flush()?;
                match self.waiting.pause(Moment::now()) {
                    Some(pause) => self.entries.recv_timeout(pause),
                    None => self.entries.recv().map_err(|_| RecvTimeoutError::Disconnected),
                }
            }
        };
        match coming {
            Ok(Coming::Entry(entry)) => Ok(Look::Found(entry)),
            Ok(Coming::Failed(error)) => {
                let name = text::name_of(&self.args.files_from);
                Err(Failure::Io(format!("{name}: {error}; the URLs before this were checked")))
            }
            Err(RecvTimeoutError::Timeout) => Ok(Look::Nothing),
            Err(RecvTimeoutError::Disconnected) => Ok(Look::End),
        }
    }

    fn answer(&mut self, entry: Entry) -> Result<(), Failure> {
        let now = Moment::now();
        let answered = match entry.found {
            Ok(url) => {
                let answer = self.asker.check(&url, now);
                self.answered(url, now, answer)?
            }
            Err((url, unusable)) => Answered::unusable(url, unusable),
        };
        match answered.at().filter(|&at| self.args.wait && at > now) {
            Some(at) => self.waiting.push(at, answered),
            None => self.write(&answered)?,
        }
        self.tick();
        Ok(())
    }

    /// The answer, with the findings in the site's file, which are reported once.
    fn answered(&mut self, url: String, now: Moment, answer: Result<Answer, GateError>) -> Result<Answered, Failure> {
        let findings = self.asker.findings(&url).map_err(|error| store_failed(&error))?;
        if let Some(findings) = findings.as_ref().filter(|_| !self.args.quiet) {
            self.bar.suspend(|| self.told.tell(&url, findings));
        }
        let answered = Answered::new(url, now, answer).map_err(|error| store_failed(&error))?;
        Ok(answered.with_findings(findings, &self.fail_on))
    }

    /// Writes what has waited long enough, unless the site has said otherwise meanwhile.
    fn release(&mut self) -> Result<(), Failure> {
        while let Some(held) = self.waiting.pop_due(Moment::now()) {
            let answer = self.asker.permits(&held.url);
            let answered = self.answered(held.url, Moment::now(), answer)?;
            self.write(&answered)?;
            self.flush()?;
            self.tick();
        }
        Ok(())
    }

    fn write(&mut self, answered: &Answered) -> Result<(), Failure> {
        self.tally.count(answered);
        let line = if self.args.json {
            answered.json()
        } else if self.args.urls {
            let url = answered.at().and_then(|_| answered.target());
            Ok(url.map_or(Vec::new(), |url| (text::escape(url.as_bytes()) + "\n").into_bytes()))
        } else {
            Ok(answered.line())
        };
        line.and_then(|line| self.out.write_all(&line)).map_err(|error| Failure::stdout(&error))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Failure::stdout(&error))
    }

    fn tick(&self) {
        if !self.bar.is_hidden() {
            let (done, waiting, sites) = (self.tally.all, self.waiting.len(), self.asker.retrievals());
            self.bar.set_message(format!("{done} checked, {waiting} waiting, {sites} sites fetched"));
            self.bar.tick();
        }
    }
}

/// What the answers came to.
#[derive(Debug)]
struct Tally {
    all: u64,
    verdicts: [(&'static str, u64); 6],
    last: Option<Moment>,
    code: Code,
}

impl Default for Tally {
    fn default() -> Self {
        let verdicts = ["allowed", "denied", "closed", "not-now", "refused", "unusable"].map(|verdict| (verdict, 0));
        Self { all: 0, verdicts, last: None, code: Code::Fine }
    }
}

impl Tally {
    fn count(&mut self, answered: &Answered) {
        self.all = self.all.saturating_add(1);
        if let Some(entry) = self.verdicts.iter_mut().find(|entry| entry.0 == answered.verdict()) {
            entry.1 = entry.1.saturating_add(1);
        }
        self.last = self.last.max(answered.at());
        self.code = self.code.and(answered.code());
    }

    fn words(&self, retrievals: u64) -> String {
        let counts: Vec<String> = self
            .verdicts
            .iter()
            .filter(|entry| entry.1 > 0)
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        let counts = if counts.is_empty() { "nothing to do".to_owned() } else { counts.join(", ") };
        let last = self.last.map_or(String::new(), |last| format!("; the last may be fetched at {last}"));
        let asked = text::counted(retrievals, "robots.txt was", "robots.txt files were");
        format!("{}: {counts}; {asked} asked for{last}", text::counted(self.all, "URL", "URLs"))
    }
}
