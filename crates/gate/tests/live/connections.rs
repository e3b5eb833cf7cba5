//! Servers on loopback for the driver's tests: plain or with TLS, which note what they get.
//!
//! Invariant: each server notes every request that it gets, whatever the test expects.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A server that answers by the path and the host of the request's head.
pub(crate) struct Server {
    pub(crate) port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(tls: Option<Arc<ServerConfig>>, answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (port, heads) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<String>>>::default());
        let noted = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming().take(100) {
                let Ok(mut stream) = stream else { continue };
                stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                let serve = |stream: &mut dyn Stream| {
                    let (mut head, mut byte) = (String::new(), [0]);
                    while !head.ends_with("\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
                        head.push(char::from(byte[0]));
                    }
                    if !head.is_empty() {
                        let head = head.to_ascii_lowercase();
                        noted.lock().unwrap().push(head.clone());
                        let _ = stream.write_all(answer(&head).as_bytes());
                    }
                    let _ = stream.flush();
                };
                match &tls {
                    None => serve(&mut stream),
                    Some(config) => {
                        let tls = rustls::ServerConnection::new(Arc::clone(config)).unwrap();
                        let mut stream = rustls::StreamOwned::new(tls, stream);
                        serve(&mut stream);
                        stream.conn.send_close_notify();
                        let _ = stream.flush();
                    }
                }
            }
        });
        Self { port, heads }
    }

    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.heads.lock().unwrap())
    }
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// A root certificate in PEM, and whoever signs by it.
pub(crate) fn root() -> (String, Issuer<'static, KeyPair>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let pem = params.self_signed(&key).unwrap().pem();
    (pem, Issuer::new(params, key))
}

/// A certificate for these names and its key, both in PEM.
pub(crate) fn leaf(names: &[&str], issuer: &Issuer<'static, KeyPair>) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
    (params.signed_by(&key, issuer).unwrap().pem(), key.serialize_pem())
}

pub(crate) fn tls((chain, key): &(String, String)) -> Arc<ServerConfig> {
    use rustls::pki_types::pem::PemObject as _;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let builder = builder.with_no_client_auth();
    let chain = vec![CertificateDer::from_pem_slice(chain.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    Arc::new(builder.with_single_cert(chain, key).unwrap())
}
