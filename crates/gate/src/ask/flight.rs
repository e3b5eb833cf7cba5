//! One retrieval at a time for each origin.
//!
//! Invariant: at most one [`Flight`] of an origin exists. No lock is held while it exists: the others hold a
//! [`Pending`], which they can wait for with a thread or in async code. A flight ends when it is dropped, also after a
//! panic or in a task that was cancelled.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::ask::known::Known;
use crate::keep::store::Claim;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::validators::Validators;

/// What a flight brought: the site, and when it was learnt.
pub(crate) type Learnt = (Arc<Known>, Moment);

#[derive(Debug, Default)]
pub(crate) struct Flights {
    turns: Mutex<HashMap<Origin, Arc<Turn>>>,
}

impl Flights {
    /// Begins a flight, unless one is under way.
    pub(crate) fn begin(self: &Arc<Self>, origin: &Origin) -> Result<Flight, Pending> {
        let mut turns = lock(&self.turns);
        if let Some(turn) = turns.get(origin) {
            return Err(Pending { turn: Arc::clone(turn) });
        }
        let turn = Arc::new(Turn::default());
        turns.insert(origin.clone(), Arc::clone(&turn));
        Ok(Flight {
            flights: Arc::clone(self),
            origin: origin.clone(),
            held: Validators::default(),
            start: None,
            claim: None,
            turn,
        })
    }

    /// Tells those that wait for a flight what it brought.
    pub(crate) fn tell(&self, origin: &Origin, learnt: Learnt) {
        let turn = lock(&self.turns).get(origin).cloned();
        if let Some(turn) = turn {
            lock(&turn.state).learnt = Some(learnt);
        }
    }
}

/// The state that a flight shares with those that wait for it.
#[derive(Default)]
struct Turn {
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    is_over: bool,
    learnt: Option<Learnt>,
    wakers: Vec<Waker>,
}

/// The right to retrieve the robots.txt of an origin. Nobody else gets it while this exists.
///
/// Retrieve the file, give the result to [`GateCore::learn`](crate::GateCore::learn), then drop this and ask again.
/// If it is dropped before that, the next caller gets the right.
pub struct Flight {
    flights: Arc<Flights>,
    origin: Origin,
    held: Validators,
    start: Option<Moment>,
    /// Among the programs that share the store.
    claim: Option<Claim>,
    turn: Arc<Turn>,
}

impl Flight {
    /// The origin whose robots.txt is due.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What to make the request conditional with: the validators of the copy that the store holds.
    #[must_use]
    pub const fn held(&self) -> &Validators {
        &self.held
    }

    /// When the request may start: it has a slot of its lane then, so wait until that moment. It is never more than
    /// [`Pacing::robots_txt_wait`](crate::pace::Pacing::robots_txt_wait) away.
    #[must_use]
    pub const fn starts_at(&self) -> Option<Moment> {
        self.start
    }

    pub(crate) fn starting(mut self, slot: Moment) -> Self {
        self.start = Some(slot);
        self
    }

    pub(crate) fn holding(mut self, held: Validators) -> Self {
        self.held = held;
        self
    }

    pub(crate) fn claiming(mut self, claim: Claim) -> Self {
        self.claim = Some(claim);
        self
    }

    /// What was learnt of the origin since this began.
    pub(crate) fn learnt(&self) -> Option<Learnt> {
        lock(&self.turn.state).learnt.clone()
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        drop(self.claim.take());
        // First out of the map, so that whoever wakes up and asks gets a flight of their own.
        lock(&self.flights.turns).remove(&self.origin);
        let mut state = lock(&self.turn.state);
        state.is_over = true;
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.turn.bell.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl fmt::Debug for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Flight").field(&self.origin.to_string()).finish()
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").finish_non_exhaustive()
    }
}

/// A retrieval of the origin that somebody else makes. Wait for its end, then ask again.
///
/// Async code awaits it. It needs no particular runtime.
#[derive(Debug)]
pub struct Pending {
    turn: Arc<Turn>,
}

impl Pending {
    /// Blocks until the retrieval has ended.
    pub fn wait(self) {
        let state = lock(&self.turn.state);
        let state = self.turn.bell.wait_while(state, |state| !state.is_over);
        drop(state.unwrap_or_else(PoisonError::into_inner));
    }

    /// What the retrieval brought; `None` before its end, and if nothing was learnt.
    pub(crate) fn learnt(&self) -> Option<Learnt> {
        lock(&self.turn.state).learnt.clone()
    }

    /// The same wait, for what it will have brought.
    pub(crate) fn again(&self) -> Self {
        Self { turn: Arc::clone(&self.turn) }
    }

    /// Blocks, and returns what the retrieval brought.
    pub(crate) fn wait_for_learnt(self) -> Option<Learnt> {
        let again = self.again();
        self.wait();
        again.learnt()
    }
}

impl Future for Pending {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.turn.state);
        if state.is_over {
            return Poll::Ready(());
        }
        if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            state.wakers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

/// A poisoned lock means that a thread panicked. No change under these locks can be half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
