//! The loop over the machine: it carries out each step with a client, each request in its turn.
//!
//! Invariant: this is the only loop over a machine that waits. A client reports what came, and decides nothing.

use std::future::{Future, ready};
#[cfg(feature = "async")]
use std::sync::Arc;
#[cfg(feature = "async")]
use std::time::Duration;

use crate::moment::Moment;
use crate::retrieve::machine::{Event, Machine, Step};
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::retriever::{Request, Turn, Turns};

/// What carries out the steps of one retrieval.
pub(crate) trait Client {
    fn now(&self) -> Moment;

    fn sleep_until(&self, until: Moment) -> impl Future<Output = ()> + Send;

    /// Looks a host up, and reports its addresses.
    fn resolve(&self, machine: &mut Machine, host: String, port: u16) -> impl Future<Output = ()> + Send;

    /// Makes the machine's request, and reports the response's head, or the whole response.
    fn request(&mut self, machine: &mut Machine) -> impl Future<Output = ()> + Send;

    /// Reports some of the body.
    fn read(&mut self, machine: &mut Machine) -> impl Future<Output = ()> + Send;
}

/// Whom a loop asks for turns.
pub(crate) trait AskForTurn {
    fn turn(&self, request: Request, now: Moment) -> impl Future<Output = Turn> + Send;
}

/// Code that blocks waits for the answer.
impl AskForTurn for &dyn Turns {
    fn turn(&self, request: Request, _: Moment) -> impl Future<Output = Turn> + Send {
        ready(Turns::turn(*self, &request))
    }
}

/// Async code asks in a thread for blocking work, if the answer may wait for a disk.
#[cfg(feature = "async")]
pub(crate) struct Shared(pub(crate) Arc<dyn Turns>);

#[cfg(feature = "async")]
impl AskForTurn for Shared {
    async fn turn(&self, request: Request, now: Moment) -> Turn {
        if !self.0.blocks() {
            return self.0.turn(&request);
        }
        let turns = Arc::clone(&self.0);
        let asked = tokio::task::spawn_blocking(move || turns.turn(&request)).await;
        // Its thread ended, so nothing is known of the lane.
        asked.unwrap_or_else(|_| Turn::NotBefore(now.after(Duration::from_secs(1))))
    }
}

/// Makes a retrieval.
pub(crate) async fn drive(mut machine: Machine, mut client: impl Client, turns: impl AskForTurn) -> Retrieval {
    loop {
        match machine.step() {
            Step::Resolve { host, port } => client.resolve(&mut machine, host, port).await,
            Step::Connect { .. } => {
                if has_turn(&mut machine, &client, &turns).await {
                    client.request(&mut machine).await;
                }
            }
            Step::Read => client.read(&mut machine).await,
            Step::Wait { until } => {
                client.sleep_until(until).await;
                // A clock that returns too early must not cause an endless loop.
                machine.on(Event::Time, client.now().max(until));
            }
            Step::Done => return machine.into_retrieval(client.now()),
        }
    }
}

/// Waits for the turn of the next request. Whether it has one.
async fn has_turn(machine: &mut Machine, client: &impl Client, turns: &impl AskForTurn) -> bool {
    loop {
        let now = client.now();
        let Some(request) = machine.request(now) else { return false };
        let turn = turns.turn(request, now).await;
        machine.on(Event::Turn(turn), now);
        match turn {
            Turn::Now => return true,
            // It waited too long.
            _ if machine.request(now).is_none() => return false,
            Turn::Again(wait) => client.sleep_until(now.after(wait)).await,
            Turn::NotBefore(_) => {}
        }
    }
}
