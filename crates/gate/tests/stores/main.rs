//! The promises of stores, once for all of them: in memory, in a file, in a server that the tests start.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

#[cfg_attr(not(any(feature = "sqlite", feature = "redis")), allow(dead_code, reason = "memory has no lanes"))]
mod contract;
#[path = "../gate/making.rs"]
mod making;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis")]
mod redis_server;

use std::sync::Arc;

use robosieve_gate::MemoryStore;
use robosieve_gate::keep::SharedStore;

use contract::keeps_records;

/// The store in memory: [gate.store]
#[test]
fn memory() {
    keeps_records(&MemoryStore::default());
    keeps_records(&MemoryStore::new(0));
    contract::keeps_lanes(&MemoryStore::default());
    let shared: SharedStore = MemoryStore::default().into();
    contract::shares_pace(&|| Arc::clone(&shared));
}

#[cfg(feature = "sqlite")]
/// The store in a file: [gate.store] [gate.sqlite] [gate.shared-pace] [gate.hold] [gate.fleet-flight]
#[test]
fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("robots.sqlite").into_os_string().into_string().unwrap();
    let open = || robosieve_gate::keep::open(&name).unwrap();
    keeps_records(&*open());
    contract::keeps_lanes(&*open());
    contract::learns_as_memory(&*open());
    contract::shares_pace(&open);
    contract::claims(&open);
    contract::clocks_apart(&open);
    contract::workers_wait(&open);
}

/// A name with a scheme is not a file: [gate.store-names]
#[test]
fn names() {
    for name in ["ftp://a.test/", "sqlite:///tmp/x", "://"] {
        let error = robosieve_gate::keep::open(name).err().unwrap().to_string();
        assert!(error.contains("has no stores by"), "{error}");
    }
}
