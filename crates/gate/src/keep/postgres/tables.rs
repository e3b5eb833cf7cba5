//! The tables of a store in a `PostgreSQL` server, and how they come to be.
//!
//! Invariant: a schema is changed in one transaction, by one program at a time, and only from a version that is known.

use tokio_postgres::{Client, Error};

/// The version of the tables that this program reads and writes.
pub(super) const VERSION: i32 = 1;

/// What makes each version of the one before it. `{s}` is the schema.
///
/// `site_record.value` is what counts; the other columns are for people, in milliseconds since 1970. Lanes, claims and
/// `kept_since` are not logged: a crash of the server empties them together, so `kept_since` says what was lost. `dies`
/// is a full hour, so that a change of a lane changes no index.
const STEPS: [&str; 1] = ["
CREATE TABLE {s}.site_record (
  origin text NOT NULL, reader text NOT NULL, value bytea NOT NULL, attempted bigint, outcome text, status integer,
  verdict text, failures bigint NOT NULL, next_attempt bigint NOT NULL, access text, text text, report text,
  retrieved bigint, good_until bigint, dies timestamptz NOT NULL, PRIMARY KEY (origin, reader)
);
CREATE INDEX ON {s}.site_record (dies);
CREATE UNLOGGED TABLE {s}.lane (name text PRIMARY KEY, state text NOT NULL, dies timestamptz NOT NULL)
  WITH (fillfactor = 50);
CREATE INDEX ON {s}.lane (dies);
CREATE UNLOGGED TABLE {s}.flight (
  origin text NOT NULL, reader text NOT NULL, token text NOT NULL, dies timestamptz NOT NULL,
  PRIMARY KEY (origin, reader)
);
CREATE INDEX ON {s}.flight (dies);
CREATE UNLOGGED TABLE {s}.kept_since (one boolean PRIMARY KEY CHECK (one), at timestamptz NOT NULL);
CREATE VIEW {s}.site AS SELECT
  origin, reader, status, outcome, verdict, failures, to_timestamp(attempted / 1000.0) AS last_attempt,
  to_timestamp(next_attempt / 1000.0) AS next_attempt, access, text, report,
  to_timestamp(retrieved / 1000.0) AS retrieved, to_timestamp(good_until / 1000.0) AS good_until
FROM {s}.site_record;
CREATE VIEW {s}.pace AS SELECT
  name, to_timestamp(split_part(state, ' ', 1)::numeric / 1000) AS next_slot,
  to_timestamp(split_part(state, ' ', 2)::numeric / 1000) AS changed,
  split_part(state, ' ', 3)::numeric / 1000 AS seconds, split_part(state, ' ', 5)::integer AS doubled,
  cardinality(string_to_array(state, ' ')) - 5 AS running
FROM {s}.lane WHERE dies > clock_timestamp();
"];

/// The tables' version, or zero if there are none.
async fn version(client: &Client, schema: &str) -> Result<i32, Error> {
    // Read as rows: names that are looked up otherwise may be known from before another program's change.
    let there = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n \
                 ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'about')";
    let there = client.query_one(there, &[&schema.trim_matches('"')]).await?;
    if !there.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    client.query_one(&format!("SELECT max(version) FROM {schema}.about"), &[]).await?.try_get(0)
}

/// Brings the tables to this program's version, and returns the version that they have then: later ones stay.
pub(super) async fn prepare(client: &Client, schema: &str) -> Result<i32, Error> {
    let found = version(client, schema).await?;
    if found >= VERSION {
        return Ok(found);
    }
    // A connection that is dropped in between rolls back.
    client.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(1380078422)").await?;
    // Another program may have done it first.
    let found = version(client, schema).await?;
    if found == 0 {
        let about = format!(
            "CREATE SCHEMA IF NOT EXISTS {schema}; CREATE TABLE {schema}.about (version integer NOT NULL); \
             INSERT INTO {schema}.about VALUES (0)"
        );
        client.batch_execute(&about).await?;
    }
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        client.batch_execute(&step.replace("{s}", schema)).await?;
    }
    let version = found.max(VERSION);
    client.batch_execute(&format!("UPDATE {schema}.about SET version = {version}; COMMIT")).await?;
    Ok(version)
}
