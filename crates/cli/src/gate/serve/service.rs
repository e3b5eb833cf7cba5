//! What each path answers.
//!
//! Invariant: a path decides nothing. A path that exists says which methods it takes; anything else says what exists.

use std::sync::Arc;
use std::time::Instant;

use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, StatusCode};
use robosieve::agent::Agents;
use robosieve_batch::json;
use robosieve_gate::{GateCore, GateError, Moment, Origin};
use robosieve_signals::{Answer, Page};
use serde::Serialize;

use super::super::http::connections;
use super::super::http::guard::Guard;
use super::super::http::messages::{self, Reply, fine, only, refused};
use super::super::site;
use super::about;
use super::checks::Checks;
use super::files::{Files, Wanted};
use super::questions::{Words, page_of, url_of, urls_of};

/// The bytes of a body without a file. Our choice: as a head.
const MAX_BODY: usize = 64 << 10;
/// The bytes of a body with a page. Our choice: twice what is read of its HTML.
const MAX_PAGE: usize = 1 << 20;
const PATHS: &str = "ask for /v1/check, /v1/done, /v1/site, /v1/sieve, /v1/test, /openapi.json, /metrics or /healthz";

pub(super) struct Service {
    pub(super) guard: Guard,
    pub(super) agents: Agents,
    pub(super) checks: Arc<Checks>,
    pub(super) files: Files,
    /// In `OpenAPI`.
    pub(super) document: Bytes,
}

impl connections::Service for Service {
    fn knows(&self, request: &Request<Incoming>) -> bool {
        self.guard.knows(request.headers())
    }

    async fn answer(&self, request: Request<Incoming>) -> Reply {
        let (start, method, path) = (Instant::now(), request.method().clone(), request.uri().path().to_owned());
        let reply = self.reply(request).await;
        let (status, took_ms) = (reply.status().as_u16(), start.elapsed().as_millis());
        // Not the query: a URL may have a password.
        tracing::debug!(%method, path, status, took_ms, "request");
        reply
    }
}

impl Service {
    async fn reply(&self, request: Request<Incoming>) -> Reply {
        if let Some(refusal) = self.guard.refusal(&request) {
            return refusal;
        }
        let query = request.uri().query().unwrap_or_default();
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/healthz") => self.health(),
            (&Method::GET, "/openapi.json") => messages::json(StatusCode::OK, self.document.clone()),
            (&Method::GET, "/metrics") => about::metrics(&self.checks.gate.core().metrics()),
            (&Method::GET, path @ ("/v1/check" | "/v1/site")) => match url_of(query, &self.agents) {
                Ok(url) if path == "/v1/site" => self.site(url).await,
                Ok(url) => self.checks.reply(url).await,
                Err(why) => {
                    let then = format!("ask for {path}?url=URL, percent-encoded");
                    refused(StatusCode::BAD_REQUEST, &why, &then)
                }
            },
            (&Method::POST, "/v1/check") => with(request, MAX_BODY, |body| self.many(body)).await,
            (&Method::POST, "/v1/done") => with(request, MAX_PAGE, |body| self.done(body)).await,
            (&Method::POST, "/v1/sieve") => self.files.reply(Wanted::Text, request.into_body()).await,
            (&Method::POST, "/v1/test") => self.files.reply(Wanted::Verdicts, request.into_body()).await,
            (_, "/v1/check") => only("GET, POST"),
            (_, "/v1/done" | "/v1/sieve" | "/v1/test") => only("POST"),
            (_, "/healthz" | "/metrics" | "/openapi.json" | "/v1/site") => only("GET"),
            _ => refused(StatusCode::NOT_FOUND, "there is nothing here", PATHS),
        }
    }

    /// That the service runs, and what keeps it from pacing as it should.
    fn health(&self) -> Reply {
        let core = self.checks.gate.core();
        let (crowded, store) = (core.metrics().answers.crowded, core.store().warning());
        let health = serde_json::json!({ "v": 1, "ok": true, "crowded": crowded, "store_warning": store });
        messages::json(StatusCode::OK, format!("{health}\n").into_bytes())
    }

    async fn many(&self, body: Bytes) -> Reply {
        match urls_of(&body, &self.agents) {
            Ok(urls) => Arc::clone(&self.checks).many(urls).await,
            Err(why) => refused(StatusCode::BAD_REQUEST, &why, "send {\"urls\": [URL, …]}, at most 100"),
        }
    }

    async fn done(&self, body: Bytes) -> Reply {
        let form = "send {\"url\": URL, \"status\": 200, \"seconds\": 0.2, \"bytes\": 1000, \"retry_after\": 60}, and to \
                    know what may be done with the page \"headers\": [[NAME, VALUE], …], \"html\" and \"tdmrep\"";
        let (url, page, words) = match page_of(&body, Moment::now()) {
            Ok(done) => done,
            Err(why) => return refused(StatusCode::BAD_REQUEST, &why, form),
        };
        let gate = Arc::clone(&self.checks.gate);
        let work = move || {
            let now = Moment::now();
            gate.observe(&url, &page, now)?;
            words.map(|words| said(&gate, &url, &words, now)).transpose()
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(None)) => fine(),
            Ok(Ok(Some(signals))) => match json::line(&Done { v: 1, ok: true, signals }) {
                Ok(line) => messages::json(StatusCode::OK, line),
                Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR, "there is no answer", "nothing is allowed"),
            },
            Ok(Err(GateError::Url(error))) => refused(StatusCode::BAD_REQUEST, &error.to_string(), form),
            _ => {
                refused(StatusCode::INTERNAL_SERVER_ERROR, "it was not stored", "slow down by yourself; send it again")
            }
        }
    }

    /// What is remembered of a site. Nothing is retrieved.
    async fn site(&self, url: String) -> Reply {
        let origin = match Origin::of(&url) {
            Ok(origin) => origin,
            Err(error) => return refused(StatusCode::BAD_REQUEST, &error.to_string(), "name a page of the site"),
        };
        let gate = Arc::clone(&self.checks.gate);
        let line = tokio::task::spawn_blocking(move || {
            let report = gate.report(&origin, Moment::now()).ok()?;
            report.map(|report| site::line(&report).ok()).map_or(Some(None), |line| line.map(Some))
        });
        match line.await.ok().flatten() {
            Some(Some(line)) => messages::json(StatusCode::OK, line),
            Some(None) => refused(StatusCode::NOT_FOUND, "nothing is known of this site", "check a URL of it first"),
            None => refused(StatusCode::INTERNAL_SERVER_ERROR, "the store cannot be read", "ask again later"),
        }
    }
}

/// That a page counts, and what may be done with it.
#[derive(Serialize)]
struct Done {
    v: u8,
    ok: bool,
    signals: Answer,
}

/// What may be done with a page, by its own words and by what is remembered of its site.
fn said(gate: &GateCore, url: &str, words: &Words, now: Moment) -> Result<Answer, GateError> {
    let page = words.headers.iter().fold(Page::new(url), |page, (name, value)| page.header(name, value));
    let page = if let Some(html) = &words.html { page.html(html) } else { page };
    let page = if let Some(tdmrep) = &words.tdmrep { page.tdmrep(tdmrep) } else { page };
    gate.signals(&page, now)
}

/// A response to the body of a request.
async fn with<F: Future<Output = Reply>>(
    request: Request<Incoming>,
    most: usize,
    answer: impl FnOnce(Bytes) -> F,
) -> Reply {
    match messages::body(request.into_body(), most).await {
        Ok(body) => answer(body).await,
        Err(refused) => refused,
    }
}
