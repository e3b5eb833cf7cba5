//! Whose trouble an error is: the site's, or ours.
//!
//! Invariant: an error that is known to come from our side is never a failure of the site. Errors of unknown origin are
//! the site's.

use std::io::{self, ErrorKind};

use ureq::Error;

use crate::net::lacking::lacks_something;

/// Why a request brought no response. The texts are for people.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The site failed.
    Site(String),
    /// We lack something: file descriptors, memory.
    Own(String),
    /// There is no way from here to the address.
    NoRoute(String),
}

/// The system's error: no such address family.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NO_FAMILY: i32 = 97;
#[cfg(windows)]
const NO_FAMILY: i32 = 10_047;
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
const NO_FAMILY: i32 = 47;

impl Trouble {
    pub(super) fn of_request(error: &Error) -> Self {
        match error {
            Error::Io(io) => Self::of_io(io, error.to_string()),
            _ => Self::Site(error.to_string()),
        }
    }

    pub(super) fn of_read(error: &io::Error) -> Self {
        Self::of_io(error, error.to_string())
    }

    fn of_io(error: &io::Error, why: String) -> Self {
        if lacks_something(error) {
            return Self::Own(why);
        }
        let has_no_route = matches!(
            error.kind(),
            ErrorKind::NetworkUnreachable
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkDown
                | ErrorKind::AddrNotAvailable
                | ErrorKind::PermissionDenied
        );
        if has_no_route || error.raw_os_error() == Some(NO_FAMILY) { Self::NoRoute(why) } else { Self::Site(why) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::lacking::NO_DESCRIPTORS;

    fn of(error: io::Error) -> Trouble {
        Trouble::of_request(&Error::Io(error))
    }

    /// [retrieve.own-trouble]
    #[test]
    fn errors_of_ours_are_told_apart() {
        for number in NO_DESCRIPTORS {
            assert!(matches!(of(io::Error::from_raw_os_error(number)), Trouble::Own(_)), "{number}");
        }
        assert!(matches!(of(io::Error::from_raw_os_error(NO_FAMILY)), Trouble::NoRoute(_)));
        for kind in [ErrorKind::NetworkUnreachable, ErrorKind::HostUnreachable, ErrorKind::AddrNotAvailable] {
            assert!(matches!(of(kind.into()), Trouble::NoRoute(_)), "{kind}");
        }
        for kind in [ErrorKind::ConnectionRefused, ErrorKind::ConnectionReset, ErrorKind::TimedOut, ErrorKind::Other] {
            assert!(matches!(of(kind.into()), Trouble::Site(_)), "{kind}");
        }
        assert!(matches!(Trouble::of_request(&Error::HostNotFound), Trouble::Site(_)));
    }
}
