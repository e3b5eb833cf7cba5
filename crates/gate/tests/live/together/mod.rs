//! Client, gate and store together, with servers on loopback.
//!
//! Invariant: only loopback is connected to, and no test waits for time to pass.

mod classes;
mod life;
mod site;
mod world;
