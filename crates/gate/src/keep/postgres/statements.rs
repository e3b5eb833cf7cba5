//! What a `PostgreSQL` server does in one statement each.
//!
//! Invariant: each change is one statement, so one step of the server, and by the server's clock.

/// A statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Statement {
    Get,
    Put,
    Remove,
    Forget,
    Clear,
    Count,
    Page,
    Lane,
    Claim,
    Release,
    SweepSites,
    SweepLanes,
    SweepFlights,
}

impl Statement {
    pub(super) const COUNT: usize = 13;

    /// In SQL. `{s}` is the schema.
    pub(super) const fn sql(self) -> &'static str {
        match self {
            Self::Get => {
                "SELECT value FROM {s}.site_record WHERE origin = $1 AND reader = $2 AND octet_length(value) <= $3 \
                 AND dies > clock_timestamp()"
            }
            Self::Put => {
                "INSERT INTO {s}.site_record AS r VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, \
                 date_trunc('hour', clock_timestamp() + $15::bigint * interval '1 ms' + interval '1 hour')) \
                 ON CONFLICT (origin, reader) DO UPDATE SET value = excluded.value, attempted = excluded.attempted, \
                 outcome = excluded.outcome, status = excluded.status, verdict = excluded.verdict, \
                 failures = excluded.failures, next_attempt = excluded.next_attempt, access = excluded.access, \
                 text = excluded.text, report = excluded.report, retrieved = excluded.retrieved, \
                 good_until = excluded.good_until, dies = excluded.dies"
            }
            Self::Remove => "DELETE FROM {s}.site_record WHERE origin = $1 AND reader = $2",
            Self::Forget => "DELETE FROM {s}.site_record WHERE origin = $1",
            Self::Clear => {
                "DELETE FROM {s}.site_record WHERE (origin, reader) IN \
                 (SELECT origin, reader FROM {s}.site_record LIMIT 1000)"
            }
            Self::Count => "SELECT count(*) FROM {s}.site_record WHERE dies > clock_timestamp()",
            Self::Page => {
                "SELECT origin, reader FROM {s}.site_record WHERE (origin, reader) > ($1, $2) \
                 AND dies > clock_timestamp() ORDER BY origin, reader LIMIT 1000"
            }
            // A lane that is there is changed, or one is added, or one whose life is over is replaced. The server looks
            // at a row again, and at its clock, after it waited for the row.
            Self::Lane => {
                "WITH changed AS (UPDATE {s}.lane SET state = $3, \
                 dies = date_trunc('hour', clock_timestamp() + $5::bigint * interval '1 ms' + interval '1 hour') \
                 WHERE name = $1 AND state = $2 AND $3 <> '' AND dies > clock_timestamp() \
                 AND abs(floor(extract(epoch FROM clock_timestamp()) * 1000) - $4::bigint) <= $6::bigint RETURNING 1), \
                 added AS (INSERT INTO {s}.lane AS l SELECT $1, $3, \
                 date_trunc('hour', clock_timestamp() + $5::bigint * interval '1 ms' + interval '1 hour') \
                 WHERE $2 = '' AND $3 <> '' \
                 AND abs(floor(extract(epoch FROM clock_timestamp()) * 1000) - $4::bigint) <= $6::bigint \
                 ON CONFLICT (name) DO UPDATE SET state = excluded.state, dies = excluded.dies \
                 WHERE l.dies <= clock_timestamp() RETURNING 1) \
                 SELECT EXISTS (SELECT FROM changed) OR EXISTS (SELECT FROM added), \
                 floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, \
                 coalesce((SELECT state FROM {s}.lane WHERE name = $1 AND dies > clock_timestamp()), '')"
            }
            // A call that is made again after a connection broke finds its own claim.
            Self::Claim => {
                "INSERT INTO {s}.flight AS f VALUES ($1, $2, $3, clock_timestamp() + $4::bigint * interval '1 ms') \
                 ON CONFLICT (origin, reader) DO UPDATE SET token = excluded.token, dies = excluded.dies \
                 WHERE f.dies <= clock_timestamp() OR f.token = excluded.token"
            }
            Self::Release => "DELETE FROM {s}.flight WHERE origin = $1 AND reader = $2 AND token = $3",
            Self::SweepSites => {
                "DELETE FROM {s}.site_record WHERE ctid = ANY (ARRAY(SELECT ctid FROM {s}.site_record \
                 WHERE dies <= clock_timestamp() ORDER BY dies LIMIT $1::bigint FOR UPDATE SKIP LOCKED))"
            }
            Self::SweepLanes => {
                "DELETE FROM {s}.lane WHERE ctid = ANY (ARRAY(SELECT ctid FROM {s}.lane \
                 WHERE dies <= clock_timestamp() ORDER BY dies LIMIT $1::bigint FOR UPDATE SKIP LOCKED))"
            }
            Self::SweepFlights => {
                "DELETE FROM {s}.flight WHERE ctid = ANY (ARRAY(SELECT ctid FROM {s}.flight \
                 WHERE dies <= clock_timestamp() ORDER BY dies LIMIT $1::bigint FOR UPDATE SKIP LOCKED))"
            }
        }
    }
}
