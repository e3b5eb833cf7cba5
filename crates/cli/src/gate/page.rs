//! `page`: serves the page for browsers on this machine, and retrieves live files for it.
//!
//! Invariant: it listens on loopback only, and answers only requests that name it. A file is retrieved only by the
//! guarded driver, one after the other, and only for a request with a header that pages of other sites cannot send.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, middleware};
use robosieve::Options;
use robosieve::verdict::SiteAccess;
use robosieve_gate::Moment;
use robosieve_gate::decide::{Class, Lifetimes, Policy, Reader, RetrievalReport, SiteRecord, Standing};
use robosieve_gate::retrieve::Retrieval;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::timeout::RequestBodyTimeoutLayer;

use super::args::PageArgs;
use super::asker::{self, Asker, passing};
use super::fetch::{origins, retrieval_words, retrieve, site_of};
use super::http::connections::{PATIENCE, serve};
use super::http::guard::{Guard, for_browsers};
use super::http::{refused, reply};
use super::identity::Identity;
use crate::exit::{self, Code, Failure};
use crate::{input, json, output, text};

/// What the build put into the command; empty without it.
const OWN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.html"));
/// The bytes of a page. Our choice: it has some 700 kB.
const MAX_BYTES: usize = 16 << 20;
/// Connections at a time. A browser has six.
const MAX_CONNECTIONS: usize = 32;
/// The bytes of a URL.
const MAX_URL: usize = 4_000;
/// The field that only the page itself can send: others would have to ask first, and get no answer.
const OWN_FIELD: &str = "robosieve-page";

pub(super) fn run(args: &PageArgs) -> Result<Code, Failure> {
    let who = Identity::of_person(&args.who)?;
    args.net.tell_proxies()?;
    let live = Live {
        user_agent: who.sent.header().to_owned(),
        gate: passing(&who, &args.net)?,
        reader: Reader::new(who.groups.agents.clone()).options("", who.groups.options(Options::default())),
    };
    let page = page(args)?;
    let failed = |error: std::io::Error| Failure::Io(format!("the page is not served: {error}"));
    let runtime = asker::runtime()?;
    let bound = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)));
    let listener = bound.map_err(|error| Failure::Usage(format!("--port: {error}")))?;
    let address = listener.local_addr().map_err(failed)?;
    output::print(format!("http://{address}/\n").as_bytes())?;
    exit::tell("the page is at this address, for this machine only, until this command ends");
    let router = Router::new()
        .route("/", get(move || async move { reply(StatusCode::OK, "text/html; charset=utf-8", page.clone()) }))
        .route("/retrieve", post(retrieved))
        .fallback(|| async { refused(StatusCode::NOT_FOUND, "there is nothing here", "open /") })
        .layer(DefaultBodyLimit::max(MAX_URL))
        .layer(RequestBodyTimeoutLayer::new(PATIENCE))
        .layer(middleware::from_fn_with_state(Arc::new(Guard::new(address, None)), for_browsers))
        .with_state(Arc::new(Mutex::new(live)));
    // Nothing stops it but the end of the command.
    let (_stop, stopped) = watch::channel(false);
    runtime.block_on(serve(listener, router, MAX_CONNECTIONS, stopped));
    Ok(Code::Fine)
}

/// The page, which shows a field for a site if it is served by the command.
fn page(args: &PageArgs) -> Result<Vec<u8>, Failure> {
    let bytes = match &args.file {
        Some(path) => input::read_whole(path, MAX_BYTES)?.bytes,
        None => OWN.to_vec(),
    };
    let text = String::from_utf8_lossy(&bytes);
    if !text.contains(MARK) || bytes.len() > MAX_BYTES {
        let what = "name `robosieve.html`, which `bindings/wasm/build` makes in the sources";
        return Err(Failure::Usage(match &args.file {
            Some(path) => format!("{}: this is not the page: {what}", text::name_of(path)),
            None => format!("this command was built without the page: {what}"),
        }));
    }
    let live = text.replacen(MARK, "<html lang=\"en\" data-live>", 1);
    Ok(live.replacen("connect-src 'none'", "connect-src 'self'", 1).into_bytes())
}

/// The beginning of the page.
const MARK: &str = "<html lang=\"en\">";

/// What retrieves files.
struct Live {
    /// As it is sent.
    user_agent: String,
    gate: Asker,
    reader: Reader,
}

async fn retrieved(
    State(live): State<Arc<Mutex<Live>>>,
    headers: HeaderMap,
    url: Result<Bytes, BytesRejection>,
) -> Response {
    let mut sent = headers.get_all(OWN_FIELD).iter();
    if sent.next().is_none_or(|value| value != "1") || sent.next().is_some() {
        return refused(StatusCode::FORBIDDEN, "only the page itself retrieves files", "use the page");
    }
    let url = match url {
        Ok(url) => url,
        Err(error) => return refused(error.status(), &error.body_text(), "a URL has at most 4,000 bytes"),
    };
    let done = tokio::task::spawn_blocking(move || {
        // One after the other, so that all wait for their turn.
        let live = live.lock().ok()?;
        Some(of_site(&live, String::from_utf8_lossy(&url).trim()))
    });
    done.await.ok().flatten().unwrap_or_else(failed)
}

fn of_site(live: &Live, url: &str) -> Response {
    match origins(&[url.to_owned()]) {
        Ok(sites) => {
            let retrieval = sites.first().and_then(|site| retrieve(&live.gate, site).ok());
            retrieval.map_or_else(failed, |retrieval| found(&retrieval, live))
        }
        // What is quoted in it is escaped already.
        Err(Failure::Usage(why)) => refused(StatusCode::BAD_REQUEST, &text::harmless(&why), "name a site"),
        Err(_) => failed(),
    }
}

fn failed() -> Response {
    refused(StatusCode::INTERNAL_SERVER_ERROR, "the file could not be retrieved", "try again")
}

/// What came of a retrieval: a line of JSON, and below it the bytes that are shown. A site that has no file, or fails,
/// is an answer too.
fn found(retrieval: &Retrieval, live: &Live) -> Response {
    let site = site_of(retrieval, &live.reader);
    let (said, more) = retrieval_words(retrieval, site.has_rules());
    let (said, access) = (more.fold(said, |said, more| format!("{said}; {more}")), access(site, retrieval.ended));
    let written = json::line(&Found {
        v: 1,
        access,
        said: text::escape(said.replace('\n', "; ").as_bytes()),
        robots_txt: retrieval.origin.robots_txt(),
        retrieval: RetrievalReport::new(retrieval, &live.user_agent),
    });
    let Ok(mut body) = written else { return failed() };
    if access == "rules" || Class::of(retrieval) == Class::NotRobotsTxt {
        body.extend_from_slice(retrieval.whole_lines());
    }
    reply(StatusCode::OK, "application/octet-stream", body)
}

/// What crawlers do after this retrieval, if nothing else is known of the site: the gate decides it. `unknown` if the
/// site was not asked.
fn access(site: SiteRecord, now: Moment) -> &'static str {
    match site.standing(now, &Policy::default(), &Lifetimes::default()) {
        Standing::Fresh | Standing::Stale => site.snapshot.map_or("unknown", |snapshot| match snapshot.access {
            SiteAccess::Rules => "rules",
            SiteAccess::AllowAll => "allow",
            SiteAccess::DisallowAll => "deny",
        }),
        Standing::OpenMeanwhile => "allow",
        Standing::Unknown => "unknown",
        _ => "deny",
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
