//! Connections to a server, kept for the next call.
//!
//! Invariant: after the server could not be used, calls fail at once for a moment, then it is tried again. A message
//! names the server without its password.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store_error::StoreError;

pub(super) const TIME_OUT: Duration = Duration::from_secs(2);
pub(super) const HOLD_OFF: Duration = Duration::from_secs(1);

/// The most connections that are kept while nobody uses them. More are closed.
const MOST_IDLE: usize = 64;

/// What a server did that gave no answer.
pub(super) const LATE: &str = "the server did not answer in time; see whether it is overloaded or stopped";

/// Why a server did not do what it was asked for.
pub(super) trait Trouble {
    /// What happened and what helps, for people.
    fn words(&self) -> String;

    /// Whether a new connection may be better.
    fn is_stale(&self) -> bool;
}

pub(super) struct Pool<C> {
    /// The server without a password, for messages.
    shown: String,
    idle: Mutex<Vec<C>>,
    /// Until when calls fail at once.
    away_until: Mutex<Option<Instant>>,
}

impl<C> Pool<C> {
    pub(super) fn new(shown: String) -> Self {
        Self { shown, idle: Mutex::default(), away_until: Mutex::default() }
    }

    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Uses a connection. A kept one may be closed by now: then a new one is used, once.
    pub(super) fn with<T, E: Trouble>(
        &self,
        connect: impl FnOnce() -> Result<C, E>,
        mut call: impl FnMut(&mut C) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        if lock(&self.away_until).is_some_and(|until| Instant::now() < until) {
            return Err(StoreError::Failed(format!("{} could not be used a moment ago", self.shown)));
        }
        let kept = lock(&self.idle).pop();
        if let Some(mut kept) = kept {
            match call(&mut kept) {
                Ok(value) => return Ok(self.done(kept, value)),
                Err(error) if !error.is_stale() => return Err(self.gone(&error)),
                // The others are as old.
                Err(_) => lock(&self.idle).clear(),
            }
        }
        let mut fresh = connect().map_err(|error| self.gone(&error))?;
        match call(&mut fresh) {
            Ok(value) => Ok(self.done(fresh, value)),
            Err(error) => Err(self.gone(&error)),
        }
    }

    fn done<T>(&self, connection: C, value: T) -> T {
        let mut idle = lock(&self.idle);
        if idle.len() < MOST_IDLE {
            idle.push(connection);
        }
        value
    }

    /// A call failed. If the server is away, the next calls do not wait for it again.
    fn gone(&self, error: &impl Trouble) -> StoreError {
        if error.is_stale() {
            lock(&self.idle).clear();
            *lock(&self.away_until) = Instant::now().checked_add(HOLD_OFF);
        }
        StoreError::Failed(format!("{}: {}", self.shown, error.words()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
