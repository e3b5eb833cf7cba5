//! What may be set for connections: headers, and what is different for single hosts.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use robosieve_gate::ask::{HostSettings, OverrideError, Overrides};
use robosieve_gate::retrieve::{
    ClientCertificate, ConnectionError, Connections, HeaderError, HostConnection, OwnHeaders,
};

fn none() -> OwnHeaders {
    OwnHeaders::default()
}

/// Only what is a header, and none that a driver sends itself: [retrieve.own-headers]
#[test]
fn headers_of_your_own() {
    for (line, name, value) in [
        ("From: bot@example.com", "From", "bot@example.com"),
        ("x-a:b:c", "x-a", "b:c"),
        ("X-Empty:", "X-Empty", ""),
        ("Accept-Language:  de, en;q=0.5 ", "Accept-Language", "de, en;q=0.5"),
    ] {
        assert_eq!(none().with_line(line).unwrap().iter().collect::<Vec<_>>(), [(name, value)], "{line}");
    }
    for (line, error) in [
        ("From", HeaderError::Line),
        (": a", HeaderError::Name),
        ("A b: c", HeaderError::Name),
        ("A : c", HeaderError::Name),
        ("A\r\nB: c", HeaderError::Name),
        ("\u{e4}: c", HeaderError::Name),
        ("A: b\r\nB: c", HeaderError::Value),
        ("A: b\n", HeaderError::Value),
        ("A: b\tc", HeaderError::Value),
        ("A: \u{e4}", HeaderError::Value),
        ("User-Agent: Mozilla/5.0", HeaderError::Reserved),
        ("HOST: a.test", HeaderError::Reserved),
        ("If-None-Match: *", HeaderError::Reserved),
        ("Range: bytes=0-1", HeaderError::Reserved),
        ("Accept-Encoding: br", HeaderError::Reserved),
        ("Proxy-Authorization: Basic YTpi", HeaderError::Reserved),
        ("from: me@example.com", HeaderError::Twice),
    ] {
        let own = none().with("From", "bot@example.com").unwrap();
        let found = own.with_line(line).unwrap_err();
        assert_eq!(found, error, "{line}");
        assert!(!found.to_string().is_empty());
    }
    assert!(none().with_line("cookie: a=b").unwrap().has_secrets());
    assert!(none().with_line("AUTHORIZATION: Basic YTpi").unwrap().has_secrets());
    assert!(!none().with_line("X-Cookie: a").unwrap().has_secrets());
    let secret = none().with("Authorization", "Basic c2VjcmV0").unwrap();
    assert_eq!(format!("{secret:?}"), r#"["Authorization"]"#, "a value is not shown");
    let refused = Connections::default().headers(secret).unwrap_err();
    assert_eq!(refused, ConnectionError::Header(HeaderError::Secret));
    assert!(refused.to_string().contains("every host"));
}

/// Their number and length have limits: [retrieve.own-headers]
#[test]
fn bounded_headers() {
    let many = |count: usize| (0..count).try_fold(none(), |own, number| own.with(&format!("X-{number}"), "a"));
    for (count, fits) in [(31, true), (32, true), (33, false)] {
        assert_eq!(many(count).is_ok(), fits, "{count}");
    }
    assert_eq!((OwnHeaders::MAX, many(33)), (32, Err(HeaderError::TooMany)));
    for (length, fits) in [(7_999, true), (8_000, true), (8_001, false)] {
        // Four bytes are in the header before, and one is the name.
        let own = none().with("Ab", "cd").unwrap().with("E", &"f".repeat(length - 5));
        assert_eq!(own.is_ok(), fits, "{length}");
        assert!(fits || own == Err(HeaderError::TooLong));
    }
    assert_eq!(OwnHeaders::MAX_BYTES, 8_000);
}

/// Certificates are left unchecked for hosts that are named, and for those below a domain, but not below a suffix under
/// which anybody can have a name: [retrieve.host-connections]
#[test]
fn insecure_hosts_are_named() {
    let insecure = || HostConnection { insecure: true, ..HostConnection::default() };
    let settings = || HostSettings { insecure: true, ..HostSettings::default() };
    for (name, error) in [
        ("a.test", None),
        ("10.0.0.1", None),
        ("[::1]", None),
        ("*.example.com", None),
        ("*.internal", None),
        ("co.uk", None),
        ("*", Some(ConnectionError::Name)),
        ("", Some(ConnectionError::Name)),
        ("*.com", Some(ConnectionError::TooWide)),
        ("*.CO.UK.", Some(ConnectionError::TooWide)),
        ("*.github.io", Some(ConnectionError::TooWide)),
        // All names below `ck` are suffixes.
        ("*.ck", Some(ConnectionError::TooWide)),
        ("*.*.com", Some(ConnectionError::Name)),
    ] {
        assert_eq!(Connections::default().host(name, insecure()).err(), error, "{name}");
        let own = Overrides::default().with(name, settings()).err();
        assert_eq!(own.is_some(), error.is_some(), "{name}");
        assert_eq!(own == Some(OverrideError::TooWide), error == Some(ConnectionError::TooWide), "{name}");
    }
    let wide = |own: HostConnection| Connections::default().host("*.co.uk", own).err();
    let secret = none().with("Cookie", "a=b").unwrap();
    assert_eq!(
        wide(HostConnection { headers: secret.clone(), ..HostConnection::default() }),
        Some(ConnectionError::TooWide)
    );
    let certificate = Some(ClientCertificate::of_pem("", ""));
    assert_eq!(wide(HostConnection { certificate, ..HostConnection::default() }), Some(ConnectionError::TooWide));
    assert_eq!(wide(HostConnection { headers: none().with("X", "a").unwrap(), ..HostConnection::default() }), None);
    let wide = |own: HostSettings| Overrides::default().with("*.co.uk", own).err();
    assert_eq!(wide(HostSettings { headers: secret, ..HostSettings::default() }), Some(OverrideError::TooWide));
    let client_cert = Some("a.pem".into());
    assert_eq!(wide(HostSettings { client_cert, ..HostSettings::default() }), Some(OverrideError::TooWide));
    let once = Connections::default().host("*.com", HostConnection::default()).unwrap().host("a.test", insecure());
    assert_eq!(once.unwrap().host("A.test.", insecure()).err(), Some(ConnectionError::Twice));
}

/// The overrides make the connections of a driver: [retrieve.host-connections] [gate.overrides]
#[test]
fn connections_of_overrides() {
    let read = |json| serde_json::from_value::<Overrides>(json);
    let overrides = read(serde_json::json!({ "hosts": {
        "a.test": { "headers": { "Authorization": "Basic YTpi", "X-A": "1" }, "insecure": true },
        "b.test": { "client-cert": "b.pem", "client-key": "keys/b.key" },
        "c.test": { "client-cert": "c.pem" },
        "d.a.test": { "delay": 1 },
    } }));
    let mut files = Vec::new();
    let made = overrides.unwrap().connections(Connections::default(), |path: &Path| {
        files.push(path.to_owned());
        Ok::<_, Infallible>(path.as_os_str().as_encoded_bytes().to_vec())
    });
    files.sort();
    assert_eq!(files, ["b.pem", "c.pem", "keys/b.key"].map(PathBuf::from));
    let shown = format!("{:?}", made.unwrap());
    assert!(shown.contains("X-A") && !shown.contains("YTpi") && !shown.contains("keys"), "{shown}");
    for (wrong, why) in [
        (r#"{ "a.test": { "headers": { "Host": "b.test" } } }"#, "set by the program"),
        (r#"{ "a.test": { "headers": { "X": "a\r\nY: b" } } }"#, "printable ASCII"),
        (r#"{ "a.test": { "headers": ["X: a"] } }"#, "a table of headers"),
        (r#"{ "*.org": { "insecure": true } }"#, "public suffix"),
        (r#"{ "a.test": { "client-key": "a.key" } }"#, "client-key needs client-cert"),
        (r#"{ "a.test": { "insecure": "yes" } }"#, "invalid type"),
    ] {
        let error = serde_json::from_str::<Overrides>(&format!(r#"{{ "hosts": {wrong} }}"#)).unwrap_err().to_string();
        assert!(error.contains(why), "{wrong}: {error}");
    }
}
