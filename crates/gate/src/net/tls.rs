//! Certificates in PEM, and the TLS configuration of a host.
//!
//! Invariant: what is used was read whole: a certificate or a key that can't be read is an error when it is set. Only a
//! host that is named goes without a check.

use std::fmt;
use std::sync::Arc;

use robosieve::printable::escape;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use crate::retrieve::connections::{ClientCertificate, HostConnection};

/// Why certificates were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// The PEM has no certificate.
    None,
    /// The PEM has no private key.
    NoKey,
    /// A certificate or a key can't be read, or does not fit: the reason.
    Unreadable(String),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => {
                f.write_str("no certificate found; certificates must be PEM, with -----BEGIN CERTIFICATE-----")
            }
            Self::NoKey => f.write_str("no private key found; it must be PEM, with -----BEGIN PRIVATE KEY-----"),
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

/// Adds the root certificates in PEM.
pub(super) fn add_roots(roots: &mut RootCertStore, pem: &[u8]) -> Result<(), CertificateError> {
    certificates(pem)?.into_iter().try_for_each(|certificate| roots.add(certificate).map_err(unreadable))
}

/// A certificate of the crawler's, and its key.
pub(super) fn own(certificate: &ClientCertificate) -> Result<OwnCertificate, CertificateError> {
    let key = PrivateKeyDer::from_pem_slice(&certificate.key).map_err(|error| match error {
        PemError::NoItemsFound => CertificateError::NoKey,
        error => unreadable(error),
    });
    Ok((certificates(&certificate.chain)?, key?))
}

pub(super) type OwnCertificate = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The configuration for a host, or for all that have nothing of their own.
pub(super) fn configured(
    roots: &RootCertStore,
    host: Option<&HostConnection>,
) -> Result<Arc<ClientConfig>, CertificateError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(unreadable)?;
    let builder = if host.is_some_and(|host| host.insecure) {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Unchecked(provider)))
    } else {
        builder.with_root_certificates(roots.clone())
    };
    let config = match host.and_then(|host| host.certificate.as_ref()) {
        Some(certificate) => {
            let (chain, key) = own(certificate)?;
            builder.with_client_auth_cert(chain, key).map_err(unreadable)?
        }
        None => builder.with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

/// Takes any certificate. Whoever shows it must have its key.
#[derive(Debug)]
struct Unchecked(Arc<CryptoProvider>);

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
