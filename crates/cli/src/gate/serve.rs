//! `serve`: answers crawlers in any language over HTTP, with the JSON of `check`.
//!
//! Invariant: it is a front of the gate and decides nothing. Without a token it listens on loopback only. Heads,
//! bodies, times, connections and the URLs of a request are bounded. What is not understood in full is refused, so that
//! no answer is taken for that to another question; and the agent that a question names is the service's.
#![allow(clippy::result_large_err, reason = "an error is the response")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, middleware};
use robosieve::Agents;
use robosieve::settings::Agent;
use robosieve_gate::pace::Page;
use robosieve_gate::{Error, Origin};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};

use super::answers::Answered;
use super::args::ServeArgs;
use super::asker::{self, Asker};
use super::http::connections::{PATIENCE, serve};
use super::http::guard::{Guard, MAX_BODY, for_programs};
use super::http::token::Token;
use super::http::{json, refused, reply};
use super::identity::Identity;
use super::site;
use crate::exit::{self, Code, Failure};
use crate::output;

/// Connections at a time. Our choice.
const MAX_CONNECTIONS: usize = 256;

pub(super) fn run(args: &ServeArgs) -> Result<Code, Failure> {
    let token = args.token_file.as_deref().map(Token::read).transpose()?;
    if !args.listen.ip().is_loopback() && token.is_none() {
        return Err(Failure::Usage(
            "--listen: without --token-file the service listens on loopback only: use 127.0.0.1:PORT".into(),
        ));
    }
    asker::log(args.log);
    let failed = |error: &dyn std::fmt::Display| Failure::Io(format!("the service does not start: {error}"));
    let who = Identity::of_checker(&args.who)?;
    let gate = asker::gate(&who, &args.ask, &args.kept, args.quiet)?;
    let (stop, stopped) = watch::channel(false);
    ctrlc::set_handler(move || _ = stop.send_replace(true)).map_err(|error| failed(&error))?;
    let runtime = asker::runtime()?;
    let listen = args.listen;
    let ended = runtime.block_on(async {
        let bound = TcpListener::bind(listen).await;
        let listener = bound.map_err(|error| Failure::Usage(format!("--listen {listen}: {error}")))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        output::print(format!("http://{address}/\n").as_bytes())?;
        let guard = Arc::new(Guard::new(address, token));
        serve(listener, router(gate, who.groups.agents.clone(), guard), MAX_CONNECTIONS, stopped).await;
        Ok(Code::Fine)
    });
    runtime.shutdown_background();
    if ended.is_ok() && !args.quiet {
        exit::tell("the service has ended");
    }
    ended
}

/// The URLs of one body. Our choice.
const MAX_URLS: usize = 100;
/// The URLs of one body that are checked at a time, so that it leaves room for others. Our choice.
const URLS_AT_A_TIME: usize = 16;
/// The time for an answer. Longer than the default `--timeout`. A site may take longer, then the next check has it.
const PATIENCE_IN_ALL: Duration = Duration::from_secs(120);
const PATHS: &str = "ask for /v1/check, /v1/done, /v1/site, /metrics or /healthz";

struct Service {
    gate: Asker,
    agents: Agents,
}

type Shared = State<Arc<Service>>;

fn router(gate: Asker, agents: Agents, guard: Arc<Guard>) -> Router {
    let nothing = || async { refused(StatusCode::NOT_FOUND, "there is nothing here", PATHS) };
    let other = || async { refused(StatusCode::METHOD_NOT_ALLOWED, "it does not take this method", PATHS) };
    Router::new()
        .route("/v1/check", get(check).post(check_many))
        .route("/v1/done", post(done))
        .route("/v1/site", get(site))
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { json(b"{\"v\":1,\"ok\":true}\n".to_vec()) }))
        .fallback(nothing)
        .method_not_allowed_fallback(other)
        .layer(DefaultBodyLimit::max(usize::try_from(MAX_BODY).unwrap_or(usize::MAX)))
        .layer(RequestBodyTimeoutLayer::new(PATIENCE))
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, PATIENCE_IN_ALL))
        .layer(middleware::from_fn_with_state(guard, for_programs))
        .with_state(Arc::new(Service { gate, agents }))
}

/// A question about one URL.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    url: String,
    agent: Option<String>,
}

/// About many.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Many {
    urls: Vec<String>,
    agent: Option<String>,
}

/// How a request for a page ended.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Done {
    url: String,
    status: Option<u16>,
    #[serde(default)]
    seconds: f64,
    retry_after: Option<f64>,
}

impl Service {
    /// The URL of a query.
    fn url_of(&self, asked: Result<Query<One>, QueryRejection>) -> Result<String, Response> {
        let wrong = |why: &str| refused(StatusCode::BAD_REQUEST, why, "ask with ?url=URL, percent-encoded");
        let Query(One { url, agent }) = asked.map_err(|error| wrong(&error.body_text()))?;
        self.expect(agent.as_deref())?;
        if url.is_empty() || url.contains('\u{fffd}') {
            return Err(wrong("the url is empty, or is not UTF-8"));
        }
        Ok(url)
    }

    /// Checks that the rules that are meant are those by which this service answers.
    fn expect(&self, agent: Option<&str>) -> Result<(), Response> {
        let is_ours = |named: &str| {
            let named = Agent::new(named);
            self.agents.iter().any(|own| own.as_bstr().eq_ignore_ascii_case(named.as_bstr()))
        };
        if agent.is_none_or(is_ours) {
            return Ok(());
        }
        let what = "start a service with --agent for each agent";
        Err(refused(StatusCode::BAD_REQUEST, "the agent is not that of this service", what))
    }
}

/// A body as an object. A list with the values of its fields is none, although it could be read as one.
fn object<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>, form: &str) -> Result<T, Response> {
    let body =
        body.map_err(|error| refused(error.status(), &error.body_text(), "send it again, in parts if it is long"))?;
    let read = match body.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice(&body).map_err(|error| format!("the body is not the JSON: {error}")),
        _ => Err("the body is not a JSON object".into()),
    };
    read.map_err(|why| refused(StatusCode::BAD_REQUEST, &why, form))
}

/// A reply, or an error with what to do.
type Replied = Result<Response, Response>;

async fn check(State(service): Shared, asked: Result<Query<One>, QueryRejection>) -> Replied {
    let url = service.url_of(asked)?;
    Answered::ask(&service.gate, url).await.json().map(json).map_err(failed)
}

/// The lines for several URLs, as one array in their order.
async fn check_many(State(service): Shared, body: Result<Bytes, BytesRejection>) -> Replied {
    let form = "send {\"urls\": [URL, …]}, at most 100";
    let Many { urls, agent } = object(body, form)?;
    service.expect(agent.as_deref())?;
    if !(1..=MAX_URLS).contains(&urls.len()) {
        return Err(refused(StatusCode::BAD_REQUEST, "urls is empty, or has more than 100", form));
    }
    let (room, mut running) = (Arc::new(Semaphore::new(URLS_AT_A_TIME)), JoinSet::new());
    for (place, url) in urls.into_iter().enumerate() {
        let (gate, room) = (service.gate.clone(), Arc::clone(&room));
        running.spawn(async move {
            // Nobody closes it.
            let _turn = room.acquire().await;
            (place, Answered::ask(&gate, url).await.json())
        });
    }
    let mut lines = running.join_all().await;
    lines.sort_by_key(|(place, _)| *place);
    let lines: std::io::Result<Vec<Vec<u8>>> = lines.into_iter().map(|(_, line)| line).collect();
    let lines = lines.map_err(failed)?;
    let lines: Vec<&[u8]> = lines.iter().map(|line| line.trim_ascii_end()).collect();
    Ok(json([b"{\"v\":1,\"answers\":[", lines.join(&b","[..]).as_slice(), b"]}\n"].concat()))
}

async fn done(State(service): Shared, body: Result<Bytes, BytesRejection>) -> Replied {
    let form = "send {\"url\": URL, \"status\": 200, \"seconds\": 0.2, \"retry_after\": 60}";
    let Done { url, status, seconds, retry_after } = object(body, form)?;
    let time = |seconds: f64| {
        let wrong = |_| refused(StatusCode::BAD_REQUEST, "a time is negative, or too long", form);
        Duration::try_from_secs_f64(seconds).map_err(wrong)
    };
    // No time at all means that it is not known.
    let took = Some(time(seconds)?).filter(|took| !took.is_zero());
    let page = Page { took, status, retry_after: retry_after.map(time).transpose()? };
    match service.gate.observe(&url, page).await {
        Ok(()) => Ok(json(b"{\"v\":1,\"ok\":true}\n".to_vec())),
        Err(Error::Url(why)) => Err(refused(StatusCode::BAD_REQUEST, why, form)),
        Err(error) => Err(failed(error)),
    }
}

/// What is remembered of a site. Nothing is retrieved.
async fn site(State(service): Shared, asked: Result<Query<One>, QueryRejection>) -> Replied {
    let wrong = |error: Error| refused(StatusCode::BAD_REQUEST, &error.to_string(), "name a page of the site");
    let origin = Origin::of(&service.url_of(asked)?).map_err(wrong)?;
    let report = tokio::task::spawn_blocking(move || service.gate.core().report(&origin, service.gate.now()));
    let report = report.await.map_err(failed)?.map_err(failed)?;
    let unknown = || refused(StatusCode::NOT_FOUND, "nothing is known of this site", "check a URL of it first");
    site::line(&report.ok_or_else(unknown)?).map(json).map_err(failed)
}

/// The gate's counts in Prometheus' text form.
async fn metrics(State(service): Shared) -> Response {
    let counts = service.gate.core().counts();
    let mut text = String::new();
    let groups = [("answers", counts.answers().collect::<Vec<_>>()), ("retrievals", counts.retrievals().collect())];
    for (group, counts) in groups {
        // Writing to a string does not fail.
        let _ = writeln!(text, "# TYPE robosieve_{group} counter");
        for (kind, count) in counts {
            let _ = writeln!(text, "robosieve_{group}{{kind=\"{kind}\"}} {count}");
        }
    }
    reply(StatusCode::OK, "text/plain; version=0.0.4", text.into_bytes())
}

fn failed<E>(_: E) -> Response {
    refused(StatusCode::INTERNAL_SERVER_ERROR, "the store cannot be used", "do not fetch the URL; ask again later")
}
