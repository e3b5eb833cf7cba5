//! Whose trouble an error is: the site's, or ours.
//!
//! Invariant: an error that is known to come from our side is never a failure of the site. Errors of unknown origin are
//! the site's.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};

/// Numbers of the system's errors: no more file descriptors (in the process, in the system), no more buffers; and no
/// such address family.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NUMBERS: ([i32; 3], i32) = ([24, 23, 105], 97);
#[cfg(windows)]
const NUMBERS: ([i32; 3], i32) = ([10_024, 10_055, 4], 10_047);
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
const NUMBERS: ([i32; 3], i32) = ([24, 23, 55], 47);

/// Whether the error says that this program or this system has no more file descriptors, buffers or memory.
pub(super) fn lacks_something(error: &io::Error) -> bool {
    error.kind() == ErrorKind::OutOfMemory || error.raw_os_error().is_some_and(|number| NUMBERS.0.contains(&number))
}

/// Why there is no way through a proxy, for people: it could not reach the server, or it can't be reached, refuses, or
/// does not answer. The latter is trouble of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoWay(pub(super) Whose, pub(super) String);

impl fmt::Display for NoWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "proxy: {}", self.1)
    }
}

impl std::error::Error for NoWay {}

impl From<NoWay> for io::Error {
    fn from(why: NoWay) -> Self {
        Self::other(why)
    }
}

/// Whose trouble an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// There is no way to this address from here. Others may have one.
    NoWay,
    Site,
    /// Something lacks here, for any address.
    Ours,
}

/// Whose trouble an error of a request is, by the last error of the system's among its causes.
pub(super) fn whose(error: &(dyn Error + 'static)) -> Whose {
    let (mut last, mut is_ours) = (None, false);
    for cause in causes(error) {
        last = cause.downcast_ref::<io::Error>().or(last);
        is_ours |= matches!(cause.downcast_ref(), Some(NoWay(Whose::Ours, _)));
    }
    match last {
        _ if is_ours => Whose::Ours,
        Some(error) if lacks_something(error) => Whose::Ours,
        Some(error) if error.raw_os_error() == Some(NUMBERS.1) => Whose::NoWay,
        Some(error) => match error.kind() {
            ErrorKind::NetworkUnreachable
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::AddrNotAvailable
            | ErrorKind::PermissionDenied => Whose::NoWay,
            _ => Whose::Site,
        },
        None => Whose::Site,
    }
}

/// The error and its causes in one line, for people. What the client says of itself ("connection error") comes first.
pub(super) fn in_words(error: &(dyn Error + 'static)) -> String {
    causes(error).map(ToString::to_string).fold(String::new(), |words, cause| match () {
        () if words.is_empty() => cause,
        // Many errors show their cause themselves.
        () if words.contains(&cause) => words,
        () => format!("{words}: {cause}"),
    })
}

/// An error and its causes. An error of the system's is one, and what it wraps is the next.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'e (dyn Error + 'static) = *error;
        error.downcast_ref().map_or_else(|| error.source(), wrapped)
    })
}

fn wrapped(error: &io::Error) -> Option<&(dyn Error + 'static)> {
    error.get_ref().map(|error| -> &(dyn Error + 'static) { error })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also below errors of the client: [retrieve.own-trouble]
    #[test]
    fn errors_of_ours_are_told_apart() {
        let of = |error: io::Error| [whose(&error), whose(&io::Error::other(error))];
        for number in super::NUMBERS.0 {
            assert_eq!(of(io::Error::from_raw_os_error(number)), [Whose::Ours; 2], "{number}");
        }
        assert_eq!(of(io::Error::from_raw_os_error(super::NUMBERS.1)), [Whose::NoWay; 2]);
        for kind in [ErrorKind::NetworkUnreachable, ErrorKind::HostUnreachable, ErrorKind::AddrNotAvailable] {
            assert_eq!(of(kind.into()), [Whose::NoWay; 2], "{kind}");
        }
        for kind in [ErrorKind::ConnectionRefused, ErrorKind::ConnectionReset, ErrorKind::TimedOut, ErrorKind::Other] {
            assert_eq!(of(kind.into()), [Whose::Site; 2], "{kind}");
        }
        assert_eq!(of(NoWay(Whose::Ours, "no".into()).into()), [Whose::Ours; 2]);
        assert_eq!(of(NoWay(Whose::Site, "no".into()).into()), [Whose::Site; 2]);
    }
}
