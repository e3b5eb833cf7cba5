//! asyncio's futures, and threads that wait, over tokio.
//!
//! Invariant: no lock is held while an object of Python is made or dropped, which may run any code. Results are handed to a
//! loop in batches, so that threads of tokio seldom wait for the interpreter. A process that was forked gets a runtime of
//! its own: that of its parent has no threads there.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;
use tokio::runtime::{Builder, Runtime};

use crate::options::locked;
use crate::step::Step;

/// The most threads in which stores and name servers are asked. Our choice.
const MAX_THREADS: usize = 32;

/// Between two looks whether a signal of the process came.
const LOOK: Duration = Duration::from_millis(100);

/// The runtime, and the process that it is of.
static RUNTIME: Mutex<Option<(u32, Arc<Runtime>)>> = Mutex::new(None);

/// What work comes to. Not all of it has a step.
pub(crate) type Outcome = PyResult<Option<Step>>;

fn runtime() -> PyResult<Arc<Runtime>> {
    let mut kept = locked(&RUNTIME);
    let here = std::process::id();
    if let Some((process, runtime)) = &*kept
        && *process == here
    {
        return Ok(Arc::clone(runtime));
    }
    let built = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(MAX_THREADS).enable_all().build();
    let runtime = Arc::new(built.map_err(|error| PyOSError::new_err(error.to_string()))?);
    // To drop that of a parent would wait for threads that are not here.
    if let Some((_, parent)) = kept.replace((here, Arc::clone(&runtime))) {
        std::mem::forget(parent);
    }
    Ok(runtime)
}

/// Waits for work without the interpreter. A signal whose handler raises, as Ctrl-C, ends it.
#[allow(clippy::redundant_closure_for_method_calls, reason = "the method is not general enough for any lifetime")]
pub(crate) fn block_on<T: Send>(py: Python<'_>, work: impl Future<Output = PyResult<T>> + Send) -> PyResult<T> {
    let runtime = runtime()?;
    let waits = async {
        let mut work = std::pin::pin!(work);
        loop {
            match tokio::time::timeout(LOOK, &mut work).await {
                Ok(done) => return done,
                Err(_) => Python::attach(|py| py.check_signals())?,
            }
        }
    };
    py.detach(|| runtime.block_on(waits))
}

/// The results that a loop has not taken yet.
#[pyclass(frozen)]
struct Results {
    event_loop: Py<PyAny>,
    ready: Mutex<Vec<(Py<PyAny>, Outcome)>>,
}

#[pymethods]
impl Results {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let ready = std::mem::take(&mut *locked(&self.ready));
        ready.into_iter().try_for_each(|(future, outcome)| end(future.bind(py), outcome))
    }
}

/// Ends a future, if nobody has cancelled it.
fn end(future: &Bound<'_, PyAny>, outcome: Outcome) -> PyResult<()> {
    if !future.call_method0("done")?.is_truthy()? {
        match outcome {
            Ok(step) => future.call_method1("set_result", (step,))?,
            Err(error) => future.call_method1("set_exception", (error,))?,
        };
    }
    Ok(())
}

/// The loops of a gate's callers: the last one, with its results.
#[derive(Default)]
pub(crate) struct Loops(Mutex<Option<Py<Results>>>);

impl Loops {
    /// The loop that runs.
    pub(crate) fn running(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        py.import("asyncio")?.call_method0("get_running_loop")
    }

    fn results(&self, event_loop: &Bound<'_, PyAny>) -> PyResult<Py<Results>> {
        let py = event_loop.py();
        let known = locked(&self.0).as_ref().map(|known| known.clone_ref(py));
        if let Some(known) = known
            && known.get().event_loop.is(event_loop)
        {
            return Ok(known);
        }
        let made = Py::new(py, Results { event_loop: event_loop.clone().unbind(), ready: Mutex::default() })?;
        let before = locked(&self.0).replace(made.clone_ref(py));
        drop(before);
        Ok(made)
    }

    /// A future of the loop that runs. What is known is answered at once, without a thread.
    pub(crate) fn future<'py>(
        &self,
        event_loop: &Bound<'py, PyAny>,
        work: impl Future<Output = Outcome> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (results, future) = (self.results(event_loop)?, event_loop.call_method0("create_future")?);
        let runtime = runtime()?;
        let mut work: Pin<Box<dyn Future<Output = Outcome> + Send>> = Box::pin(work);
        let at_once = {
            let _inside = runtime.enter();
            work.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        };
        if let Poll::Ready(outcome) = at_once {
            end(&future, outcome)?;
            return Ok(future);
        }
        let given = future.clone().unbind();
        let task = runtime.spawn(async move {
            let outcome = work.await;
            let is_first = {
                let mut ready = locked(&results.get().ready);
                ready.push((given, outcome));
                ready.len() == 1
            };
            if is_first {
                // A loop that is closed, or an interpreter that ends, wants no result.
                Python::try_attach(|py| {
                    let hand = (results.clone_ref(py),);
                    results.get().event_loop.call_method1(py, "call_soon_threadsafe", hand).map(drop)
                });
            }
        });
        // It may have been cancelled.
        let ends = task.abort_handle();
        let abort = PyCFunction::new_closure(event_loop.py(), None, None, move |_, _| ends.abort())?;
        future.call_method1("add_done_callback", (abort,))?;
        Ok(future)
    }
}
