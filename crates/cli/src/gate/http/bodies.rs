//! Bodies of requests: of bounded length, and in time.

use http_body_util::{BodyExt as _, Collected, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body as _, Bytes, Incoming};
use tokio::time::timeout;

use super::connections::PATIENCE;
use super::replies::{Reply, refused};

/// A body of at most so many bytes, or the response to a longer or a slow one.
pub(in super::super) async fn read(body: Incoming, most: usize) -> Result<Bytes, Reply> {
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
