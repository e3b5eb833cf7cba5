//! Connections to the server: how they are made, kept and used, and what is known of its clock.
//!
//! Invariant: a call ends within a few time-outs. After the server could not be used, calls fail at once for a moment,
//! then it is tried again. No message has the password.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Client, FromRedisValue, RedisResult};
use url::Url;

use crate::moment::Moment;
use crate::store_error::StoreError;

pub(super) const TIME_OUT: Duration = Duration::from_secs(2);
pub(super) const HOLD_OFF: Duration = Duration::from_secs(1);

/// The most connections that are kept while nobody uses them. More are closed.
const MOST_IDLE: usize = 64;

/// How long a measurement of the server's clock counts if a quicker one does not replace it.
const CLOCK_LIFE: Duration = Duration::from_secs(10);

/// What the server runs as one step each.
#[derive(Clone, Copy)]
pub(super) enum Script {
    Get,
    Put,
    Forget,
    Lane,
    Claim,
    Release,
}

/// In the order of [`Script`].
const SCRIPTS: [&str; 6] = [
    "if redis.call('HSTRLEN', KEYS[1], ARGV[1]) > tonumber(ARGV[2]) then return false end \
     return redis.call('HGET', KEYS[1], ARGV[1])",
    "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) redis.call('PEXPIRE', KEYS[1], ARGV[3]) return 1",
    "local count = redis.call('HLEN', KEYS[1]) redis.call('UNLINK', KEYS[1]) return count",
    // The lane is changed if it is as the caller knew it, and if the caller knew the time.
    "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) \
     local found = redis.call('GET', KEYS[1]) or '' \
     if ARGV[2] ~= '' and found == ARGV[1] and math.abs(now - ARGV[3]) <= 50 then \
     redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4]) return {1, now, ''} end \
     return {0, now, found}",
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end return 0",
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('UNLINK', KEYS[1]) end return 0",
];

/// A connection, with the names of the scripts.
pub(super) struct Connection {
    pub(super) stream: redis::Connection,
    scripts: Vec<String>,
}

impl Connection {
    /// Runs a script.
    pub(super) fn run<T: FromRedisValue>(
        &mut self,
        script: Script,
        keys: &[&str],
        arguments: &[&[u8]],
    ) -> RedisResult<T> {
        let name = self.scripts.get(script as usize).map_or("", String::as_str);
        let mut command = redis::cmd("EVALSHA");
        command.arg(name).arg(keys.len());
        for key in keys {
            command.arg(*key);
        }
        for argument in arguments {
            command.arg(*argument);
        }
        command.query(&mut self.stream)
    }
}

/// What is known of the server's clock.
#[derive(Clone, Copy)]
struct Clock {
    shows: Moment,
    at: Instant,
    /// By how much it may be wrong.
    within: Duration,
}

pub(super) struct Connections {
    client: Client,
    /// Without a password, for messages.
    shown: String,
    prefix: String,
    idle: Mutex<Vec<Connection>>,
    clock: Mutex<Clock>,
    /// Until when calls fail at once.
    away_until: Mutex<Option<Instant>>,
    /// When the server started, or loaded its data. What was written later than its last backup is lost then.
    started: AtomicU64,
    tokens: AtomicU64,
}

impl Connections {
    pub(super) fn open(text: &str) -> Result<Self, StoreError> {
        let wrong = |why: &str| StoreError::Failed(format!("not the URL of a Redis server: {why}"));
        let mut url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        let prefix = url.query_pairs().find(|(name, _)| name == "prefix").map(|(_, value)| value.into_owned());
        let others: Vec<_> = url
            .query_pairs()
            .filter(|(name, _)| name != "prefix")
            .map(|(n, v)| (n.into_owned(), v.into_owned()))
            .collect();
        url.set_query(None);
        if !others.is_empty() {
            url.query_pairs_mut().extend_pairs(others);
        }
        let client = Client::open(url.as_str()).map_err(|error| wrong(&error.to_string()))?;
        let shown = match url.host_str() {
            Some(host) => format!("{}://{host}:{}", url.scheme(), url.port().unwrap_or(6_379)),
            None => format!("{}://{}", url.scheme(), url.path()),
        };
        let nowhen = Clock { shows: Moment::now(), at: Instant::now(), within: Duration::MAX };
        let this = Self {
            client,
            shown,
            prefix: prefix.filter(|prefix| !prefix.is_empty()).unwrap_or_else(|| "robosieve".into()),
            idle: Mutex::default(),
            clock: Mutex::new(nowhen),
            away_until: Mutex::default(),
            started: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
        };
        let first = this.connect().map_err(|error| this.failed(&error))?;
        lock(&this.idle).push(first);
        Ok(this)
    }

    /// A key. What is in braces decides which server of a cluster has it.
    pub(super) fn key(&self, kind: &str, name: &str) -> String {
        format!("{}:{kind}:{{{name}}}", self.prefix)
    }

    /// The pattern of all keys of a kind.
    pub(super) fn pattern(&self, kind: &str) -> String {
        let mut pattern = String::new();
        for character in self.prefix.chars() {
            if "*?[]\\^-".contains(character) {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        format!("{pattern}:{kind}:{{*}}")
    }

    /// The name in a key.
    pub(super) fn name_in<'k>(&self, key: &'k str) -> &'k str {
        let rest = key.strip_prefix(&self.prefix).unwrap_or(key);
        rest.split_once('{').map_or(rest, |(_, name)| name.strip_suffix('}').unwrap_or(name))
    }

    /// A text that no other call has.
    pub(super) fn token(&self) -> String {
        let count = self.tokens.fetch_add(1, Ordering::Relaxed);
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), count);
        format!("{}-{count}-{random:016x}-{}", std::process::id(), Moment::now().as_millis())
    }

    /// The server's time, as far as it is known.
    pub(super) fn now(&self) -> Moment {
        let clock = *lock(&self.clock);
        clock.shows.after(clock.at.elapsed())
    }

    /// Takes in what the server's clock showed between `sent` and now.
    pub(super) fn showed(&self, millis: u64, sent: Instant) {
        let within = sent.elapsed();
        let mut clock = lock(&self.clock);
        if within <= clock.within || clock.at.elapsed() > CLOCK_LIFE {
            let half = within.checked_div(2).unwrap_or_default();
            *clock = Clock { shows: Moment::from_millis(millis).after(half), at: Instant::now(), within };
        }
    }

    /// The server's clock was not what it was taken for.
    pub(super) fn set_clock(&self, millis: u64) {
        let (shows, at) = (Moment::from_millis(millis), Instant::now());
        *lock(&self.clock) = Clock { shows, at, within: Duration::MAX };
    }

    /// When the server started. Slots that were taken before may be lost.
    pub(super) fn started(&self) -> Moment {
        Moment::from_millis(self.started.load(Ordering::Relaxed))
    }

    /// Uses a connection. A kept one may be closed by now: then a new one is used, once.
    pub(super) fn with<T>(&self, mut call: impl FnMut(&mut Connection) -> RedisResult<T>) -> Result<T, StoreError> {
        if lock(&self.away_until).is_some_and(|until| Instant::now() < until) {
            return Err(StoreError::Failed(format!("{} could not be used a moment ago", self.shown)));
        }
        let kept = lock(&self.idle).pop();
        if let Some(mut kept) = kept {
            match call(&mut kept) {
                Ok(value) => return Ok(self.done(kept, value)),
                Err(error) if !is_stale(&error) => return Err(self.gone(&error)),
                // The others are as old.
                Err(_) => lock(&self.idle).clear(),
            }
        }
        let mut fresh = self.connect().map_err(|error| self.gone(&error))?;
        match call(&mut fresh) {
            Ok(value) => Ok(self.done(fresh, value)),
            Err(error) => Err(self.gone(&error)),
        }
    }

    fn done<T>(&self, connection: Connection, value: T) -> T {
        let mut idle = lock(&self.idle);
        if idle.len() < MOST_IDLE {
            idle.push(connection);
        }
        value
    }

    fn connect(&self) -> RedisResult<Connection> {
        let mut stream = self.client.get_connection_with_timeout(TIME_OUT)?;
        stream.set_read_timeout(Some(TIME_OUT))?;
        stream.set_write_timeout(Some(TIME_OUT))?;
        let load = |script| redis::cmd("SCRIPT").arg("LOAD").arg(script).query::<String>(&mut stream);
        let scripts = SCRIPTS.into_iter().map(load).collect::<RedisResult<_>>()?;
        let about: String = redis::cmd("INFO").arg("server").query(&mut stream)?;
        let uptime = about.lines().find_map(|line| line.trim().strip_prefix("uptime_in_seconds:")?.parse::<u64>().ok());
        let sent = Instant::now();
        let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(&mut stream)?;
        let now = seconds.saturating_mul(1_000).saturating_add(micros / 1_000);
        self.showed(now, sent);
        // A server that does not say it has just started.
        let started = now.saturating_sub(uptime.unwrap_or(0).saturating_mul(1_000));
        // A second is not exact: the earliest that was seen is the start, unless the server started again.
        let _ = self.started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |known| {
            (started < known || started > known.saturating_add(1_500)).then_some(started)
        });
        Ok(Connection { stream, scripts })
    }

    /// A call failed. If the server is away, the next calls do not wait for it again.
    fn gone(&self, error: &redis::RedisError) -> StoreError {
        if is_stale(error) {
            lock(&self.idle).clear();
            *lock(&self.away_until) = Instant::now().checked_add(HOLD_OFF);
        }
        self.failed(error)
    }

    fn failed(&self, error: &redis::RedisError) -> StoreError {
        StoreError::Failed(format!("{}: {error}", self.shown))
    }
}

/// Whether a new connection may be better.
fn is_stale(error: &redis::RedisError) -> bool {
    error.is_io_error()
        || error.is_timeout()
        || error.is_connection_dropped()
        || error.is_unrecoverable_error()
        || matches!(error.code(), Some("LOADING" | "NOSCRIPT" | "READONLY"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("server", &self.shown).field("prefix", &self.prefix).finish_non_exhaustive()
    }
}
