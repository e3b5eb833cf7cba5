//! The tests that take no time, in one program: what `cargo mutants` builds and runs for each change it makes. `cargo test`
//! runs each file by itself.
#![allow(missing_docs)]

mod behaviour;
mod bytes;
mod changes;
mod corpus;
mod dialects;
mod doors;
mod limits;
mod minimal;
mod names;
mod order;
mod parts;
mod paths;
mod serialised;
mod sets;
mod spec;
mod values;
