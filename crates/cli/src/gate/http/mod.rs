//! What the commands that serve have in common: connections, whose requests are answered, and replies.
//!
//! Invariant: it knows no path. Heads, bodies, times and connections are bounded. A reply is never stored by anyone and
//! never taken for a web page; an error says what to do.

pub(super) mod connections;
pub(super) mod guard;
pub(super) mod token;

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};

/// A reply of this kind.
pub(super) fn reply(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response {
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (status, headers, body).into_response()
}

pub(super) fn json(body: Vec<u8>) -> Response {
    reply(StatusCode::OK, "application/json", body)
}

/// An error, in the form of those of requests about files, and what to do. Its kind is that of the status.
pub(super) fn refused(status: StatusCode, message: &str, then: &str) -> Response {
    let kind = status.canonical_reason().unwrap_or_default().to_ascii_lowercase().replace(' ', "-");
    let body = serde_json::json!({ "v": 1, "error": { "kind": kind, "message": message, "do": then } });
    reply(status, "application/json", format!("{body}\n").into_bytes())
}
