//! Tests of `trouble`.

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
    assert_eq!(of(NoWay::Ours("no".into()).into()), [Whose::Ours; 2]);
    assert_eq!(of(NoWay::Site("no".into()).into()), [Whose::Site; 2]);
}
