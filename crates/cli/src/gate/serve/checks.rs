//! Checks of URLs, each in its turn and within a time.
//!
//! Invariant: a turn is held until its check has ended, also if the one who asked has gone or was answered. What is
//! known of a site is said in a turn that no retrieval can hold, so sites that do not answer delay no known one.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use robosieve::report::FindingClass;
use robosieve_gate::Moment;
use robosieve_gate::crawl::CheckedUrl;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::super::answers::MAX_URL;
use super::super::answers::{Answered, Unusable};
use super::super::asker::Asker;
use super::super::http::messages::{self, Reply, refused};
use super::turns::{Turn, Turns, host};

/// The hosts of one request that are checked at a time, so that it leaves turns for others. Our choice.
const HOSTS_OF_ONE: usize = 16;

/// Why a check has no answer.
pub(super) enum NoAnswer {
    Busy(&'static str),
    Slow,
    Failed,
}

pub(super) struct Checks {
    pub(super) gate: Asker,
    pub(super) fail_on: Arc<[FindingClass]>,
    /// For what is known.
    pub(super) quick: Turns,
    /// For retrievals, and for what waits for them.
    pub(super) slow: Turns,
    /// The time for a check. A site may take longer, then the next check has its answer.
    pub(super) cut: Duration,
}

impl Checks {
    /// The line of JSON for a URL, as `check --json` prints it.
    async fn line(&self, url: String, end: Instant) -> Result<Vec<u8>, NoAnswer> {
        if Instant::now() >= end {
            return Err(NoAnswer::Slow);
        }
        if url.len() > MAX_URL {
            let start = url.chars().take(80).collect();
            return Answered::unusable(start, Unusable::TooLong(None)).json().map_err(|_| NoAnswer::Failed);
        }
        let turn = self.quick.of(&url).await.map_err(NoAnswer::Busy)?;
        let gate = Arc::clone(&self.gate);
        let checked = match within(turn, end, move || CheckedUrl::if_known(&gate, url)).await? {
            Ok(checked) => checked,
            Err(url) => {
                let turn = self.slow.of(&url).await.map_err(NoAnswer::Busy)?;
                let gate = Arc::clone(&self.gate);
                within(turn, end, move || CheckedUrl::check(&gate, url)).await?
            }
        };
        Answered::new(checked, &self.fail_on).json().map_err(|_| NoAnswer::Failed)
    }

    fn end(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.cut).unwrap_or(now)
    }

    /// The lines for several URLs as one array in their order. Those of a host are checked one after the other, so that
    /// they have their slots in their order, and hosts do not wait for each other. What has no answer says so.
    pub(super) async fn many(self: Arc<Self>, urls: Vec<String>) -> Reply {
        let mut hosts: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        for (place, url) in urls.into_iter().enumerate() {
            hosts.entry(host(&url)).or_default().push((place, url));
        }
        let (end, mut running) = (self.end(), JoinSet::new());
        let turns = Arc::new(Semaphore::new(HOSTS_OF_ONE));
        for urls in hosts.into_values() {
            let (checks, turns) = (Arc::clone(&self), Arc::clone(&turns));
            running.spawn(async move {
                // Nobody closes it.
                let _turn = turns.acquire().await;
                let mut lines = Vec::new();
                for (place, url) in urls {
                    let line = match checks.line(url.clone(), end).await {
                        Ok(line) => Ok(line),
                        Err(why) => why.line(url),
                    };
                    lines.push((place, line));
                }
                lines
            });
        }
        let mut lines: Vec<_> = running.join_all().await.into_iter().flatten().collect();
        lines.sort_by_key(|(place, _)| *place);
        let lines: io::Result<Vec<Vec<u8>>> = lines.into_iter().map(|(_, line)| line).collect();
        match lines {
            Ok(lines) => {
                let lines: Vec<&[u8]> = lines.iter().map(|line| line.trim_ascii_end()).collect();
                let body = [b"{\"v\":1,\"answers\":[", lines.join(&b","[..]).as_slice(), b"]}\n"].concat();
                messages::json(StatusCode::OK, body)
            }
            Err(_) => NoAnswer::Failed.reply(),
        }
    }

    pub(super) async fn reply(&self, url: String) -> Reply {
        match self.line(url, self.end()).await {
            Ok(line) => messages::json(StatusCode::OK, line),
            Err(no_answer) => no_answer.reply(),
        }
    }
}

/// Does what may block in a thread for that, within a time. It keeps its turn until it has ended.
async fn within<T: Send + 'static>(
    turn: Turn,
    end: Instant,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NoAnswer> {
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    match timeout_at(end, done).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(NoAnswer::Failed),
        Err(_) => Err(NoAnswer::Slow),
    }
}

impl NoAnswer {
    const fn words(&self) -> &'static str {
        match self {
            Self::Busy(why) => why,
            Self::Slow => "the check takes too long",
            Self::Failed => "the check failed",
        }
    }

    /// The line for a URL among others.
    fn line(&self, url: String) -> io::Result<Vec<u8>> {
        let again = Moment::now().after(Duration::from_secs(1));
        Answered::unusable(url, Unusable::NotAsked(self.words().into(), Some(again))).json()
    }

    fn reply(&self) -> Reply {
        let then = "do not fetch the URL; ask again later";
        match self {
            Self::Busy(why) => messages::busy(why),
            Self::Slow => refused(StatusCode::GATEWAY_TIMEOUT, self.words(), then),
            Self::Failed => refused(StatusCode::INTERNAL_SERVER_ERROR, self.words(), then),
        }
    }
}
