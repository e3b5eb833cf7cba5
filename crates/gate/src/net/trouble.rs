//! Whose trouble an error is: the site's, or ours.
//!
//! Invariant: an error that is known to come from our side is never a failure of the site. Errors of unknown origin are
//! the site's.

use std::error::Error;
use std::io::{self, ErrorKind};

use crate::net::tunnel::NoWay;
use crate::retrieve::machine::Event;

/// Numbers of the system's errors: no more file descriptors (in the process, in the system), no more buffers.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NO_DESCRIPTORS: [i32; 3] = [24, 23, 105];
#[cfg(windows)]
const NO_DESCRIPTORS: [i32; 3] = [10_024, 10_055, 4];
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
const NO_DESCRIPTORS: [i32; 3] = [24, 23, 55];

/// The system's error: no such address family.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NO_FAMILY: i32 = 97;
#[cfg(windows)]
const NO_FAMILY: i32 = 10_047;
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
const NO_FAMILY: i32 = 47;

/// Whether the error says that this program or this system has no more file descriptors, buffers or memory.
pub(super) fn lacks_something(error: &io::Error) -> bool {
    error.kind() == ErrorKind::OutOfMemory
        || error.raw_os_error().is_some_and(|number| NO_DESCRIPTORS.contains(&number))
}

/// What an error before a response's head means: nobody was asked, there is no way to the address, or the site failed.
pub(super) fn of_request<'w>(error: &io::Error, why: &'w str) -> Event<'w> {
    let inner = innermost(error);
    match inner.kind() {
        _ if lacks_something(inner) || matches!(no_way(inner), Some(NoWay::Ours(_))) => Event::NotAsked(why),
        ErrorKind::NetworkUnreachable
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable
        | ErrorKind::PermissionDenied => Event::NoRoute(why),
        _ if inner.raw_os_error() == Some(NO_FAMILY) => Event::NoRoute(why),
        _ => Event::Failed(why),
    }
}

/// What an error in a body means.
pub(super) fn of_body<'w>(error: &io::Error, why: &'w str) -> Event<'w> {
    match of_request(error, why) {
        Event::Failed(why) => Event::BrokenOff(why),
        trouble => trouble,
    }
}

/// The error and its causes in one line, for people. What the client says of itself ("connection error") comes first.
pub(super) fn in_words(error: &io::Error) -> String {
    let first = error.to_string();
    causes(error).map(ToString::to_string).fold(first, |words, cause| {
        // Many errors show their cause themselves.
        if words.contains(&cause) { words } else { format!("{words}: {cause}") }
    })
}

/// The causes of an error. An error of the system's is one, and what it wraps is the next.
fn causes<'e>(error: &'e io::Error) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(wrapped(error), |error| {
        let error: &'e (dyn Error + 'static) = *error;
        error.downcast_ref().map_or_else(|| error.source(), wrapped)
    })
}

fn wrapped(error: &io::Error) -> Option<&(dyn Error + 'static)> {
    error.get_ref().map(|error| -> &(dyn Error + 'static) { error })
}

/// The last error of the system's among the causes.
fn innermost(error: &io::Error) -> &io::Error {
    causes(error).filter_map(|cause| cause.downcast_ref()).last().unwrap_or(error)
}

/// Why a proxy let nothing through, if that is the error.
fn no_way(error: &io::Error) -> Option<&NoWay> {
    error.get_ref()?.downcast_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also below errors of the client: [retrieve.own-trouble]
    #[test]
    fn errors_of_ours_are_told_apart() {
        let of = |error: io::Error| -> [&str; 2] {
            let name = |event: &Event<'_>| match event {
                Event::NotAsked(_) => "not asked",
                Event::NoRoute(_) => "no route",
                _ => "site",
            };
            let direct = name(&of_request(&error, ""));
            [direct, name(&of_request(&io::Error::other(error), ""))]
        };
        for number in NO_DESCRIPTORS {
            assert_eq!(of(io::Error::from_raw_os_error(number)), ["not asked"; 2], "{number}");
        }
        assert_eq!(of(io::Error::from_raw_os_error(NO_FAMILY)), ["no route"; 2]);
        for kind in [ErrorKind::NetworkUnreachable, ErrorKind::HostUnreachable, ErrorKind::AddrNotAvailable] {
            assert_eq!(of(kind.into()), ["no route"; 2], "{kind}");
        }
        for kind in [ErrorKind::ConnectionRefused, ErrorKind::ConnectionReset, ErrorKind::TimedOut, ErrorKind::Other] {
            assert_eq!(of(kind.into()), ["site"; 2], "{kind}");
        }
        assert_eq!(of(NoWay::Ours("no".into()).into()), ["not asked"; 2]);
        assert_eq!(of(NoWay::Site("no".into()).into()), ["site"; 2]);
    }
}
