use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use robosieve_gate::retrieve::Outcome;
use robosieve_gate::{Client, CrawlerIdentity};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::servers::stage::{
    PATIENCE, RULES, Role, Stage, answer, good, is_rules, is_truncated, mute, plain, resets, why, with_tls,
};

/// The certificate of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certificate {
    Good,
    OtherName,
    Expired,
    UnknownIssuer,
}

struct Made {
    root_pem: String,
    servers: Vec<(Certificate, Arc<ServerConfig>)>,
}

static MADE: LazyLock<Made> = LazyLock::new(|| {
    let (root_pem, issuer) = authority("Test");
    let (_, unknown) = authority("Unknown");
    let servers = [
        (Certificate::Good, leaf("site.test", None, &issuer)),
        (Certificate::OtherName, leaf("other.test", None, &issuer)),
        (Certificate::Expired, leaf("site.test", Some(2001), &issuer)),
        (Certificate::UnknownIssuer, leaf("site.test", None, &unknown)),
    ];
    Made { root_pem, servers: servers.into() }
});

fn authority(name: &str) -> (String, Issuer<'static, KeyPair>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let pem = params.self_signed(&key).unwrap().pem();
    (pem, Issuer::new(params, key))
}

fn leaf(name: &str, until: Option<i32>, issuer: &Issuer<'static, KeyPair>) -> Arc<ServerConfig> {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    if let Some(year) = until {
        params.not_before = rcgen::date_time_ymd(year - 1, 1, 1);
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
    }
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateDer::from(params.signed_by(&key, issuer).unwrap().der().to_vec());
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    Arc::new(config.with_single_cert(vec![certificate], key).unwrap())
}

pub(crate) fn root_pem() -> &'static str {
    &MADE.root_pem
}

pub(crate) fn server(certificate: Certificate) -> Arc<ServerConfig> {
    Arc::clone(&MADE.servers.iter().find(|made| made.0 == certificate).unwrap().1)
}

/// A server with this certificate and rules.
pub(crate) fn with(certificate: Certificate) -> Role {
    with_tls(certificate, |_, connection| {
        connection.request();
        connection.send(&answer(200, "", RULES));
    })
}

fn over_tls(servers: &[Role]) -> (Stage, robosieve_gate::retrieve::Retrieval) {
    let stage = Stage::new(servers);
    let mut crawl = stage.crawl().impatient();
    crawl.origin = stage.origin("https");
    let retrieval = crawl.run();
    (stage, retrieval)
}

/// TLS works: the certificate is checked by the URL's name, and the address is the given one: [retrieve.driver]
#[test]
fn https() {
    let (stage, retrieval) = over_tls(&[with(Certificate::Good)]);
    is_rules(&retrieval);
    assert!(stage.requests(0)[0].contains(&format!("site.test:{}\r\n", stage.port)));
}

/// A wrong certificate counts as a connection error: the next address is tried, and the request is never sent:
/// [retrieve.addresses]
#[test]
fn wrong_certificates_are_failures() {
    for (wrong, reason) in [
        (Certificate::OtherName, "not valid for name"),
        (Certificate::Expired, "expired"),
        (Certificate::UnknownIssuer, "UnknownIssuer"),
    ] {
        let (stage, retrieval) = over_tls(&[with(wrong), with(Certificate::Good)]);
        is_rules(&retrieval);
        assert!(stage.requests(0).iter().all(String::is_empty));

        let (_stage, retrieval) = over_tls(&[with(wrong)]);
        assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Unreachable, None));
        assert!(why(&retrieval).contains(reason), "{wrong:?}: {}", why(&retrieval));
    }
}

/// A server without TLS, and one that sends nothing: [retrieve.addresses] [retrieve.time-outs]
#[test]
fn no_tls_is_a_failure() {
    let (_stage, retrieval) = over_tls(&[good(), mute(), resets(), Role::Refuses, with(Certificate::Good)]);
    is_rules(&retrieval);
}

/// A handshake that is too slow is given up, even if each byte comes in time: [retrieve.time-outs]
#[test]
fn slow_handshake() {
    let drip = plain(|_, connection| {
        connection.send(b"\x16\x03\x03\x3f\xff");
        while connection.send(b"\0") {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    let (_stage, retrieval) = over_tls(&[drip, with(Certificate::Good)]);
    is_rules(&retrieval);
    assert!(retrieval.ended.since(retrieval.began) < 6 * PATIENCE);
}

/// TLS without a closing alert leaves an incomplete body: [retrieve.broken-off]
#[test]
fn no_close_notify() {
    let (_stage, retrieval) = over_tls(&[with_tls(Certificate::Good, |_, connection| {
        connection.request();
        connection.send(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n");
    })]);
    is_truncated(&retrieval, b"User-agent: *\n");
}

/// An invalid root certificate gives an error before any request: [retrieve.driver]
#[test]
fn bad_roots_are_refused() {
    let client = || Client::new(&CrawlerIdentity::new("MyBot").unwrap());
    let rubbish = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (pem, why) in [(&b"nothing"[..], "no certificate found"), (rubbish, "can't be read")] {
        assert!(client().root_certificates(pem).unwrap_err().to_string().contains(why));
    }
    assert!(client().root_certificates(root_pem().as_bytes()).is_ok());
}
