//! The store in a `PostgreSQL` server, which crawlers on many machines share.
//!
//! Invariant: each change is one statement, by the server's clock. What the server does not answer is our trouble: a
//! call fails, and nothing is opened, charged or started for it.

mod connections;
mod statements;
mod tables;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::decide::policy::Ruling;
use crate::decide::site::SiteRecord;
use crate::keep::server::clock::ServerClock;
use crate::keep::server::lanes::{self, Found, LaneServer, MOST_OFF, Step};
use crate::keep::server::{self, pool, value};
use crate::keep::store::{Claim, SiteStore, Visit};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::lane::Lane;
use crate::pace::lanes::{Change, LaneError, Lanes};
use crate::run_clock::RunClock;
use crate::store_error::StoreError;
use connections::{Connections, Values};
use statements::Statement;

/// Remembers sites and lanes in a `PostgreSQL` server.
///
/// `SELECT * FROM robosieve.site` shows the sites, with dates; `robosieve.pace` shows the lanes. Each row has a
/// lifetime, and whoever writes deletes those whose life is over.
#[derive(Debug)]
pub struct PostgresStore {
    connections: Arc<Connections>,
    known: lanes::KnownLanes,
    /// Changes until the next sweep.
    until_sweep: AtomicU32,
}

macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as Box<_>),*] };
}

impl PostgresStore {
    /// The version of the tables that this program reads and writes.
    pub const VERSION: i32 = tables::VERSION;

    /// The most bytes of a value. A longer one is not read and not written. Our choice: 16 MiB, as in a file.
    pub const MAX_VALUE: usize = value::MAX_VALUE;

    /// The most bytes of a lane's name and of a reader's key. A store does not take a longer one. Our choice: an index
    /// of `PostgreSQL` has rows of up to 2,704 bytes.
    pub const MAX_NAME: usize = 1_024;

    /// The most bytes of a schema's name: `PostgreSQL`'s limit.
    pub const MAX_SCHEMA: usize = 63;

    /// How long a site is kept after its last retrieval, at least; an hour more at most. Our choice: 40 days, longer
    /// than the longest pause between two attempts by default, 30 days.
    pub const SITE_LIFE: Duration = server::SITE_LIFE;

    /// How long a lane is kept after its last slot, at least; an hour more at most. Our choice: one hour. A longer
    /// lease counts as an hour.
    pub const LANE_LIFE: Duration = lanes::LIFE;

    /// How long a program may take to retrieve an origin before another may. Our choice: two minutes.
    pub const FLIGHT_LEASE: Duration = server::FLIGHT_LEASE;

    /// After how long those that wait for another program's retrieval look again. Our choice: a quarter of a second.
    pub const LOOK_AGAIN: Duration = server::LOOK_AGAIN;

    /// How long a call waits for the server. Our choice: two seconds.
    pub const TIME_OUT: Duration = pool::TIME_OUT;

    /// The same for a call that reads or deletes all sites. Our choice: a minute for each thousand of them.
    pub const LONG_TIME_OUT: Duration = connections::LONG_TIME_OUT;

    /// For how long calls fail at once after the server could not be used. Our choice: one second.
    pub const HOLD_OFF: Duration = pool::HOLD_OFF;

    /// After how many changes a program deletes rows whose life is over. Our choice.
    pub const SWEEP_EACH: u32 = 256;

    /// How many of each table it deletes then at most. Our choice: four times as many as were added meanwhile.
    pub const SWEEP_MOST: u32 = 1_024;

    /// Opens a store: `postgres://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE`, or `postgres:///DATABASE?host=/FOLDER` for a
    /// socket, with `schema=…` (`robosieve` without it). Makes its tables if they are not there.
    ///
    /// # Errors
    /// If the URL is not one of these, the server can't be used, or the tables are of a later version.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Ok(Self {
            connections: Arc::new(Connections::open(url)?),
            known: lanes::KnownLanes::default(),
            until_sweep: AtomicU32::new(0),
        })
    }

    /// Deletes rows whose life is over, now and then.
    fn sweep(&self) {
        let count = self.until_sweep.fetch_add(1, Ordering::Relaxed);
        if !count.is_multiple_of(Self::SWEEP_EACH) {
            return;
        }
        for statement in [Statement::SweepSites, Statement::SweepLanes, Statement::SweepFlights] {
            // The next one deletes what this one leaves.
            let _ = self.connections.change(statement, || values![i64::from(Self::SWEEP_MOST)]);
        }
    }
}

fn expect_short(name: &str) -> Result<(), StoreError> {
    if name.len() <= PostgresStore::MAX_NAME {
        return Ok(());
    }
    let most = PostgresStore::MAX_NAME;
    Err(StoreError::Failed(format!("a name of more than {most} bytes can't be kept in PostgreSQL")))
}

fn column<'r, T: FromSql<'r>>(row: &'r Row, at: usize) -> Result<T, StoreError> {
    row.try_get(at).map_err(|error| StoreError::Failed(error.to_string()))
}

/// The values of a row, in the order of the columns.
fn row(origin: &Origin, reader: &str, bytes: &[u8], record: &SiteRecord) -> Values {
    let (last, kept) = (record.last.as_ref(), record.snapshot.as_ref());
    let millis = |moment: Moment| i64::try_from(moment.min(Moment::NEVER).as_millis()).unwrap_or(i64::MAX);
    let status = |status: Option<u16>| status.map(i32::from);
    let name = |outcome| serde_json::to_value(outcome).ok()?.as_str().map(str::to_owned);
    // For people. PostgreSQL's texts have no NUL.
    let text = |text: &str| text.replace('\0', "\u{FFFD}");
    values![
        origin.to_string(),
        reader.to_owned(),
        bytes.to_vec(),
        last.map(|last| millis(last.at)),
        last.and_then(|last| name(last.outcome)),
        status(last.and_then(|last| last.status)),
        last.map(|last| last.ruling.as_str().to_owned()),
        i64::from(record.failures),
        millis(record.next_attempt),
        kept.map(|kept| Ruling::Known(kept.access).as_str().to_owned()),
        kept.map(|kept| text(&kept.text)),
        kept.map(|kept| text(&kept.report)),
        kept.map(|kept| millis(kept.at)),
        kept.map(|kept| millis(kept.good_until)),
        as_millis(PostgresStore::SITE_LIFE),
    ]
}

fn as_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl SiteStore for PostgresStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError> {
        let most = i32::try_from(Self::MAX_VALUE).unwrap_or(i32::MAX);
        let values = || values![origin.to_string(), reader.to_owned(), most];
        let (rows, _) = self.connections.run(Statement::Get, values)?;
        let Some(row) = rows.first() else { return Ok(None) };
        // What can't be read is not known. It is requested again, and written anew.
        Ok(value::record(origin, reader, column(row, 0)?))
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError> {
        expect_short(reader)?;
        let bytes = value::bytes(origin, reader, record)?;
        self.connections.change(Statement::Put, || row(origin, reader, &bytes, record))?;
        self.sweep();
        Ok(())
    }

    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError> {
        let values = || values![origin.to_string(), reader.to_owned()];
        Ok(self.connections.change(Statement::Remove, values)? > 0)
    }

    fn forget(&self, origin: &Origin) -> Result<u64, StoreError> {
        self.connections.change(Statement::Forget, || values![origin.to_string()])
    }

    fn clear(&self) -> Result<(), StoreError> {
        while self.connections.change(Statement::Clear, Vec::new)? > 0 {}
        Ok(())
    }

    fn len(&self) -> Result<u64, StoreError> {
        let (rows, _) = self.connections.run(Statement::Count, Vec::new)?;
        let count: i64 = rows.first().map_or(Ok(0), |row| column(row, 0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        let (mut after, mut unreadable) = ((String::new(), String::new()), None);
        loop {
            let (rows, _) = self.connections.run(Statement::Page, || values![after.0.clone(), after.1.clone()])?;
            if rows.is_empty() {
                return unreadable.map_or(Ok(()), Err);
            }
            for row in &rows {
                let (name, reader): (String, String) = (column(row, 0)?, column(row, 1)?);
                let wrong = |column| StoreError::Row { origin: name.clone(), column };
                match Origin::of(&name) {
                    Ok(origin) => match SiteStore::get(self, &origin, &reader)? {
                        Some(record) => {
                            if visit(&origin, &reader, record).is_break() {
                                return Ok(());
                            }
                        }
                        None => drop(unreadable.get_or_insert_with(|| wrong("value"))),
                    },
                    Err(_) => drop(unreadable.get_or_insert_with(|| wrong("origin"))),
                }
                after = (name, reader);
            }
        }
    }

    fn lanes(&self) -> Option<&dyn Lanes> {
        Some(self)
    }

    fn blocks(&self) -> bool {
        true
    }

    fn clock(&self) -> RunClock {
        RunClock::from(self.connections.clock.now())
    }

    fn claim(&self, origin: &Origin, reader: &str) -> Result<Result<Claim, Duration>, StoreError> {
        expect_short(reader)?;
        let (origin, reader, token) = (origin.to_string(), reader.to_owned(), server::token());
        let key = move || -> Values { values![origin.clone(), reader.clone(), token.clone()] };
        let ours = self.connections.change(Statement::Claim, || {
            let mut values = key();
            values.push(Box::new(as_millis(Self::FLIGHT_LEASE)));
            values
        })?;
        if ours == 0 {
            return Ok(Err(Self::LOOK_AGAIN));
        }
        let connections = Arc::clone(&self.connections);
        Ok(Ok(Claim::until_dropped(move || {
            // If the server is away now, the lease ends by itself.
            let _ = connections.change(Statement::Release, key);
        })))
    }
}

impl LaneServer for PostgresStore {
    fn step(&self, step: Step<'_>) -> Result<Found, StoreError> {
        expect_short(step.name)?;
        let at = i64::try_from(step.at.as_millis()).unwrap_or(i64::MAX);
        let values = || -> Values {
            values![
                step.name.to_owned(),
                step.known.to_owned(),
                step.new.to_owned(),
                at,
                as_millis(step.life),
                as_millis(MOST_OFF)
            ]
        };
        let (rows, call) = self.connections.run(Statement::Lane, values)?;
        let Some(row) = rows.first() else {
            return Err(StoreError::Failed("the server gave no row".into()));
        };
        let now: i64 = column(row, 1)?;
        self.connections.clock.corrected(u64::try_from(now).unwrap_or(0), call);
        let found = Found { is_written: column(row, 0)?, text: column(row, 2)? };
        if found.is_written {
            self.sweep();
        }
        Ok(found)
    }

    fn clock(&self) -> &ServerClock {
        &self.connections.clock
    }
}

impl Lanes for PostgresStore {
    fn change(&self, name: &str, now: Moment, change: &mut Change<'_>) -> Result<(), LaneError> {
        self.known.change(self, name, now, change)
    }

    fn get(&self, name: &str, now: Moment) -> Result<Lane, LaneError> {
        lanes::get(self, name, now)
    }
}
