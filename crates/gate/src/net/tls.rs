//! Root certificates, and the TLS configuration.
//!
//! Invariant: what is used was read whole: a certificate that can't be read is an error when it is set.

use std::sync::Arc;

use robosieve_printable::escape;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::error::Error;

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unreadable(why: impl ToString) -> Error {
    Error::Setting(format!("a certificate can't be read: {}", escape(why.to_string().as_bytes())))
}

/// Mozilla's root certificates.
pub(super) fn mozilla() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    roots
}

/// Adds the root certificates in PEM, of which there is at least one.
pub(super) fn add_roots(roots: &mut RootCertStore, pem: &[u8]) -> Result<(), Error> {
    let before = roots.len();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        roots.add(certificate.map_err(unreadable)?).map_err(unreadable)?;
    }
    let none = "no certificate found; certificates must be PEM, with -----BEGIN CERTIFICATE-----";
    if roots.len() == before { Err(Error::setting(none)) } else { Ok(()) }
}

/// The configuration for all hosts.
pub(super) fn configured(roots: &RootCertStore) -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(unreadable)?.with_root_certificates(roots.clone());
    Ok(Arc::new(builder.with_no_client_auth()))
}
