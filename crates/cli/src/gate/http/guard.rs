//! Whose requests are answered.
//!
//! Invariant: a request reaches no site, store or file unless it has the service's token, if there is one, no browser
//! sent it for a page, and its head has at most [`MAX_HEAD`] bytes. On loopback it also names the service; elsewhere
//! the service has names that it does not know.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{
    AUTHORIZATION, CONNECTION, HOST, HeaderMap, HeaderValue, ORIGIN, USER_AGENT, WWW_AUTHENTICATE,
};
use axum::middleware::Next;
use axum::response::Response;

use super::connections::{MAX_HEAD, Place};
use super::refused;
use super::token::Token;

/// A field that a program can send, and that no page can add to a request for a picture.
const OWN_FIELD: &str = "robosieve";
/// The bytes of a body. What says that it is longer is not waited for. Our choice: as a head.
pub(in super::super) const MAX_BODY: u64 = 64 << 10;

pub(in super::super) struct Guard {
    /// The names by which a request may call the service, if they are known.
    hosts: Option<Vec<String>>,
    token: Option<Token>,
}

impl Guard {
    pub(in super::super) fn new(address: SocketAddr, token: Option<Token>) -> Self {
        let names = [address.to_string(), format!("localhost:{}", address.port())];
        // The usual port is left out.
        let usual = names.iter().filter(|_| address.port() == 80).map(|name| name.trim_end_matches(":80").to_owned());
        let hosts = names.iter().cloned().chain(usual).collect();
        Self { hosts: address.ip().is_loopback().then_some(hosts), token }
    }

    /// Why a request is refused, if it is.
    fn refusal(&self, request: &Request) -> Option<Response> {
        if !self.is_for_us(request.headers()) {
            let what = "send it from a program, not from a web page, to the address that the service has printed; a \
                        program that calls itself Mozilla/ also sends `robosieve: 1`";
            return Some(refused(StatusCode::FORBIDDEN, "this service is for crawlers that name it", what));
        }
        let is_open = request.uri().path() == "/healthz";
        if !is_open && !self.knows(request.headers()) {
            let what = "send `Authorization: Bearer TOKEN` with the token of --token-file";
            let mut reply = refused(StatusCode::UNAUTHORIZED, "the token is missing, or is another one", what);
            reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return Some(reply);
        }
        if request.body().size_hint().lower() > MAX_BODY {
            let code = StatusCode::PAYLOAD_TOO_LARGE;
            return Some(refused(code, "the body is longer than 65536 bytes", "send it again, in parts"));
        }
        is_too_long(request).then(|| {
            let code = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            refused(code, "the head is longer than 65536 bytes", "send a shorter URL and fewer headers")
        })
    }

    /// Whether a request is of someone who may use the service.
    fn knows(&self, headers: &HeaderMap) -> bool {
        self.token.as_ref().is_none_or(|token| token.is_in(headers))
    }

    fn is_for_us(&self, headers: &HeaderMap) -> bool {
        let is_of_page = || {
            let agent = headers.get(USER_AGENT).map(HeaderValue::as_bytes).unwrap_or_default();
            // Of a browser that sends neither of the two, for a picture. No page sets these for it.
            let is_own = || headers.contains_key(OWN_FIELD) || headers.contains_key(AUTHORIZATION);
            headers.contains_key(ORIGIN)
                || headers.contains_key("sec-fetch-site")
                || agent.starts_with(b"Mozilla/") && !is_own()
        };
        self.is_named(headers) && !is_of_page()
    }

    /// Whether a request names this server, once, if its names are known.
    fn is_named(&self, headers: &HeaderMap) -> bool {
        let mut named = headers.get_all(HOST).iter();
        let host = named.next().and_then(|host| host.to_str().ok());
        let is_named = self
            .hosts
            .as_ref()
            .is_none_or(|hosts| host.is_some_and(|host| hosts.iter().any(|own| own.eq_ignore_ascii_case(host))));
        is_named && named.next().is_none()
    }
}

/// Answers what may be answered, for programs. A request of someone who is not known is the last one of its connection.
pub(in super::super) async fn for_programs(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let is_known = guard.knows(request.headers());
    if is_known && let Some(place) = request.extensions().get::<Arc<Place>>() {
        place.is_known();
    }
    let mut reply = match guard.refusal(&request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    if !is_known {
        reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    reply
}

/// Answers what names this server, for a browser.
pub(in super::super) async fn for_browsers(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let what = "open the address that the command has printed";
    if !guard.is_named(request.headers()) {
        return refused(StatusCode::FORBIDDEN, "this server is for its own machine", what);
    }
    if is_too_long(&request) {
        return refused(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "the head is longer than 65536 bytes", what);
    }
    next.run(request).await
}

/// Whether the head of a request is too long, as clients write it.
fn is_too_long(request: &Request) -> bool {
    let line = request.method().as_str().len().saturating_add(request.uri().to_string().len());
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len().saturating_add(value.len()));
    // The request's line has ` `, ` HTTP/1.1` and its end; a field `: ` and its end; and an empty line follows.
    fields.fold(line.saturating_add(14), |sum, field| sum.saturating_add(field).saturating_add(4)) > MAX_HEAD
}
