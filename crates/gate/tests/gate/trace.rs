//! Events of a gate.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{Ask, Next};
use tracing_subscriber::fmt::MakeWriter;

use crate::making::{at, core};

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Written {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Answers and retrievals are events with a level each; no password and no control character is in one: [gate.tracing]
#[test]
fn events_of_a_gate() {
    // If there is one subscriber only, an event that a thread of another test reaches first is off for all threads.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    let lines = |level, url: &str, came: &Fetched| {
        let written = Written::default();
        let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(written.clone());
        let core = core();
        tracing::subscriber::with_default(subscriber.finish(), || {
            let Next::Fetch(errand) = core.ask(url, Ask::Permission, at(0)) else { panic!() };
            let _ = errand.came(came.clone(), at(0));
            let _ = core.ask(url, Ask::Permission, at(0));
        });
        let bytes = written.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    };
    let rules = Fetched::new(200, "User-agent: *\nDisallow: /\u{1b}[2Jx\n");
    let url = "https://user:secret@example.com/\u{1b}[2Jx";
    let all = lines(tracing::Level::TRACE, url, &rules);
    assert!(
        all.contains("robosieve_gate: robots.txt retrieved origin=https://example.com outcome=Rules status=200"),
        "{all}"
    );
    assert!(all.contains("answered url=\"https://example.com/%1B[2Jx\" answer=\"denied by line 2"), "{all}");
    assert!(!all.contains("secret") && !all.contains('\u{1b}'), "{all:?}");
    let info = lines(tracing::Level::INFO, url, &rules);
    assert!(info.contains("robots.txt retrieved") && !info.contains("answered"), "{info}");
    assert_eq!(lines(tracing::Level::WARN, url, &rules), "");
    let failed = lines(tracing::Level::DEBUG, url, &Fetched::failed("no \u{1b} connection"));
    assert!(failed.contains("answered"), "{failed}");
    assert!(failed.contains("error=\"no \\\\x1B connection\"") && !failed.contains('\u{1b}'), "{failed}");
}
