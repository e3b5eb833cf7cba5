//! A client of the caller's: a function, or a coroutine function, of a URL and headers. `robosieve.gate` gives it a
//! shape: it returns a response, or why there is none and whether the site was asked, and raises what is a bug.
//!
//! Invariant: a bug is nothing that a site said. It goes to the caller whose question it is, and the retrieval is given
//! up.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robosieve_gate::retrieve::{Fetched, Request};
use robosieve_gate::{Answer, Fetch};
use tokio::sync::oneshot;

use crate::headers;
use crate::input::bytes_of;
use crate::options::locked;

/// A response, as callers have it.
#[derive(FromPyObject)]
pub(crate) struct Response<'py> {
    pub(crate) status: u16,
    pub(crate) headers: Option<Bound<'py, PyAny>>,
    pub(crate) body: Option<Bound<'py, PyAny>>,
    pub(crate) address: Option<String>,
    pub(crate) decoded: bool,
    pub(crate) broken_off: bool,
}

impl Response<'_> {
    /// As the gate takes it.
    pub(crate) fn fetched(&self) -> PyResult<Fetched> {
        let body = self.body.as_ref().map(|body| bytes_of("a body", body)).transpose()?.unwrap_or_default();
        let headers = self.headers.as_ref().map(|headers| headers::lines(headers, usize::MAX)).transpose()?;
        let with =
            |fetched: Fetched, (name, value): &headers::Line| fetched.header(&String::from_utf8_lossy(name), value);
        let mut fetched = headers.iter().flatten().fold(Fetched::new(self.status, body.into_owned()), with);
        fetched = if self.decoded { fetched.decoded() } else { fetched };
        fetched = if self.broken_off { fetched.broken_off() } else { fetched };
        let Some(address) = &self.address else { return Ok(fetched) };
        let address: IpAddr =
            address.parse().map_err(|_| PyValueError::new_err(format!("{address:?} is no IP address")))?;
        Ok(fetched.from_address(address))
    }
}

/// What happened instead of a response.
pub(crate) fn failed(why: String, was_asked: bool) -> Fetched {
    if was_asked { Fetched::failed(why) } else { Fetched::not_asked(why) }
}

/// What a client returned.
fn came(returned: &Bound<'_, PyAny>) -> PyResult<Fetched> {
    match returned.extract::<(String, bool)>() {
        Ok((why, was_asked)) => Ok(failed(why, was_asked)),
        Err(_) => returned.extract::<Response<'_>>()?.fetched(),
    }
}

/// The bug that a client raised, until it is taken.
pub(crate) type Bug = Arc<Mutex<Option<PyErr>>>;

/// The client for one question.
pub(crate) struct Given {
    fetch: Py<PyAny>,
    /// The loop in which coroutines run. Without one it is a function for threads.
    event_loop: Option<Py<PyAny>>,
    bug: Bug,
}

/// Takes the result of a coroutine.
#[pyclass(frozen)]
struct Came(Mutex<Option<oneshot::Sender<PyResult<Fetched>>>>);

#[pymethods]
impl Came {
    fn __call__(&self, future: &Bound<'_, PyAny>) {
        let sender = locked(&self.0).take();
        if let Some(sender) = sender {
            let _ = sender.send(future.call_method0("result").and_then(|returned| came(&returned)));
        }
    }
}

/// A coroutine. When nobody waits for it any more, it is cancelled.
struct Running(Py<PyAny>);

impl Drop for Running {
    fn drop(&mut self) {
        Python::try_attach(|py| self.0.call_method0(py, "cancel").map(drop));
    }
}

/// Waits for an answer of a gate that has such a client; or for its bug.
pub(crate) async fn or_bug(bug: Bug, work: impl Future<Output = Answer> + Send) -> PyResult<Answer> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Ok(answer)),
        Poll::Pending => locked(&bug).take().map_or(Poll::Pending, |bug| Poll::Ready(Err(bug))),
    })
    .await
}

impl Given {
    pub(crate) fn new(fetch: Py<PyAny>, event_loop: Option<Py<PyAny>>) -> Self {
        Self { fetch, event_loop, bug: Arc::default() }
    }

    /// Where its bug will be.
    pub(crate) fn bug(&self) -> Bug {
        Arc::clone(&self.bug)
    }

    fn arguments(request: &Request) -> (String, Vec<(&'static str, String)>) {
        (request.url.to_string(), request.held.lines().map(|(name, value)| (name, value.to_owned())).collect())
    }

    /// Runs the coroutine in its loop.
    async fn in_loop(&self, request: &Request, event_loop: &Py<PyAny>) -> Option<PyResult<Fetched>> {
        let (sender, receiver) = oneshot::channel();
        let begun = Python::try_attach(|py| {
            let coroutine = self.fetch.call1(py, Self::arguments(request))?;
            let future = py.import("asyncio")?.call_method1("run_coroutine_threadsafe", (coroutine, event_loop))?;
            let running = Running(future.clone().unbind());
            future.call_method1("add_done_callback", (Came(Mutex::new(Some(sender))),))?;
            Ok(running)
        })?;
        let _running = match begun {
            Ok(running) => running,
            Err(error) => return Some(Err(error)),
        };
        receiver.await.ok()
    }
}

impl Fetch for Given {
    async fn fetch(&self, request: Request) -> Fetched {
        let came = match &self.event_loop {
            Some(event_loop) => self.in_loop(&request, event_loop).await,
            None => Python::try_attach(|py| came(self.fetch.bind(py).call1(Self::arguments(&request))?.as_any())),
        };
        match came {
            Some(Ok(fetched)) => return fetched,
            Some(Err(bug)) => *locked(&self.bug) = Some(bug),
            // The interpreter ends.
            None => {}
        }
        // Whoever waits sees the bug, and waits no longer.
        std::future::pending().await
    }
}
