//! What the server of the page answers, for one person on this machine.
//!
//! Invariant: it answers only requests that name it as their host, so that no other site's name can lead to it, and it
//! retrieves a file only for a request with a header that pages of other sites cannot send.

use std::sync::{Arc, Mutex};

use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode};
use robosieve::verdict::SiteAccess;
use robosieve_gate::decide::{Class, Lifetimes, Policy, Reader, RetrievalReport, SiteRecord, Standing};
use robosieve_gate::retrieve::Retrieval;
use serde::Serialize;

use super::Live;
use super::files::{Files, INDEX};
use crate::exit::Failure;
use crate::gate::fetch::retrieval_words;
use crate::gate::http::connections;
use crate::gate::http::guard::{Guard, is_too_long};
use crate::gate::http::messages::{self, Reply, json};
use crate::{json, text};

/// The bytes of a URL.
const MAX_URL: usize = 4_000;
/// The field that only the page itself can send: others would have to ask first, and get no answer.
const OWN_FIELD: &str = "robosieve-page";

pub(super) struct Routes {
    pub(super) guard: Guard,
    pub(super) files: Files,
    pub(super) live: Arc<Mutex<Live>>,
}

impl connections::Service for Routes {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if !self.guard.is_named(request.headers()) {
            return words(StatusCode::FORBIDDEN, "This server is for its own machine.");
        }
        if is_too_long(&request) {
            return words(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "The head is longer than 65,536 bytes.");
        }
        let path = request.uri().path();
        let path = path.strip_prefix('/').unwrap_or(path);
        match (request.method(), path) {
            (&Method::POST, "retrieve") if !is_own(&request) => {
                words(StatusCode::FORBIDDEN, "Only the page itself retrieves files.")
            }
            (&Method::POST, "retrieve") => match messages::body(request.into_body(), MAX_URL).await {
                Ok(url) => self.retrieve(url).await,
                Err(refused) => words(refused.status(), "A URL has at most 4,000 bytes, and comes at once."),
            },
            (&Method::GET, path) => self.file(if path.is_empty() { INDEX } else { path }),
            _ => words(StatusCode::METHOD_NOT_ALLOWED, "There is nothing like that here."),
        }
    }
}

impl Routes {
    fn file(&self, name: &str) -> Reply {
        let Some(bytes) = self.files.get(name) else {
            return words(StatusCode::NOT_FOUND, "There is no such file.");
        };
        // The page shows a field for a site if it is served by the command.
        let body = if name == INDEX {
            String::from_utf8_lossy(bytes)
                .replacen("<html lang=\"en\">", "<html lang=\"en\" data-live>", 1)
                .into_bytes()
        } else {
            bytes.to_vec()
        };
        reply(StatusCode::OK, kind_of(name), body)
    }

    async fn retrieve(&self, url: Bytes) -> Reply {
        let live = Arc::clone(&self.live);
        let retrieved = tokio::task::spawn_blocking(move || retrieve(&live, &String::from_utf8_lossy(&url)));
        retrieved.await.unwrap_or_else(|_| words(StatusCode::INTERNAL_SERVER_ERROR, "The file could not be retrieved."))
    }
}

/// Whether the page itself sent it.
fn is_own(request: &Request<Incoming>) -> bool {
    let mut sent = request.headers().get_all(OWN_FIELD).iter();
    sent.next().is_some_and(|value| value == "1") && sent.next().is_none()
}

fn retrieve(live: &Mutex<Live>, url: &str) -> Reply {
    // One after the other, so that all wait for their turn.
    let Ok(live) = live.lock() else {
        return words(StatusCode::INTERNAL_SERVER_ERROR, "An earlier request failed.");
    };
    match live.retrieve(url.trim()) {
        Ok(retrieval) => found(&retrieval, &live),
        // What is quoted in it is escaped already.
        Err(Failure::Usage(why)) => words(StatusCode::BAD_REQUEST, &text::harmless(&why)),
        Err(_) => words(StatusCode::INTERNAL_SERVER_ERROR, "The file could not be retrieved."),
    }
}

/// What came of a retrieval: a line of JSON, and below it the bytes that are shown. A site that has no file, or fails, is
/// an answer too.
fn found(retrieval: &Retrieval, live: &Live) -> Reply {
    let access = access(retrieval, &live.reader);
    let said = retrieval_words(retrieval, &live.reader).0;
    let written = json::line(&Found {
        v: 1,
        access,
        said: text::escape(said.replace('\n', "; ").as_bytes()),
        robots_txt: retrieval.origin.robots_txt(),
        retrieval: RetrievalReport::new(retrieval, &live.user_agent),
    });
    let Ok(mut body) = written else {
        return words(StatusCode::INTERNAL_SERVER_ERROR, "The file could not be retrieved.");
    };
    if access == "rules" || Class::of(retrieval) == Class::NotRobotsTxt {
        body.extend_from_slice(retrieval.whole_lines());
    }
    reply(StatusCode::OK, "application/octet-stream", body)
}

/// What crawlers do after this retrieval, if nothing else is known of the site: the gate decides it. `unknown` if the
/// site was not asked.
fn access(retrieval: &Retrieval, reader: &Reader) -> &'static str {
    let (policy, lifetimes) = (Policy::default(), Lifetimes::default());
    let site = SiteRecord::default().after(retrieval, reader.read(retrieval), &policy, &lifetimes);
    match site.standing(retrieval.ended, &policy, &lifetimes) {
        Standing::Said { snapshot, .. } => match snapshot.access {
            SiteAccess::Rules => "rules",
            SiteAccess::AllowAll => "allow",
            SiteAccess::DisallowAll => "deny",
        },
        Standing::Meanwhile(true) => "allow",
        Standing::Unknown => "unknown",
        Standing::Meanwhile(false) | Standing::Unreachable | Standing::Disqualified | Standing::GivenUp => "deny",
    }
}

/// Version 1 of the line.
#[derive(Serialize)]
struct Found<'a> {
    v: u8,
    access: &'static str,
    said: String,
    robots_txt: String,
    #[serde(flatten)]
    retrieval: RetrievalReport<'a>,
}

fn words(status: StatusCode, words: &str) -> Reply {
    reply(status, "text/plain; charset=utf-8", words.as_bytes().to_vec())
}

fn reply(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Reply {
    let mut reply = json(status, body);
    let own = [
        (CONTENT_TYPE.as_str(), kind),
        (CACHE_CONTROL.as_str(), "no-cache"),
        (CONNECTION.as_str(), "close"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ];
    for (name, value) in own {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    reply
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "text/plain; charset=utf-8",
    }
}
