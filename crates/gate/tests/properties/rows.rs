//! The rows of a store in a file, with any values.

use std::sync::Arc;

use robosieve_gate::keep::{SharedStore, Store as _};
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{Answer, Ask, Core, Moment, Next, Origin, Settings, SqliteStore};
use rusqlite::{Connection, params};
use serde_json::Value as Json;

use super::choices::Choices;

const URL: &str = "https://example.com/a";
const NOW: Moment = Moment::from_millis(1_700_000_000_000);
const LANE: &str = "INSERT OR REPLACE INTO lane (name, lane, until) VALUES ('example.com', ?1, ?2)";
const ROW: &str = "INSERT OR REPLACE INTO site VALUES ('https://example.com', ?1, ?2, ?3)";

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
        let _ = store.ask(Ask::Permission);
        let mut reader = String::new();
        store.file.for_each(&mut |_, key, _| key.clone_into(&mut reader)).expect("it is a record");
        store.reader = reader;
        store
    }

    /// A row with any values is a site record or is unknown. What is read can be written, and is read again. A site
    /// that does not answer is allowed only by a record that can be read.
    pub(crate) fn any_row(&self, choices: &mut impl Choices) -> bool {
        let key = &self.reader;
        let mut json = record(choices);
        let attempted = json.pointer("/last/at").and_then(Json::as_i64).unwrap_or_default();
        let attempted = value(choices, &[]).map_or(attempted, |other| other.as_i64().unwrap_or_default());
        if choices.below(60) == 0 {
            json = choices.below(2).into();
        }
        let mut json = json.to_string();
        if choices.below(60) == 0 {
            let end = choices.below(json.len());
            json = String::from_utf8_lossy(&json.as_bytes()[..end]).into_owned();
        }
        self.by_hand.execute(ROW, params![key, attempted, json]).expect("it can be written");
        let origin = Origin::of(URL).expect("it is a URL");
        let found = self.file.get(&origin, key).expect("an unreadable row is unknown");
        let mut visited = 0;
        self.file.for_each(&mut |_, _, _| visited += 1).expect("an unreadable row is unknown");
        assert_eq!(visited, usize::from(found.is_some()));
        if let Some(record) = &found {
            self.file.put(&origin, key, record).expect("it can be written");
            assert_eq!(self.file.get(&origin, key).expect("it can be read").as_ref(), Some(record));
        }
        let answer = self.ask(Ask::Permission);
        assert!(found.is_some() || !answer.is_allowed(), "{answer:?}");
        self.file.remove(None).expect("it can be written");
        found.is_some()
    }

    /// A lane with any values is no error.
    pub(crate) fn any_lane(&self, choices: &mut impl Choices) {
        let mut lane = serde_json::Map::new();
        for (name, usual) in LANE_PARTS {
            lane.insert(name.to_owned(), value(choices, usual).unwrap_or_default());
        }
        let lane = Json::Object(lane).to_string();
        self.by_hand.execute(LANE, params![lane, NOW.as_millis().to_string()]).expect("it can be written");
        assert_ne!(self.ask(Ask::Start).reason, "store");
        self.file.remove(None).expect("it can be written");
    }

    /// The answer of a gate that remembers nothing but what is in the store. No site answers.
    fn ask(&self, ask: Ask) -> Answer {
        let core = Arc::new(Core::new(Settings::default(), Arc::clone(&self.file) as SharedStore));
        let mut next = core.ask(URL, ask, NOW);
        loop {
            next = match next {
                Next::Answer(answer) => return answer,
                Next::Again(_) => core.ask(URL, ask, NOW),
                Next::Fetch(errand) => errand.came(Fetched::failed("it is mute"), NOW),
            };
        }
    }
}

/// The usual values of a field as JSON, the most usual first.
type Usual = [&'static str];

const MOMENTS: &Usual = &["1700000000000", "1600000000000", "1700000000001", "0", "18446744073709551615", "-1", "null"];
const STATUSES: &Usual = &["200", "404", "503", "null", "65535", "65536"];
const RULINGS: &Usual =
    &[r#""rules""#, r#""allow""#, r#""deny""#, r#""keep-copy""#, r#""unreachable""#, r#""not-now""#];
const OUTCOMES: &Usual = &[
    r#""rules""#,
    r#""no-rules""#,
    r#""unavailable""#,
    r#""unreachable""#,
    r#""truncated""#,
    r#""unchanged""#,
    r#""not-asked""#,
];
const CLASSES: &Usual = &[r#""success""#, r#""no-file""#, r#""server-error""#, r#""no-answer""#, r#""redirects""#];
const TEXTS: &Usual = &[
    r#""""#,
    r#""User-agent: *\nDisallow:\n""#,
    r#""User-agent: *\nDisallow: /\n""#,
    r#""User-agent: *\nAllow: /b\nDisallow: /\n""#,
];
/// The fields of a record, by their places in its JSON.
const FIELDS: [(&str, &Usual); 19] = [
    ("", &["{}"]),
    ("/last", &["{}", "null"]),
    ("/last/at", MOMENTS),
    ("/last/outcome", OUTCOMES),
    ("/last/status", STATUSES),
    ("/last/class", CLASSES),
    ("/last/has_errors", &["false", "true", "2"]),
    ("/last/ruling", RULINGS),
    ("/failures", &["0", "1", "4294967295", "4294967296"]),
    ("/failing_since", MOMENTS),
    ("/next_attempt", MOMENTS),
    ("/snapshot", &["{}", "null"]),
    ("/snapshot/access", RULINGS),
    ("/snapshot/status", STATUSES),
    ("/snapshot/text", TEXTS),
    ("/snapshot/report", &[r#""""#, r#""{}""#]),
    ("/snapshot/at", MOMENTS),
    ("/snapshot/good_until", MOMENTS),
    ("/snapshot/validators", &[r#"{"etag":"\"1\""}"#, "{}", r#"{"last_modified":"Sun, 06 Nov 1994 08:49:37 GMT"}"#]),
];
const ERRORS: &Usual = &["null", r#""status 503""#, "0"];
const TIMES: &Usual = &[r#"{"secs":1,"nanos":0}"#, r#"{"secs":18446744073709551615,"nanos":0}"#, "null"];
/// The fields of a lane.
const LANE_PARTS: [(&str, &Usual); 7] = [
    ("free", MOMENTS),
    ("at", MOMENTS),
    ("gap", TIMES),
    ("held_since", MOMENTS),
    ("held", MOMENTS),
    ("level", &["0", "1", "255", "256"]),
    ("answers_in", TIMES),
];

fn record(choices: &mut impl Choices) -> Json {
    let mut record = Json::Null;
    for (place, usual) in FIELDS.into_iter().chain([("/error", ERRORS)]) {
        let made = value(choices, usual).unwrap_or_default();
        match place.rsplit_once('/') {
            None => record = made,
            Some((within, name)) => {
                if let Some(Json::Object(fields)) = record.pointer_mut(within) {
                    fields.insert(name.to_owned(), made);
                }
            }
        }
    }
    record
}

/// A value, rarely none of the usual ones.
fn value(choices: &mut impl Choices, usual: &Usual) -> Option<Json> {
    match choices.below(60) {
        0 => Some(String::from_utf8_lossy(&choices.bytes(30)).into()),
        1 => Some(choices.below(1 << 40).into()),
        2 => Some(1e300.into()),
        few => {
            let text = if few < 20 && !usual.is_empty() { choices.one_of(usual) } else { *usual.first()? };
            Some(serde_json::from_str(text).expect("it is JSON"))
        }
    }
}
