//! `serve`: answers crawlers in any language over HTTP, with the JSON of `check`.
//!
//! Invariant: it is a front of the gate and decides nothing. It listens on loopback only, and answers only requests
//! that name it as their host and come from no web page. Heads, times, connections and checks at a time are bounded.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use robosieve::report::FindingClass;
use robosieve_gate::crawl::CheckedUrl;
use robosieve_gate::pace::Page;
use robosieve_gate::{GateError, Moment};
use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use url::form_urlencoded;

use super::answers::{Answered, Unusable};
use super::args::ServeArgs;
use super::asker::{self, Asker};
use super::feed::MAX_URL;
use super::identity::Identity;
use crate::exit::{self, Code, Failure};
use crate::output;

/// The bytes of a request's head, with single blanks. Our choice.
const MAX_HEAD: usize = 64 << 10;
/// The bytes that are read of a head before it is counted.
const MAX_BUFFER: usize = MAX_HEAD << 1;
/// The bytes of a body. Our choice: as a head.
const MAX_BODY: usize = 64 << 10;
/// Connections at a time. One more waits in the system's queue.
const MAX_CONNECTIONS: u32 = 256;
/// Checks at a time. One more is refused with 503.
const MAX_CHECKS: usize = 64;
/// Threads for what waits: those that are left by checks take in pages, so that slow sites delay no report.
const MAX_THREADS: usize = MAX_CHECKS + 16;
/// The time in which a head comes, and in which a whole connection ends. The second is longer than the default
/// `--timeout`.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_IN_ALL: Duration = Duration::from_secs(120);
/// The time for checks that run when the command is ended.
const PATIENCE_AT_END: Duration = Duration::from_secs(5);
/// The longest wait by default, as for `check`.
const MAX_WAIT: Duration = Duration::from_secs(3_600);

pub(super) fn run(args: &ServeArgs) -> Result<Code, Failure> {
    if !args.listen.ip().is_loopback() {
        return Err(Failure::Usage(
            "--listen: the service has no access control, so it listens on loopback only: use 127.0.0.1:PORT".into(),
        ));
    }
    asker::log(args.log);
    let who = Identity::of_checker(&args.who)?;
    let gate = asker::gate(
        &who,
        (&args.net, &args.policy),
        args.pace.pacing(MAX_WAIT)?,
        (args.store.as_deref(), args.keep_raw),
        args.quiet,
    )?;
    let fail_on = args.fail_on.fail_on()?;
    let failed = |error: &dyn std::fmt::Display| Failure::Io(format!("the service does not start: {error}"));
    let stop = Arc::new(Notify::new());
    let stopped = Arc::clone(&stop);
    ctrlc::set_handler(move || stopped.notify_one()).map_err(|error| failed(&error))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(MAX_THREADS)
        .enable_all()
        .build()
        .map_err(|error| failed(&error))?;
    let listen = args.listen;
    let ended = runtime.block_on(async {
        let bound = TcpListener::bind(listen).await;
        let listener = bound.map_err(|error| Failure::Usage(format!("--listen {listen}: {error}")))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        output::print(format!("http://{address}/\n").as_bytes())?;
        let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
        let checks = Arc::new(Semaphore::new(MAX_CHECKS));
        let service = Arc::new(Service { gate, fail_on, hosts: hosts(address), checks });
        let accepting = tokio::spawn(accept(listener, service, Arc::clone(&connections)));
        stop.notified().await;
        accepting.abort();
        // What runs may end; the rest is cut.
        let _ = timeout(PATIENCE_AT_END, connections.acquire_many(MAX_CONNECTIONS)).await;
        Ok(Code::Fine)
    });
    runtime.shutdown_background();
    if ended.is_ok() && !args.quiet {
        exit::tell("the service has ended");
    }
    ended
}

/// The names by which a request may call the service.
fn hosts(address: SocketAddr) -> Vec<String> {
    let names = [address.to_string(), format!("localhost:{}", address.port())];
    // The usual port is left out.
    let usual = names.iter().filter(|_| address.port() == 80).map(|name| name.trim_end_matches(":80").to_owned());
    names.iter().cloned().chain(usual).collect()
}

async fn accept(listener: TcpListener, service: Arc<Service>, connections: Arc<Semaphore>) {
    while let Ok(permit) = Arc::clone(&connections).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(Arc::clone(&service).connection(stream, permit))),
            // There may be too many open files: they become fewer.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

struct Service {
    gate: Asker,
    fail_on: Vec<FindingClass>,
    hosts: Vec<String>,
    checks: Arc<Semaphore>,
}

impl Service {
    async fn connection(self: Arc<Self>, stream: TcpStream, permit: OwnedSemaphorePermit) {
        let answer = service_fn(|request| {
            let service = Arc::clone(&self);
            async move { Ok::<_, Infallible>(service.answer(request).await) }
        });
        // One request a connection, so that the service ends when its requests have ended.
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(MAX_BUFFER)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), answer);
        // The other end may have gone.
        let _ = timeout(PATIENCE_IN_ALL, connection).await;
        drop(permit);
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        if !self.is_for_us(request.headers()) {
            let what = "send it from a program, not from a web page, to the address that the service has printed";
            return refused(StatusCode::FORBIDDEN, "this service is for crawlers on its own machine", what);
        }
        if head_bytes(&request) > MAX_HEAD {
            let code = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            return refused(code, "the head is longer than 65536 bytes", "send a shorter URL and fewer headers");
        }
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/healthz") => json(StatusCode::OK, b"{\"v\":1,\"ok\":true}\n".to_vec()),
            (&Method::GET, "/metrics") => self.metrics(),
            (&Method::GET, "/v1/check") => match url_of(request.uri().query().unwrap_or_default()) {
                Ok(url) => self.check(url).await,
                Err(why) => refused(StatusCode::BAD_REQUEST, why, "ask for /v1/check?url=URL, percent-encoded"),
            },
            (&Method::POST, "/v1/done") => self.done(request.into_body()).await,
            (_, "/v1/done") => {
                let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, "it takes POST only", "send a POST");
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
                response
            }
            (_, "/healthz" | "/metrics" | "/v1/check") => {
                let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, "it answers GET only", "send a GET");
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
                response
            }
            _ => refused(
                StatusCode::NOT_FOUND,
                "there is nothing here",
                "ask for /v1/check?url=URL, /v1/done, /metrics or /healthz",
            ),
        }
    }

    /// Whether a request names this service, and no browser sent it for a page of another site.
    fn is_for_us(&self, headers: &HeaderMap) -> bool {
        let mut named = headers.get_all(HOST).iter();
        let host = named.next().and_then(|host| host.to_str().ok());
        let is_named = host.is_some_and(|host| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)));
        is_named && named.next().is_none() && !headers.contains_key(ORIGIN) && !headers.contains_key("sec-fetch-site")
    }

    async fn done(&self, body: Incoming) -> Response<Full<Bytes>> {
        let form = "send {\"url\": URL, \"status\": 200, \"seconds\": 0.2, \"bytes\": 1000, \"retry_after\": 60}";
        let Ok(Ok(body)) = timeout(PATIENCE, Limited::new(body, MAX_BODY).collect()).await else {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than 65536 bytes, or too slow", form);
        };
        let done: Result<Done, _> = serde_json::from_slice(&body.to_bytes());
        let Some((url, page)) = done.ok().and_then(|done| done.page().map(|page| (done.url, page))) else {
            return refused(StatusCode::BAD_REQUEST, "the body is not the JSON of a page", form);
        };
        let gate = Arc::clone(&self.gate);
        match tokio::task::spawn_blocking(move || gate.observe(&url, &page, Moment::now())).await {
            Ok(Ok(())) => json(StatusCode::OK, b"{\"v\":1,\"ok\":true}\n".to_vec()),
            Ok(Err(GateError::Url(error))) => refused(StatusCode::BAD_REQUEST, &error.to_string(), form),
            _ => {
                refused(StatusCode::INTERNAL_SERVER_ERROR, "it was not stored", "slow down by yourself; send it again")
            }
        }
    }

    /// The gate's counts in Prometheus' text form: a name for each group of counts, a label for each count.
    fn metrics(&self) -> Response<Full<Bytes>> {
        let counts = serde_json::to_value(self.gate.core().metrics()).unwrap_or_default();
        let groups = counts.as_object().into_iter().flatten();
        let lines: String = groups
            .flat_map(|(group, counts)| {
                let lines = counts.as_object().into_iter().flatten().filter(|(_, count)| count.is_u64());
                let lines = lines.map(move |(kind, count)| format!("robosieve_{group}{{kind=\"{kind}\"}} {count}\n"));
                std::iter::once(format!("# TYPE robosieve_{group} counter\n")).chain(lines)
            })
            .collect();
        let mut response = json(StatusCode::OK, lines.into_bytes());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
        response
    }

    async fn check(&self, url: String) -> Response<Full<Bytes>> {
        let Ok(permit) = Arc::clone(&self.checks).try_acquire_owned() else {
            let words = "as many checks run as may at a time";
            let mut response = refused(StatusCode::SERVICE_UNAVAILABLE, words, "ask again after a second");
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
            return response;
        };
        let (gate, fail_on) = (Arc::clone(&self.gate), self.fail_on.clone());
        let checked = tokio::task::spawn_blocking(move || {
            // It is held until the check has ended, also if the one who asked has gone.
            let _permit = permit;
            if url.len() > MAX_URL {
                Answered::unusable(url.chars().take(80).collect(), Unusable::TooLong).json()
            } else {
                Answered::new(CheckedUrl::check(&gate, url), &fail_on).json()
            }
        });
        match checked.await {
            Ok(Ok(line)) => json(StatusCode::OK, line),
            _ => {
                refused(StatusCode::INTERNAL_SERVER_ERROR, "the check failed", "do not fetch the URL; ask again later")
            }
        }
    }
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

/// The length of a head as clients write it.
fn head_bytes(request: &Request<Incoming>) -> usize {
    let line = request.method().as_str().len().saturating_add(request.uri().to_string().len());
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len().saturating_add(value.len()));
    // The request's line has ` `, ` HTTP/1.1` and its end; a field `: ` and its end; and an empty line follows.
    fields.fold(line.saturating_add(14), |sum, field| sum.saturating_add(field).saturating_add(4))
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

fn json(status: StatusCode, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

/// An error, and what to do.
fn refused(status: StatusCode, error: &str, then: &str) -> Response<Full<Bytes>> {
    let body = serde_json::json!({ "v": 1, "error": error, "do": then });
    json(status, format!("{body}\n").into_bytes())
}
