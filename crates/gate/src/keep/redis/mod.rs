//! The store in a Redis server, which crawlers on many machines share.
//!
//! Invariant: each change is one script, which the server runs as one step, and by the server's clock. What the server
//! does not answer is our trouble: a call fails, and nothing is opened, charged or started for it.

mod clock;
mod connections;
mod lanes;

use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use redis::Cmd;

use crate::decide::site::SiteRecord;
use crate::keep::store::{Claim, SiteStore, Visit, unique};
use crate::keep::text;
use crate::moment::{Moment, RunClock};
use crate::origin::Origin;
use crate::pace::lane::Lane;
use crate::pace::lanes::{Change, LaneError, Lanes};
use crate::store_error::StoreError;
use connections::{Connections, Script};

/// Remembers sites and lanes in a Redis server (7 or later, or Valkey).
///
/// The keys are `PREFIX:site:{ORIGIN}`, a hash with a record for each reader; `PREFIX:lane:{NAME}`; and
/// `PREFIX:flight:{ORIGIN}:READER` while a program retrieves an origin. Each has a lifetime, so what is not used is
/// dropped.
#[derive(Debug)]
pub struct RedisStore {
    connections: Arc<Connections>,
    known: lanes::KnownLanes,
}

impl RedisStore {
    /// The most bytes of a value. A longer one is not read and not written. Our choice: 16 MiB, as in a file.
    pub const MAX_VALUE: usize = text::MAX_RECORD;

    /// How long a site is kept after its last retrieval. Our choice: 40 days, longer than the longest pause between
    /// two attempts by default, 30 days.
    pub const SITE_LIFE: Duration = Duration::from_secs(40 * 24 * 60 * 60);

    /// How long a lane is kept after its last slot. Our choice: one hour. A longer lease counts as an hour.
    pub const LANE_LIFE: Duration = lanes::LIFE;

    /// How long a call waits for the server. Our choice: two seconds.
    pub const TIME_OUT: Duration = connections::TIME_OUT;

    /// For how long calls fail at once after the server could not be used. Our choice: one second.
    pub const HOLD_OFF: Duration = connections::HOLD_OFF;

    /// Opens a store: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]` or `unix:///PATH`, with `?prefix=…`
    /// (`robosieve` without it).
    ///
    /// # Errors
    /// If the URL is not one of these, or the server can't be used.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let connections = Connections::open(url)?;
        Ok(Self { connections: Arc::new(connections), known: lanes::KnownLanes::default() })
    }

    fn site(&self, origin: &Origin) -> String {
        self.connections.key("site", &origin.to_string())
    }

    fn call<T: redis::FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        self.connections.with(|connection| command.query(&mut connection.stream))
    }

    /// Passes the key of each site, or of each lane, to `visit`, some keys perhaps twice.
    fn each(
        &self,
        kind: &str,
        visit: &mut dyn FnMut(String) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let (pattern, mut cursor) = (self.connections.pattern(kind), 0_u64);
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(1_000);
            let (next, keys): (u64, Vec<Vec<u8>>) = self.call(&scan)?;
            for key in keys.into_iter().filter_map(|key| String::from_utf8(key).ok()) {
                if visit(key)?.is_break() {
                    return Ok(());
                }
            }
            if next == 0 {
                return Ok(());
            }
            cursor = next;
        }
    }
}

/// A record as a value: its JSON, packed, after its checksum.
fn packed(origin: &Origin, reader: &str, record: &SiteRecord) -> Result<Vec<u8>, StoreError> {
    let json = text::of_record(record)?;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    let packed = packed.write_all(json.as_bytes()).and_then(|()| packed.finish());
    let packed = packed.map_err(|error| StoreError::Failed(error.to_string()))?;
    Ok([&text::checksum(&origin.to_string(), reader, &packed).to_be_bytes(), packed.as_slice()].concat())
}

/// The record, if the value is one of this key.
fn unpacked(origin: &Origin, reader: &str, bytes: &[u8]) -> Option<SiteRecord> {
    let (sum, packed) = bytes.split_first_chunk::<4>()?;
    if u32::from_be_bytes(*sum) != text::checksum(&origin.to_string(), reader, packed) {
        return None;
    }
    let mut json = Vec::new();
    let most = u64::try_from(text::MAX_RECORD).ok()?.saturating_add(1);
    ZlibDecoder::new(packed).take(most).read_to_end(&mut json).ok()?;
    text::record(&json)
}

impl SiteStore for RedisStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError> {
        let key = self.site(origin);
        let found: Option<Vec<u8>> = self.connections.with(|connection| {
            connection.run(Script::Get, &[&key], &[reader.as_bytes(), text::MAX_RECORD.to_string().as_bytes()])
        })?;
        // What can't be read is not known. It is requested again, and written anew.
        Ok(found.and_then(|bytes| unpacked(origin, reader, &bytes)))
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError> {
        let (key, bytes) = (self.site(origin), packed(origin, reader, record)?);
        let life = Self::SITE_LIFE.as_millis().to_string();
        self.connections
            .with(|connection| connection.run(Script::Put, &[&key], &[reader.as_bytes(), &bytes, life.as_bytes()]))
    }

    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError> {
        let gone: u64 = self.call(redis::cmd("HDEL").arg(self.site(origin)).arg(reader))?;
        Ok(gone > 0)
    }

    fn forget(&self, origin: &Origin) -> Result<u64, StoreError> {
        let key = self.site(origin);
        self.connections.with(|connection| connection.run(Script::Forget, &[&key], &[]))
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.each("site", &mut |key| {
            let _gone: u64 = self.call(redis::cmd("UNLINK").arg(key))?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn len(&self) -> Result<u64, StoreError> {
        let mut seen = std::collections::HashSet::new();
        let mut count = 0_u64;
        self.each("site", &mut |key| {
            let readers: u64 = self.call(redis::cmd("HLEN").arg(&key))?;
            count = count.saturating_add(if seen.insert(key) { readers } else { 0 });
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(count)
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        let (mut seen, mut unreadable) = (std::collections::HashSet::new(), None);
        self.each("site", &mut |key| {
            if !seen.insert(key.clone()) {
                return Ok(ControlFlow::Continue(()));
            }
            let name = self.connections.name_in(&key).to_owned();
            let Ok(origin) = Origin::of(&name) else {
                unreadable.get_or_insert(StoreError::Row { origin: name, column: "origin" });
                return Ok(ControlFlow::Continue(()));
            };
            let readers: Vec<Vec<u8>> = self.call(redis::cmd("HKEYS").arg(&key))?;
            for reader in readers {
                let reader = String::from_utf8_lossy(&reader).into_owned();
                match SiteStore::get(self, &origin, &reader)? {
                    Some(record) => {
                        if visit(&origin, &reader, record).is_break() {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    None => {
                        unreadable.get_or_insert(StoreError::Row { origin: name.clone(), column: "value" });
                    }
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        unreadable.map_or(Ok(()), Err)
    }

    fn lanes(&self) -> Option<&dyn Lanes> {
        Some(self)
    }

    fn blocks(&self) -> bool {
        true
    }

    fn warning(&self) -> Option<String> {
        self.connections.evicts()
    }

    fn clock(&self) -> RunClock {
        RunClock::from(self.connections.clock.now())
    }

    fn claim(&self, origin: &Origin, reader: &str) -> Result<Result<Claim, Duration>, StoreError> {
        let key = format!("{}:{reader}", self.connections.key("flight", &origin.to_string()));
        let token = format!("{:016x}-{}", unique(), Moment::now().as_millis());
        let lease = Claim::LEASE.as_millis().to_string();
        let is_ours: u64 = self
            .connections
            .with(|connection| connection.run(Script::Claim, &[&key], &[token.as_bytes(), lease.as_bytes()]))?;
        if is_ours == 0 {
            return Ok(Err(Claim::LOOK_AGAIN));
        }
        let connections = Arc::clone(&self.connections);
        Ok(Ok(Claim::until_dropped(move || {
            // If the server is away now, the lease ends by itself.
            let _: Result<u64, _> =
                connections.with(|connection| connection.run(Script::Release, &[&key], &[token.as_bytes()]));
        })))
    }
}

impl Lanes for RedisStore {
    fn change(&self, name: &str, now: Moment, change: &mut Change<'_>) -> Result<(), LaneError> {
        self.known.change(&self.connections, name, now, change)
    }

    fn get(&self, name: &str, now: Moment) -> Result<Lane, LaneError> {
        lanes::get(&self.connections, name, now)
    }

    fn lift_all(&self) -> Result<(), LaneError> {
        let now = self.connections.clock.now();
        Ok(self.each("lane", &mut |key| {
            let name = self.connections.name_in(&key);
            let is_held = || Ok(Lanes::get(self, name, now)?.held.is_some());
            let lift = || self.change(name, now, &mut |lane, _| lane.held = None);
            match is_held().and_then(|is_held| if is_held { lift() } else { Ok(()) }) {
                Ok(()) | Err(LaneError::Crowded(_)) => Ok(ControlFlow::Continue(())),
                Err(LaneError::Store(error)) => Err(error),
            }
        })?)
    }
}
