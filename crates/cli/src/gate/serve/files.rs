//! Files that a request has with it: their canonical text, and verdicts.
//!
//! Invariant: an answer is that of `filter --ndjson` or `test --ndjson` to the same request. Nothing is retrieved, and
//! no file of this machine is read. A request costs what its limits allow, and few are answered at a time.

use std::io;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Incoming;
use robosieve::agent::Agents;
use robosieve_ask::Settings;
use robosieve_batch::requests::{self, Replied, Request};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::super::http::messages::{self, PATIENCE, Reply, refused};
use crate::ndjson::{Defaults, Problem, Server};
use crate::{filter, test};

/// The bytes of a request, and of its file when it is unpacked. Our choice: twice what is read of a robots.txt.
const MAX_FILE: usize = 1 << 20;
/// The URLs of a request. Each is compared with every rule of the file. Our choice.
const MAX_URLS: usize = 1_000;
/// Requests that are answered at a time: they cost time of a processor only.
pub(super) const MAX_FILES: usize = 4;

/// What is asked about a file.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    Text,
    Verdicts,
}

pub(super) struct Files {
    /// For requests that name no agent.
    agents: Option<Agents>,
    turns: Arc<Semaphore>,
}

impl Files {
    pub(super) fn new(agents: &Agents) -> Self {
        let agents = Some(agents.clone()).filter(|agents| agents.iter().next().is_some());
        Self { agents, turns: Arc::new(Semaphore::new(MAX_FILES)) }
    }

    pub(super) async fn reply(&self, wanted: Wanted, body: Incoming) -> Reply {
        let body = match messages::body(body, MAX_FILE).await {
            Ok(body) => body,
            Err(refused) => return refused,
        };
        let Ok(Ok(turn)) = timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await else {
            return messages::busy("as many files are read as may at a time");
        };
        let defaults =
            Defaults { settings: Settings::default(), agents: self.agents.clone(), most_bytes: Some(MAX_FILE) };
        let replied = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            match wanted {
                Wanted::Text => answer(filter::Server { defaults }, &body),
                Wanted::Verdicts => answer(test::Server::new(defaults), &body),
            }
        });
        match replied.await {
            Ok(Ok(Replied { line, is_problem: false })) => messages::json(StatusCode::OK, line),
            Ok(Ok(Replied { line, .. })) => messages::json(StatusCode::BAD_REQUEST, line),
            _ => refused(StatusCode::INTERNAL_SERVER_ERROR, "there is no answer", "report it: this is our mistake"),
        }
    }
}

fn answer(mut server: impl Server, body: &[u8]) -> io::Result<Replied> {
    requests::reply(body, |request: Request<'_, Settings>| {
        if request.urls.as_ref().is_some_and(|urls| urls.len() > MAX_URLS) {
            return Err(Problem::request(format!("more than {MAX_URLS} URLs: use several requests")));
        }
        server.answer(request)
    })
}
