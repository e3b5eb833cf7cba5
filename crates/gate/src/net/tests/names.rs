//! Tests of `names`.
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::unwrap_used)]

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use super::*;

/// A look-up that hangs times out, and is our trouble. When too many hang, the next one waits for a place:
/// [retrieve.time-outs] [retrieve.own-trouble]
#[test]
fn look_ups_are_bounded() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let names = Names::default();
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let within = |milliseconds| Instant::now() + Duration::from_millis(milliseconds);
    runtime.block_on(async {
        for _ in 0..Names::MOST_AT_ONCE {
            let released = Arc::clone(&released);
            let hang = move || {
                let _ = released.lock().unwrap().recv();
                Ok(Vec::new())
            };
            let found = names.run(within(1), hang).await;
            let Err((Outcome::NotAsked, why)) = found else { panic!("{found:?}") };
            assert!(why.contains("in time"), "{why}");
        }
        let more = |end| names.run(end, || Ok(Vec::new()));
        let full = more(within(20)).await;
        assert!(matches!(&full, Err((Outcome::NotAsked, why)) if why.contains("too many")), "{full:?}");
        release.send(()).unwrap();
        assert_eq!(more(within(10_000)).await, Ok(Vec::new()), "the place that became free");
        drop(release);
    });
}

/// Only a denial by a name server is the site's: [retrieve.own-trouble]
#[test]
fn denials_are_told_from_silence() {
    let of = |text: &str| of_system(&io::Error::other(format!("failed to lookup address information: {text}")));
    for text in ["Name or service not known", "No address associated with hostname", "Name does not resolve"] {
        assert!(of(text).0 == Outcome::Unreachable, "{text}");
    }
    for text in ["Temporary failure in name resolution", "Non-recoverable failure in name resolution", "Try again"] {
        assert!(of(text).0 == Outcome::NotAsked, "{text}");
    }
    assert!(of_system(&io::Error::from_raw_os_error(24)).0 == Outcome::NotAsked);
}
