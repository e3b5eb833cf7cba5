//! The rows of a store in a file, with any values.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::keep::{SharedStore, SiteStore};
use robosieve_gate::retrieve::{AddressGuard, Event, Machine, Retrieval, RetrievalLimits, Retriever};
use robosieve_gate::{Gate, Moment, Origin, SqliteStore};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::choices::Choices;

const URL: &str = "https://example.com/a";
const NOW: Moment = Moment::from_millis(1_700_000_000_000);
const LANE: &str = "INSERT OR REPLACE INTO lane (name, free, at, gap, answers_in, level, in_flight) \
                    VALUES ('example.com', ?1, ?2, ?3, ?4, ?5, ?6)";

/// No site answers.
struct Mute;

impl Retriever for Mute {
    fn wait(&self, _: Duration) {}

    fn retrieve(&self, origin: &Origin) -> Retrieval {
        let mut machine = Machine::new(origin.clone(), RetrievalLimits::default(), AddressGuard::global_only(), NOW);
        machine.on(Event::NotResolved("no"), NOW);
        machine.into_retrieval(NOW)
    }
}

/// A store, and a second connection that changes its rows by hand.
pub(crate) struct Store {
    file: Arc<SqliteStore>,
    by_hand: Connection,
    /// The key under which the gate stores what it reads.
    reader: String,
    _folder: tempfile::TempDir,
}

impl Store {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("s.sqlite");
        let file = Arc::new(SqliteStore::open(&path).expect("it is a store"));
        let by_hand = Connection::open(&path).expect("it is a database");
        by_hand.execute_batch("PRAGMA synchronous = OFF").expect("it is a pragma");
        let mut store = Self { file, by_hand, reader: String::new(), _folder: folder };
        store.gate().permits(URL, NOW).expect("it can be asked");
        let mut reader = String::new();
        let mut keep = |_: &Origin, key: &str, _| {
            key.clone_into(&mut reader);
            ControlFlow::Break(())
        };
        store.file.for_each(&mut keep).expect("it is a record");
        store.reader = reader;
        store
    }

    /// A row with any values is a site record or is unknown. What is read can be written, and is read again. A site
    /// that does not answer is allowed only by a record that can be read.
    pub(crate) fn any_row(&self, choices: &mut impl Choices) -> bool {
        let key = &self.reader;
        let mut values = vec![Value::from("https://example.com".to_owned()), Value::from(key.clone())];
        values.extend(COLUMNS.iter().map(|usual| value(choices, usual)));
        values.push(Value::from(checksum(&values)));
        let places = vec!["?"; values.len()].join(", ");
        let insert = format!("INSERT OR REPLACE INTO site_record VALUES ({places})");
        let inserted = self.by_hand.prepare_cached(&insert).and_then(|mut row| row.execute(params_from_iter(values)));
        if inserted.is_err() {
            // The table itself refuses NULL where it must have a value.
            return false;
        }
        let origin = Origin::of(URL).expect("it is a URL");
        let found = self.file.get(&origin, key).expect("an unreadable row is unknown");
        let visited = self.file.for_each(&mut |_, _, _| ControlFlow::Continue(()));
        assert_eq!(visited.is_ok(), found.is_some());
        if let Some(record) = &found {
            self.file.put(&origin, key, record).expect("it can be written");
            assert_eq!(self.file.get(&origin, key).expect("it can be read").as_ref(), Some(record));
        }
        let answer = self.gate().permits(URL, NOW).expect("it can be asked");
        assert!(found.is_some() || !answer.is_allowed(), "{answer:?}");
        self.file.clear().expect("it can be written");
        found.is_some()
    }

    /// A lane with any values is no error.
    pub(crate) fn any_lane(&self, choices: &mut impl Choices) {
        let values: Vec<Value> = LANE_COLUMNS.iter().map(|usual| value(choices, usual)).collect();
        if self.by_hand.execute(LANE, params_from_iter(values)).is_ok() {
            self.gate().start(URL, NOW).expect("it can be asked");
        }
        self.file.clear().expect("it can be written");
    }

    /// A gate that remembers nothing but what is in the store.
    fn gate(&self) -> Gate<Mute> {
        Gate::new(Mute, Arc::clone(&self.file) as SharedStore, Agents::new(["MyBot"]))
    }
}

/// The usual values of a column, the most usual first. A number stands for itself, `NULL` for nothing.
type Usual = [&'static str];

const MOMENTS: &Usual = &["1700000000000", "1600000000000", "1700000000001", "NULL", "0", "9223372036854775807", "-1"];
const STATUSES: &Usual = &["200", "404", "503", "NULL", "65535", "65536"];
const RULINGS: &Usual = &["rules", "allow", "deny", "keep-copy", "unreachable", "not-now"];
/// From `attempted` to `attempts`.
const COLUMNS: [&Usual; 19] = [
    MOMENTS,
    &["rules", "no-rules", "unavailable", "unreachable", "truncated", "unchanged", "not-asked"],
    STATUSES,
    &["success", "no-file", "server-error", "no-answer", "redirects"],
    &["0", "1", "2"],
    RULINGS,
    &["0", "1", "4294967295", "4294967296"],
    MOMENTS,
    MOMENTS,
    RULINGS,
    STATUSES,
    &["", "User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /\n", "User-agent: *\nAllow: /b\nDisallow: /\n"],
    &["", "{}"],
    MOMENTS,
    MOMENTS,
    &["\"1\"", "NULL", "W/\"x\""],
    &["Sun, 06 Nov 1994 08:49:37 GMT", "NULL"],
    &["NULL", "x"],
    &["[]", r#"[{"address":null,"status":200,"error":null}]"#, "[{}]", "["],
];
/// From `free` to `in_flight`.
const LANE_COLUMNS: [&Usual; 6] =
    [MOMENTS, MOMENTS, MOMENTS, MOMENTS, &["0", "1", "300"], &["", "1700000000000", "1 2 3", "x"]];

fn value(choices: &mut impl Choices, usual: &Usual) -> Value {
    match choices.below(60) {
        0 => Value::Blob(choices.bytes(30)),
        1 => Value::Text(String::from_utf8_lossy(&choices.bytes(30)).into_owned()),
        2 => Value::Integer(i64::try_from(choices.below(1 << 40)).unwrap_or_default()),
        3 => Value::Real(1e300),
        few => match if few < 20 { choices.one_of(usual) } else { usual[0] } {
            "NULL" => Value::Null,
            text => text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Integer),
        },
    }
}

/// The CRC-32 of a row's values, as the table stores them, [gate.row].
fn checksum(values: &[Value]) -> i64 {
    let mut sum = crc32fast::Hasher::new();
    for value in values {
        let (kind, bytes): (u8, Vec<u8>) = match value {
            Value::Null => (0, vec![0; 8]),
            Value::Integer(number) => (1, number.to_le_bytes().to_vec()),
            Value::Real(number) => (2, number.to_le_bytes().to_vec()),
            Value::Text(text) => (3, text.as_bytes().to_vec()),
            Value::Blob(bytes) => (4, bytes.clone()),
        };
        sum.update(&[kind]);
        sum.update(&bytes.len().to_le_bytes());
        sum.update(&bytes);
    }
    i64::from(sum.finalize())
}
