//! Root certificates in PEM, and the TLS configuration.
//!
//! Invariant: what is used was read whole: a certificate that can't be read is an error when it is set.

use std::fmt;
use std::sync::Arc;

use robosieve_printable::escape;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// Why certificates were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// The PEM has no certificate.
    None,
    /// A certificate can't be read: the reason.
    Unreadable(String),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => {
                f.write_str("no certificate found; certificates must be PEM, with -----BEGIN CERTIFICATE-----")
            }
            Self::Unreadable(why) => write!(f, "a certificate can't be read: {}", escape(why.as_bytes())),
        }
    }
}

impl std::error::Error for CertificateError {}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unreadable(why: impl ToString) -> CertificateError {
    CertificateError::Unreadable(why.to_string())
}

/// The certificates in PEM; at least one.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let all: Vec<_> = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(unreadable)?;
    if all.is_empty() { Err(CertificateError::None) } else { Ok(all) }
}

/// Mozilla's root certificates.
pub(super) fn mozilla() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    roots
}

/// Adds the root certificates in PEM.
pub(super) fn add_roots(roots: &mut RootCertStore, pem: &[u8]) -> Result<(), CertificateError> {
    certificates(pem)?.into_iter().try_for_each(|certificate| roots.add(certificate).map_err(unreadable))
}

/// The configuration for all hosts.
pub(super) fn configured(roots: &RootCertStore) -> Result<Arc<ClientConfig>, CertificateError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(unreadable)?.with_root_certificates(roots.clone());
    Ok(Arc::new(builder.with_no_client_auth()))
}
