//! Properties of the gate: each holds for all choices. The tests make them at random, the fuzzer makes them of its
//! bytes.
//!
//! Invariant: a property asks for its choices one after another, and ends, however they come.

#[allow(unreachable_pub, reason = "it is also a module of the fuzz targets' library")]
pub(crate) mod choices;
pub(crate) mod machine;
pub(crate) mod random;
#[cfg(feature = "sqlite")]
pub(crate) mod rows;
