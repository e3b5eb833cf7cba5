//! Connections to a Redis server, and what it runs as one step each.
//!
//! Invariant: a call ends within a few time-outs. Connections are kept for the next call. After the server could not be
//! used, calls fail at once for a moment, then it is tried again. A message names the server without its password.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Client, FromRedisValue, RedisError, RedisResult};
use url::Url;

use super::clock::{Call, ServerClock};
use crate::store_error::StoreError;

pub(super) const TIME_OUT: Duration = Duration::from_secs(2);
pub(super) const HOLD_OFF: Duration = Duration::from_secs(1);

/// The most connections that are kept while nobody uses them. More are closed.
const MOST_IDLE: usize = 64;

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
    // The lane is changed if it is as the caller knew it, and if the caller knew the time. What is no lane is none.
    "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) \
     local found = '' \
     if redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('STRLEN', KEYS[1]) <= tonumber(ARGV[6]) then \
     found = redis.call('GET', KEYS[1]) end \
     if string.find(found, '[^0-9 h.-]') then found = '' end \
     if ARGV[2] ~= '' and found == ARGV[1] and math.abs(now - ARGV[3]) <= tonumber(ARGV[5]) then \
     redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4]) return {1, now, ''} end \
     return {0, now, found}",
    // What has no lifetime, or too long a one, is not of ours: it ends as a claim does.
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end \
     local left = redis.call('PTTL', KEYS[1]) \
     if left < 0 or left > tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0",
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

pub(super) struct Connections {
    client: Client,
    prefix: String,
    /// The server without a password, for messages.
    shown: String,
    idle: Mutex<Vec<Connection>>,
    /// Until when calls fail at once.
    away_until: Mutex<Option<Instant>>,
    pub(super) clock: ServerClock,
    /// The server's `maxmemory_policy`, as it was when it was connected last.
    policy: Mutex<Option<String>>,
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
        let this = Self {
            client,
            prefix: prefix.filter(|prefix| !prefix.is_empty()).unwrap_or_else(|| "robosieve".into()),
            shown,
            idle: Mutex::default(),
            away_until: Mutex::default(),
            clock: ServerClock::default(),
            policy: Mutex::default(),
        };
        this.with(|_| Ok(()))?;
        Ok(this)
    }

    /// What may delete lanes, if something does.
    pub(super) fn evicts(&self) -> Option<String> {
        let policy = lock(&self.policy).clone()?;
        (policy != "noeviction").then(|| {
            format!(
                "the server deletes keys when its memory is full (maxmemory-policy {policy}), also those that keep the \
                 pace: set noeviction"
            )
        })
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

    /// A call failed. If the server is away, the next calls do not wait for it again.
    fn gone(&self, error: &RedisError) -> StoreError {
        if is_stale(error) {
            lock(&self.idle).clear();
            *lock(&self.away_until) = Instant::now().checked_add(HOLD_OFF);
        }
        StoreError::Failed(format!("{}: {}", self.shown, words(error)))
    }

    fn connect(&self) -> RedisResult<Connection> {
        let mut stream = self.client.get_connection_with_timeout(TIME_OUT)?;
        stream.set_read_timeout(Some(TIME_OUT))?;
        stream.set_write_timeout(Some(TIME_OUT))?;
        let load = |script| redis::cmd("SCRIPT").arg("LOAD").arg(script).query::<String>(&mut stream);
        let scripts = SCRIPTS.into_iter().map(load).collect::<RedisResult<_>>()?;
        let about: String = redis::cmd("INFO").arg("server").arg("memory").query(&mut stream)?;
        let of = |name: &str| about.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'));
        let uptime = of("uptime_in_seconds").and_then(|seconds| seconds.parse::<u64>().ok());
        *lock(&self.policy) = of("maxmemory_policy").map(str::to_owned);
        let sent = Instant::now();
        let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(&mut stream)?;
        let now = seconds.saturating_mul(1_000).saturating_add(micros / 1_000);
        self.clock.showed(now, Call::since(sent));
        // A server that does not say it has just started.
        let started = now.saturating_sub(uptime.unwrap_or(0).saturating_mul(1_000));
        self.clock.start_is(started);
        Ok(Connection { stream, scripts })
    }
}

/// What an error of the server means to whoever runs it.
const KNOWN: [(&str, &str); 9] = [
    (
        "WRONGTYPE",
        "another program has a key with the name of one of ours: give this store a prefix of its own (?prefix=NAME)",
    ),
    ("OOM", "the server has no memory left for a change (OOM): raise its maxmemory, or delete keys"),
    ("NOAUTH", "the server asks for a password: write it into the URL"),
    ("WRONGPASS", "the server does not take this user and password: correct the URL"),
    ("NOPERM", "the server does not let this user do that: give the user the store's keys and commands"),
    ("READONLY", "the server is a replica, which takes no changes: name its primary"),
    ("MISCONF", "the server can't save to its disk and takes no changes: see its log"),
    ("LOADING", "the server is reading its data: try again later"),
    ("BUSY", "the server runs a script that does not end: see its log"),
];

/// What happened and what helps, for people.
fn words(error: &RedisError) -> String {
    if error.is_timeout() {
        return "the server did not answer in time; see whether it is overloaded or stopped".into();
    }
    let known = KNOWN.iter().find(|(code, _)| error.code() == Some(code));
    known.map_or_else(|| without_script(&error.to_string()).to_owned(), |(_, words)| (*words).to_owned())
}

/// Whether a new connection may be better.
fn is_stale(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_timeout()
        || error.is_connection_dropped()
        || error.is_unrecoverable_error()
        || matches!(error.code(), Some("LOADING" | "NOSCRIPT" | "READONLY"))
}

/// A message without the names that the server gives to scripts.
fn without_script(message: &str) -> &str {
    message.split_once(" script: ").map_or(message, |(before, _)| before.trim_end_matches('.'))
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("server", &self.shown).field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
