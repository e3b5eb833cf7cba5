//! Responses: JSON, never stored by anyone, never taken for a web page.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};

pub(in super::super) type Reply = Response<Full<Bytes>>;

pub(in super::super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

/// That something was done.
pub(in super::super) fn fine() -> Reply {
    json(StatusCode::OK, b"{\"v\":1,\"ok\":true}\n".to_vec())
}

/// An error, in the form of those of requests about files, and what to do. Its kind is that of the status.
pub(in super::super) fn refused(status: StatusCode, message: &str, then: &str) -> Reply {
    let kind = status.canonical_reason().unwrap_or_default().to_ascii_lowercase().replace(' ', "-");
    let body = serde_json::json!({ "v": 1, "error": { "kind": kind, "message": message, "do": then } });
    json(status, format!("{body}\n").into_bytes())
}

/// An error because of a request's method.
pub(in super::super) fn only(methods: &'static str) -> Reply {
    let reply = refused(StatusCode::METHOD_NOT_ALLOWED, "it does not take this method", &format!("send {methods}"));
    with(reply, ALLOW, methods)
}

/// An error because too much is asked at a time.
pub(in super::super) fn busy(error: &str) -> Reply {
    with(refused(StatusCode::SERVICE_UNAVAILABLE, error, "ask again after a second"), RETRY_AFTER, "1")
}

pub(in super::super) fn with(mut reply: Reply, name: HeaderName, value: &'static str) -> Reply {
    reply.headers_mut().insert(name, HeaderValue::from_static(value));
    reply
}
