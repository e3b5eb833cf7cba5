//! What each path answers.
//!
//! Invariant: a path decides nothing. A path that exists says which methods it takes; anything else says what exists.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, StatusCode};
use robosieve_gate::pace::Page;
use robosieve_gate::{GateError, Moment};
use serde::Deserialize;
use tokio::time::timeout;
use url::form_urlencoded;

use super::checks::Checks;
use super::guard::{Guard, PATIENCE};
use super::metrics;
use super::replies::{Reply, fine, only, refused};

/// The bytes of a body. Our choice: as a head.
const MAX_BODY: usize = 64 << 10;

pub(super) struct Service {
    pub(super) guard: Guard,
    pub(super) checks: Checks,
}

impl Service {
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Reply {
        if let Some(refusal) = self.guard.refusal(&request) {
            return refusal;
        }
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/healthz") => fine(),
            (&Method::GET, "/metrics") => metrics::reply(&self.checks.gate.core().metrics()),
            (&Method::GET, "/v1/check") => match url_of(request.uri().query().unwrap_or_default()) {
                Ok(url) => self.checks.reply(url).await,
                Err(why) => refused(StatusCode::BAD_REQUEST, why, "ask for /v1/check?url=URL, percent-encoded"),
            },
            (&Method::POST, "/v1/done") => self.done(request.into_body()).await,
            (_, "/v1/done") => only("POST"),
            (_, "/healthz" | "/metrics" | "/v1/check") => only("GET"),
            _ => refused(
                StatusCode::NOT_FOUND,
                "there is nothing here",
                "ask for /v1/check?url=URL, /v1/done, /metrics or /healthz",
            ),
        }
    }

    async fn done(&self, body: Incoming) -> Reply {
        let form = "send {\"url\": URL, \"status\": 200, \"seconds\": 0.2, \"bytes\": 1000, \"retry_after\": 60}";
        let Some(body) = read(body, MAX_BODY).await else {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than 65536 bytes, or too slow", form);
        };
        let done: Result<Done, _> = serde_json::from_slice(&body);
        let Some((url, page)) = done.ok().and_then(|done| done.page().map(|page| (done.url, page))) else {
            return refused(StatusCode::BAD_REQUEST, "the body is not the JSON of a page", form);
        };
        let gate = Arc::clone(&self.checks.gate);
        match tokio::task::spawn_blocking(move || gate.observe(&url, &page, Moment::now())).await {
            Ok(Ok(())) => fine(),
            Ok(Err(GateError::Url(error))) => refused(StatusCode::BAD_REQUEST, &error.to_string(), form),
            _ => {
                refused(StatusCode::INTERNAL_SERVER_ERROR, "it was not stored", "slow down by yourself; send it again")
            }
        }
    }
}

/// A body of at most so many bytes that comes in time.
async fn read(body: Incoming, most: usize) -> Option<Bytes> {
    let read = timeout(PATIENCE, Limited::new(body, most).collect()).await;
    read.ok()?.ok().map(http_body_util::Collected::to_bytes)
}

/// How a request for a page ended.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Done {
    url: String,
    status: Option<u16>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    bytes: u64,
    retry_after: Option<f64>,
}

impl Done {
    fn page(&self) -> Option<Page> {
        let retry_after = self.retry_after.map(Duration::try_from_secs_f64).transpose().ok()?;
        let took = Duration::try_from_secs_f64(self.seconds).ok()?;
        Some(Page { took, size: self.bytes, status: self.status, retry_after })
    }
}

/// The URL of a query, which has one and nothing else.
fn url_of(query: &str) -> Result<String, &'static str> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    match (pairs.next(), pairs.next()) {
        (Some((name, url)), None) if name == "url" && url.contains('\u{fffd}') => Err("the URL is not UTF-8"),
        (Some((name, url)), None) if name == "url" && !url.is_empty() => Ok(url.into_owned()),
        _ => Err("the query has to be one url, and nothing else"),
    }
}
