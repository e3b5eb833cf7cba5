//! Checks of URLs, each in its turn and within a time.
//!
//! Invariant: a turn is held until its check has ended, also if the one who asked has gone or was answered.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use robosieve::report::FindingClass;
use robosieve_gate::crawl::CheckedUrl;
use tokio::time::timeout;

use super::super::answers::{Answered, Unusable};
use super::super::asker::Asker;
use super::super::feed::MAX_URL;
use super::replies::{self, Reply, refused};
use super::turns::Turns;

/// Why a check has no answer.
pub(super) enum NoAnswer {
    Busy(&'static str),
    Slow,
    Failed,
}

pub(super) struct Checks {
    pub(super) gate: Asker,
    pub(super) fail_on: Arc<[FindingClass]>,
    pub(super) turns: Turns,
    /// The time for a check. A site may take longer, then the next check has its answer.
    pub(super) cut: Duration,
}

impl Checks {
    /// The line of JSON for a URL, as `check --json` prints it.
    pub(super) async fn line(&self, url: String) -> Result<Vec<u8>, NoAnswer> {
        if url.len() > MAX_URL {
            let start = url.chars().take(80).collect();
            return Answered::unusable(start, Unusable::TooLong).json().map_err(|_| NoAnswer::Failed);
        }
        let turn = self.turns.of(&url).await.map_err(NoAnswer::Busy)?;
        let (gate, fail_on) = (Arc::clone(&self.gate), Arc::clone(&self.fail_on));
        let checked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            Answered::new(CheckedUrl::check(&gate, url), &fail_on).json()
        });
        match timeout(self.cut, checked).await {
            Ok(Ok(Ok(line))) => Ok(line),
            Ok(_) => Err(NoAnswer::Failed),
            Err(_) => Err(NoAnswer::Slow),
        }
    }

    pub(super) async fn reply(&self, url: String) -> Reply {
        match self.line(url).await {
            Ok(line) => replies::json(StatusCode::OK, line),
            Err(no_answer) => no_answer.reply(),
        }
    }
}

impl NoAnswer {
    fn reply(&self) -> Reply {
        let then = "do not fetch the URL; ask again later";
        match self {
            Self::Busy(why) => replies::busy(why),
            Self::Slow => refused(StatusCode::GATEWAY_TIMEOUT, "the check takes too long", then),
            Self::Failed => refused(StatusCode::INTERNAL_SERVER_ERROR, "the check failed", then),
        }
    }
}
