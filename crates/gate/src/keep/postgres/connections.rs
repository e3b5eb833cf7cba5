//! Connections to a `PostgreSQL` server.
//!
//! Invariant: a call ends within a few time-outs, from any thread, also one that runs async code: a thread of the store
//! speaks with the server.

use std::fmt;
use std::future::Future;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row};

use super::statements::Statement;
use super::tables::{self, VERSION};
use crate::keep::server::clock::{Call, ServerClock};
use crate::keep::server::pool::{LATE, Pool, TIME_OUT, Trouble};
use crate::store_error::StoreError;

/// For what reads or deletes all sites. Our choice.
pub(super) const LONG_TIME_OUT: Duration = Duration::from_secs(60);

/// How often a new connection asks for the time. The quickest answer counts.
const MEASUREMENTS: u32 = 3;

/// The values of a statement.
pub(super) type Values = Vec<Box<dyn ToSql + Sync + Send>>;

/// Why the server did not do what it was asked for.
pub(super) enum Why {
    Server(tokio_postgres::Error),
    Late,
    Newer(i32),
    Refused(&'static str),
}

impl From<tokio_postgres::Error> for Why {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The message alone: a detail may show values.
            Self::Server(error) => match error.as_db_error() {
                Some(found) => write!(f, "{} ({})", found.message(), found.code().code()),
                None => error.fmt(f),
            },
            Self::Late => f.write_str(LATE),
            Self::Newer(found) => write!(
                f,
                "the tables were made by a newer robosieve (version {found}, this program reads {VERSION}); they were not \
                 changed; update this program, or use another schema"
            ),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl Trouble for Why {
    fn words(&self) -> String {
        self.to_string()
    }

    fn is_stale(&self) -> bool {
        match self {
            Self::Server(error) => match error.code() {
                // Connections, resources, a server that stops or only reads.
                Some(code) => {
                    let code = code.code();
                    ["08", "53", "57P"].iter().any(|class| code.starts_with(class)) || code == "25006"
                }
                None => true,
            },
            Self::Late => true,
            Self::Newer(_) | Self::Refused(_) => false,
        }
    }
}

/// A connection, with the statements that it has prepared.
pub(super) struct Connection {
    client: Arc<Client>,
    prepared: Arc<Mutex<[Option<tokio_postgres::Statement>; Statement::COUNT]>>,
}

pub(super) struct Connections {
    config: Config,
    /// In quotes.
    schema: String,
    pool: Pool<Connection>,
    pub(super) clock: ServerClock,
    thread: Thread,
}

/// The thread that speaks with the server.
struct Thread(Option<Runtime>);

impl Thread {
    /// Runs `future`, and waits for it.
    fn run<T: Send + 'static>(
        &self,
        most: Duration,
        future: impl Future<Output = Result<T, Why>> + Send + 'static,
    ) -> Result<T, Why> {
        let Some(runtime) = &self.0 else { return Err(Why::Late) };
        let (sender, receiver) = sync_channel(1);
        runtime.spawn(async move {
            let done = tokio::time::timeout(most, future).await.unwrap_or(Err(Why::Late));
            // Nobody waits any more.
            let _ = sender.send(done);
        });
        receiver.recv_timeout(most.saturating_add(TIME_OUT)).unwrap_or(Err(Why::Late))
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // It waits for nothing, so async code can drop it.
            runtime.shutdown_background();
        }
    }
}

impl Connections {
    pub(super) fn open(text: &str) -> Result<Self, StoreError> {
        let wrong = |why: &str| StoreError::Failed(format!("not the URL of a PostgreSQL server: {why}"));
        // Several hosts, or none, are more than URLs can say elsewhere; so the client reads the rest.
        let (server, query) = text.split_once('?').unwrap_or((text, ""));
        let (own, others): (Vec<_>, Vec<_>) =
            query.split('&').filter(|pair| !pair.is_empty()).partition(|pair| pair.starts_with("schema="));
        let schema = own.last().and_then(|pair| pair.split_once('=')).map_or("robosieve", |(_, value)| value);
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if schema.is_empty() || schema.len() > super::PostgresStore::MAX_SCHEMA || !schema.bytes().all(is_plain) {
            return Err(wrong("a schema is named with a-z, 0-9 and _, up to 63 of them"));
        }
        let mut config: Config = format!("{server}?{}", others.join("&"))
            .parse()
            .map_err(|error: tokio_postgres::Error| wrong(&chain(&error)))?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(wrong("this program speaks no TLS with PostgreSQL; use a tunnel, a proxy, or a socket"));
        }
        config.connect_timeout(TIME_OUT);
        if config.get_application_name().is_none() {
            config.application_name("robosieve");
        }
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("postgres").enable_all().build();
        let this = Self {
            pool: Pool::new(shown(&config)),
            config,
            schema: format!("\"{schema}\""),
            clock: ServerClock::default(),
            thread: Thread(Some(runtime.map_err(|error| wrong(&error.to_string()))?)),
        };
        this.pool.with(|| this.connect(true), |_| Ok(()))?;
        Ok(this)
    }

    /// Runs a statement, and returns its rows, and when they came.
    pub(super) fn run(
        &self,
        statement: Statement,
        values: impl FnMut() -> Values,
    ) -> Result<(Vec<Row>, Call), StoreError> {
        let most = match statement {
            Statement::Count | Statement::Clear | Statement::Page => LONG_TIME_OUT,
            _ => TIME_OUT,
        };
        self.with(most, statement, values, |client, prepared, values| async move {
            let sent = Instant::now();
            let rows = client.query(&prepared, &values_of(&values)).await?;
            Ok((rows, Call::since(sent)))
        })
    }

    /// Runs a statement, and returns how many rows it changed.
    pub(super) fn change(&self, statement: Statement, values: impl FnMut() -> Values) -> Result<u64, StoreError> {
        let most = if matches!(statement, Statement::Clear) { LONG_TIME_OUT } else { TIME_OUT };
        self.with(most, statement, values, |client, prepared, values| async move {
            Ok(client.execute(&prepared, &values_of(&values)).await?)
        })
    }

    fn with<T: Send + 'static, F: Future<Output = Result<T, Why>> + Send + 'static>(
        &self,
        most: Duration,
        statement: Statement,
        mut values: impl FnMut() -> Values,
        call: impl Fn(Arc<Client>, tokio_postgres::Statement, Values) -> F + Copy + Send + 'static,
    ) -> Result<T, StoreError> {
        self.pool.with(
            || self.connect(false),
            |connection| {
                let (client, prepared) = (Arc::clone(&connection.client), Arc::clone(&connection.prepared));
                let (values, place) = (values(), statement as usize);
                let known = lock(&prepared).get(place).and_then(Clone::clone);
                let sql = known.is_none().then(|| statement.sql().replace("{s}", &self.schema));
                self.thread.run(most, async move {
                    let ready = match (known, sql) {
                        (Some(known), _) => known,
                        (None, sql) => {
                            let made = client.prepare(&sql.unwrap_or_default()).await?;
                            if let Some(slot) = lock(&prepared).get_mut(place) {
                                *slot = Some(made.clone());
                            }
                            made
                        }
                    };
                    call(client, ready, values).await
                })
            },
        )
    }

    /// Makes a connection; the first one of a store also makes its tables.
    fn connect(&self, is_first: bool) -> Result<Connection, Why> {
        let (config, schema) = (self.config.clone(), self.schema.clone());
        let most = TIME_OUT.saturating_mul(if is_first { 5 } else { 2 });
        let (client, shown, since) = self.thread.run(most, async move {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute("SET statement_timeout = '60s'; SET lock_timeout = '2s'").await?;
            if is_first {
                // The texts of sites are of any language.
                let encoding: String = client.query_one("SHOW server_encoding", &[]).await?.try_get(0)?;
                if encoding != "UTF8" {
                    return Err(Why::Refused("the database's encoding is not UTF8; use another database"));
                }
                let found = tables::prepare(&client, &schema).await?;
                if found > VERSION {
                    return Err(Why::Newer(found));
                }
            }
            let since = format!("SELECT floor(extract(epoch FROM at) * 1000)::bigint FROM {schema}.kept_since");
            let since: i64 = if let Some(row) = client.query_opt(&since, &[]).await? {
                row.try_get(0)?
            } else {
                let add =
                    format!("INSERT INTO {schema}.kept_since VALUES (true, clock_timestamp()) ON CONFLICT DO NOTHING");
                client.execute(&add, &[]).await?;
                client.query_one(&since, &[]).await?.try_get(0)?
            };
            let ask = client.prepare("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint").await?;
            let mut shown = Vec::new();
            for _ in 0..MEASUREMENTS {
                let sent = Instant::now();
                let row = client.query_one(&ask, &[]).await?;
                shown.push((row.try_get::<_, i64>(0)?, Call::since(sent)));
            }
            Ok((client, shown, since))
        })?;
        for (now, call) in shown {
            self.clock.showed(u64::try_from(now).unwrap_or(0), call);
        }
        self.clock.started_at(u64::try_from(since).unwrap_or(0));
        Ok(Connection { client: Arc::new(client), prepared: Arc::default() })
    }
}

fn values_of(values: &Values) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| -> &(dyn ToSql + Sync) { value.as_ref() }).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error with its reasons.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(reason) = source {
        let reason_text = reason.to_string();
        if !text.ends_with(&reason_text) {
            text.push_str(": ");
            text.push_str(&reason_text);
        }
        source = reason.source();
    }
    text
}

/// The servers and the database, without a password.
fn shown(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    let ports: Vec<String> = config.get_ports().iter().map(u16::to_string).collect();
    let port = if ports.is_empty() { "5432".to_owned() } else { ports.join(",") };
    format!("postgres://{}:{port}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections")
            .field("server", &self.pool.shown())
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
