//! Requests the sites of URLs that wait, in threads of their own.
//!
//! Invariant: whoever waits for answers is never held up by a retrieval. At most [`MOST`] run at a time. Each lane that
//! was given comes back, also after a panic.

use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::ask::answer::GateError;
use crate::ask::gate::Gate;
use crate::retrieve::retriever::Retriever;

/// The most retrievals at a time. Our choice: as many as may be slow at a time.
const MOST: usize = 256;

/// Sites that are requested again.
pub(super) struct Again {
    tell: Sender<Ended>,
    ended: Receiver<Ended>,
    running: usize,
    /// The lanes that came back, until their next question: that one is the caller's in any case. With the error.
    fresh: HashMap<String, Result<(), GateError>>,
}

/// A lane that came back, with the error of its retrieval.
type Ended = (String, Result<(), GateError>);

impl Again {
    pub(super) fn new() -> Self {
        let (tell, ended) = mpsc::channel();
        Self { tell, ended, running: 0, fresh: HashMap::new() }
    }

    /// Starts to request the site of a URL. False if no more can run now.
    pub(super) fn ask<R>(&mut self, gate: &Arc<Gate<R>>, lane: &str, url: &str) -> bool
    where
        R: Retriever + Send + Sync + 'static,
    {
        let (gate, lane, url, tell) = (Arc::clone(gate), lane.to_owned(), url.to_owned(), self.tell.clone());
        let work = move || {
            // What came of it, the gate remembers; after a panic, the next question is the caller's.
            let asked = panic::catch_unwind(AssertUnwindSafe(|| gate.permits(&url, gate.now())));
            let _ = tell.send((lane, asked.map_or(Ok(()), |asked| asked.map(drop))));
        };
        let may = self.running < MOST && thread::Builder::new().name("again".into()).spawn(work).is_ok();
        self.running = self.running.saturating_add(usize::from(may));
        may
    }

    /// A lane whose site was requested.
    pub(super) fn ended(&mut self) -> Option<String> {
        let (lane, asked) = self.ended.try_recv().ok()?;
        self.running = self.running.saturating_sub(1);
        self.fresh.insert(lane.clone(), asked);
        Some(lane)
    }

    /// Whether a lane has just come back, and the error.
    pub(super) fn fresh(&mut self, lane: &str) -> Option<Result<(), GateError>> {
        self.fresh.remove(lane)
    }

    pub(super) const fn is_running(&self) -> bool {
        self.running > 0
    }
}
