//! Reading the time, and waiting.
//!
//! Invariant: a driver reads the time from its clock alone, so a test can set it.

use std::pin::Pin;

use crate::moment::Moment;
use crate::run_clock::RunClock;

/// A wait that ends by itself.
pub type Sleep<'c> = Pin<Box<dyn Future<Output = ()> + Send + 'c>>;

/// Tells the time, and waits. The system's is [`RunClock`].
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Moment;

    /// Waits until that time, in tokio.
    fn sleep_until(&self, until: Moment) -> Sleep<'_>;
}

impl Clock for RunClock {
    fn now(&self) -> Moment {
        Self::now(self)
    }

    fn sleep_until(&self, until: Moment) -> Sleep<'_> {
        // Tokio's own begins when it is made, which may be outside of a runtime.
        Box::pin(async move { tokio::time::sleep(until.since(self.now())).await })
    }
}
