//! Bodies of requests, of bounded length and in time; and responses: JSON, never stored by anyone, never taken for a web
//! page.

use std::time::Duration;

use http_body_util::{BodyExt as _, Collected, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use tokio::time::timeout;

/// The time in which a head comes, and in which a body does.
pub(in super::super) const PATIENCE: Duration = Duration::from_secs(10);

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

/// A body of at most so many bytes, or the response to a longer or a slow one.
pub(in super::super) async fn body(body: Incoming, most: usize) -> Result<Bytes, Reply> {
    let then = "send it again, in parts if it is long";
    let too_long = || {
        let words = format!("the body is longer than {most} bytes");
        refused(StatusCode::PAYLOAD_TOO_LARGE, &words, then)
    };
    // What says that it is too long is not waited for.
    if body.size_hint().lower() > most.try_into().unwrap_or(u64::MAX) {
        return Err(too_long());
    }
    match timeout(PATIENCE, Limited::new(body, most).collect()).await {
        Ok(Ok(body)) => Ok(Collected::to_bytes(body)),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(_)) => Err(refused(StatusCode::BAD_REQUEST, "the body does not come as its head says", then)),
        Err(_) => Err(refused(StatusCode::REQUEST_TIMEOUT, "the body comes too slowly", then)),
    }
}
