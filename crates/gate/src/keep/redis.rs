//! The store in a Redis server, which crawlers on many machines share.
//!
//! Invariant: each change of a lane is one script, by the server's clock. What the server does not answer is our
//! trouble: a call fails, and nothing is opened, charged or started for it. A message shows no password.

use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

use r2d2::{Pool, PooledConnection};
use redis::{Client, Commands as _, RedisResult, Script};
use url::Url;

use crate::decide::SiteRecord;
use crate::error::Error;
use crate::keep::store::{Claim, SITE_LIFE, Store, Visit, unique};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::{Lane, Pacing, Page, Slot, Taken};

/// How long a call waits for the server.
const TIME_OUT: Duration = Duration::from_secs(2);
/// The most connections at a time. Our choice.
const MOST: u32 = 32;
/// The most bytes of a value that is read or written. Our choice: as in a file.
const MAX_VALUE: usize = 16 << 20;

/// One script for both changes of a lane, the algorithm of [`Lane`]. KEYS: the lane. ARGV: `take` or `observe`; the
/// longest interval, the longest slot ahead, the longest hold, the adaptive multiple (all in ms); then for `take` the
/// interval and how far the slot may be; for `observe` the status (0: none), the Retry-After (-1: none), and how long
/// it took (-1).
static LANE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lane.lua")));

/// Ends a claim, if it is still that of the token.
static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    Script::new("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('UNLINK', KEYS[1]) end return 0")
});

/// Remembers sites and lanes in a Redis server (7 or later, or Valkey). Each key has a lifetime, so what is not used is
/// dropped.
pub struct RedisStore {
    pool: Pool<Client>,
    prefix: String,
    /// The server without a password, for messages.
    shown: String,
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisStore").field(&self.shown).finish()
    }
}

impl RedisStore {
    /// Opens a store: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`, `rediss://` or `unix:///PATH`, with `?prefix=…`
    /// (`robosieve` without it).
    ///
    /// # Errors
    /// If the URL is not one of these, or the server can't be used, or if it deletes keys when its memory is full: it
    /// would delete lanes too.
    pub fn open(text: &str) -> Result<Self, Error> {
        let wrong = |why: &str| Error::store(format!("not the URL of a Redis server: {why}"));
        let mut url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        let pairs: Vec<_> = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let (prefix, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(name, _)| name == "prefix");
        url.set_query(None);
        if !others.is_empty() {
            url.query_pairs_mut().extend_pairs(others);
        }
        let shown = match url.host_str() {
            Some(host) => format!("{}://{host}:{}", url.scheme(), url.port().unwrap_or(6_379)),
            None => format!("{}://{}", url.scheme(), url.path()),
        };
        let client = Client::open(url.as_str()).map_err(|error| wrong(&error.to_string()))?;
        let prefix = prefix.into_iter().map(|(_, value)| value).find(|value| !value.is_empty());
        // A connection is made when it is needed, and tried for so long.
        let pool =
            Pool::builder().max_size(MOST).min_idle(Some(0)).connection_timeout(TIME_OUT).build_unchecked(client);
        let store = Self { pool, prefix: prefix.unwrap_or_else(|| "robosieve".into()), shown };
        store.expect_lasting()?;
        Ok(store)
    }

    fn expect_lasting(&self) -> Result<(), Error> {
        let about: String = self.with(|server| redis::cmd("INFO").arg("memory").query(server))?;
        match about.lines().find_map(|line| line.trim().strip_prefix("maxmemory_policy:")) {
            None | Some("noeviction") => Ok(()),
            Some(other) => Err(Error::store(format!(
                "{}: its maxmemory-policy is {other}, which deletes lanes when its memory is full: set noeviction",
                self.shown
            ))),
        }
    }

    fn key(&self, kind: &str, name: &str) -> String {
        format!("{}:{kind}:{{{name}}}", self.prefix)
    }

    fn with<T>(&self, call: impl FnOnce(&mut redis::Connection) -> RedisResult<T>) -> Result<T, Error> {
        let connected = self.pool.get();
        let mut server = connected.map_err(|_| Error::store(format!("{} did not answer in time", self.shown)))?;
        let done = server
            .set_read_timeout(Some(TIME_OUT))
            .and_then(|()| server.set_write_timeout(Some(TIME_OUT)))
            .and_then(|()| call(&mut server));
        done.map_err(|error| {
            let why = match error.code() {
                _ if error.is_timeout() || error.is_io_error() => "did not answer in time".into(),
                Some(code) => format!("{code} {}", error.detail().unwrap_or_default()),
                None => error.to_string(),
            };
            Error::store(format!("{} {why}", self.shown))
        })
    }

    /// The keys of all sites, each once.
    fn keys(&self) -> Result<Vec<String>, Error> {
        let special = |byte: char| matches!(byte, '*' | '?' | '[' | ']' | '\\' | '^');
        let prefix: String =
            self.prefix.chars().flat_map(|one| special(one).then_some('\\').into_iter().chain([one])).collect();
        let pattern = format!("{prefix}:site:*");
        let mut keys: Vec<String> = self.with(|server| {
            let keys = server.scan_match::<_, Vec<u8>>(&pattern)?;
            let texts = keys.map(|key| key.map(|key| String::from_utf8(key).unwrap_or_default()));
            texts.collect::<RedisResult<_>>()
        })?;
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }
    /// Runs a change of a lane: whether the slot is taken, the wait until it, and the rest of the hold.
    fn change(&self, lane: &str, pacing: &Pacing, what: &str, arguments: &[i64]) -> Result<(u8, u64, u64), Error> {
        let ahead = pacing.max_wait.saturating_add(pacing.longest());
        let mut call = LANE.key(self.key("lane", lane));
        call.arg(what);
        for bound in [pacing.longest(), ahead, pacing.max_pause] {
            call.arg(millis(bound));
        }
        call.arg(pacing.adaptive.unwrap_or(0)).arg(Lane::MAX_LEVEL);
        for argument in arguments {
            call.arg(*argument);
        }
        self.with(|server| call.invoke(server))
    }
}

/// At most what a script can count with.
fn millis(time: Duration) -> i64 {
    const MOST: i64 = 1 << 50;
    i64::try_from(time.as_millis()).unwrap_or(MOST).min(MOST)
}

impl Store for RedisStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, Error> {
        let key = self.key("site", &origin.to_string());
        let length: usize = self.with(|server| redis::cmd("HSTRLEN").arg(&key).arg(reader).query(server))?;
        if length > MAX_VALUE {
            return Ok(None);
        }
        let found: Option<Vec<u8>> = self.with(|server| server.hget(&key, reader))?;
        // What can't be read is not known. It is requested again, and written anew.
        Ok(found.and_then(|json| serde_json::from_slice(&json).ok()))
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), Error> {
        let key = self.key("site", &origin.to_string());
        let json = serde_json::to_vec(record).map_err(Error::store)?;
        if json.len() > MAX_VALUE {
            return Err(Error::store("the record is longer than a value may be"));
        }
        let mut both = redis::pipe();
        both.atomic().hset(&key, reader, json).ignore().pexpire(&key, millis(SITE_LIFE)).ignore();
        self.with(|server| both.query(server))
    }

    fn remove(&self, origin: Option<&Origin>) -> Result<u64, Error> {
        let keys = match origin {
            Some(origin) => vec![self.key("site", &origin.to_string())],
            None => self.keys()?,
        };
        let mut all = 0_u64;
        for key in keys {
            let mut both = redis::pipe();
            both.atomic().hlen(&key).unlink(&key).ignore();
            let (count,): (u64,) = self.with(|server| both.query(server))?;
            all = all.saturating_add(count);
        }
        Ok(all)
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        for key in self.keys()? {
            let name = key.split_once('{').and_then(|(_, name)| name.strip_suffix('}')).unwrap_or_default();
            let Ok(origin) = Origin::of(name) else { continue };
            let readers: Vec<String> = self.with(|server| server.hkeys(&key))?;
            for reader in readers {
                let Some(record) = self.get(&origin, &reader)? else { continue };
                visit(&origin, &reader, record);
            }
        }
        Ok(())
    }

    fn take(&self, lane: &str, pacing: &Pacing, slot: Slot, _: Moment) -> Result<Taken, Error> {
        let arguments = [slot.interval, slot.within].map(millis);
        let (is_yours, wait, held) = self.change(lane, pacing, "take", &arguments)?;
        Ok(Taken { is_yours: is_yours == 1, wait: Duration::from_millis(wait), held: Duration::from_millis(held) })
    }

    fn observe(&self, lane: &str, pacing: &Pacing, page: &Page, _: Moment) -> Result<(), Error> {
        let time = |time: Option<Duration>| time.map_or(-1, millis);
        let took = page.took.map(|took| took.min(Page::LONGEST));
        let arguments = [page.status.map_or(0, i64::from), time(page.retry_after), time(took)];
        self.change(lane, pacing, "observe", &arguments).map(|_| ())
    }

    fn claim(&self, origin: &Origin, reader: &str) -> Result<Option<Claim>, Error> {
        let key = format!("{}:{reader}", self.key("flight", &origin.to_string()));
        let token = unique();
        let claimed: bool = self.with(|server| {
            redis::cmd("SET").arg(&key).arg(token).arg("NX").arg("PX").arg(millis(Claim::LEASE)).query(server)
        })?;
        if !claimed {
            return Ok(None);
        }
        let pool = self.pool.clone();
        Ok(Some(Claim::until_dropped(move || {
            // If the server is away now, the lease ends by itself.
            let release =
                |mut server: PooledConnection<Client>| RELEASE.key(key).arg(token).invoke::<u64>(&mut *server).ok();
            let _ = pool.get().ok().and_then(release);
        })))
    }

    fn blocks(&self) -> bool {
        true
    }
}
