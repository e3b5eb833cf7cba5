//! What a driver says to a proxy, and what it answers, before a connection goes through it.
//!
//! Invariant: no socket and no clock. Nothing that the server behind the proxy sends is read. What a proxy says of the
//! server is the site's trouble only where the proxy says so; any other trouble of a proxy is ours.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use url::Url;

use crate::retrieve::machine::UNKNOWN;
use crate::retrieve::proxy::{Proxy, ProxyKind};

/// Where a proxy connects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Address(SocketAddr),
    /// A name that the proxy looks up, and a port.
    Name(String, u16),
}

impl Target {
    /// The address, or the name in the URL if the address is not known.
    pub(super) fn of(address: SocketAddr, url: &Url) -> Self {
        match url.domain().filter(|_| address.ip() == UNKNOWN) {
            Some(name) => Self::Name(name.to_owned(), address.port()),
            None => Self::Address(address),
        }
    }
}

/// Why there is no way through a proxy. The texts are for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoWay {
    /// The proxy could not reach the server.
    Site(String),
    /// The proxy can't be reached, refuses, or does not answer.
    Ours(String),
}

impl fmt::Display for NoWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Site(why) | Self::Ours(why) => write!(f, "proxy: {why}"),
        }
    }
}

impl std::error::Error for NoWay {}

impl From<NoWay> for io::Error {
    fn from(why: NoWay) -> Self {
        Self::other(why)
    }
}

/// A conversation with a proxy: send what [`Tunnel::take_to_send`] returns, then read one byte after the other.
#[derive(Debug)]
pub(super) struct Tunnel {
    proxy: Proxy,
    target: Target,
    state: State,
    send: Vec<u8>,
    heard: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The head of an answer to CONNECT is read.
    Head,
    /// SOCKS5: how the proxy wants to know the user, whether it knows the user, and whether it has connected.
    Method,
    User,
    Reply,
    Done,
}

impl Tunnel {
    /// 16,384: the most bytes of a proxy's answer. Our choice.
    pub(super) const MAX_HEARD: usize = 16_384;

    pub(super) fn new(proxy: &Proxy, target: Target) -> Result<Self, NoWay> {
        // SOCKS5 has one byte for its length, and no name is so long (RFC 1035 2.3.4).
        if matches!(&target, Target::Name(name, _) if name.len() > 255) {
            return Err(NoWay::Site("the name of the host is too long".into()));
        }
        let (state, send) = match proxy.kind {
            ProxyKind::Connect => (State::Head, connect(proxy, &target)),
            // Version 5, and the ways: without a user, or also with one.
            ProxyKind::Socks | ProxyKind::SocksNames if proxy.user.is_some() => (State::Method, vec![5, 2, 0, 2]),
            ProxyKind::Socks | ProxyKind::SocksNames => (State::Method, vec![5, 1, 0]),
        };
        Ok(Self { proxy: proxy.clone(), target, state, send, heard: Vec::new() })
    }

    /// What to send now.
    pub(super) fn take_to_send(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.send)
    }

    /// Whether the connection goes through. Then nothing more is read.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Takes the next byte.
    pub(super) fn on(&mut self, byte: u8) -> Result<(), NoWay> {
        if self.heard.len() >= Self::MAX_HEARD {
            return Err(NoWay::Ours("its answer is too long".into()));
        }
        self.heard.push(byte);
        match self.state {
            State::Head => self.head(),
            State::Method => self.method(),
            State::User => self.user(),
            State::Reply => self.reply(),
            State::Done => Ok(()),
        }
    }

    /// What an end of the connection means.
    pub(super) fn ended() -> NoWay {
        NoWay::Ours("it closed the connection".into())
    }

    fn head(&mut self) -> Result<(), NoWay> {
        if !self.heard.ends_with(b"\r\n\r\n") {
            return Ok(());
        }
        let line = self.heard.split(|&byte| byte == b'\r').next().unwrap_or_default();
        let status = str::from_utf8(line).ok().filter(|line| line.starts_with("HTTP/1."));
        let status = status.and_then(|line| line.split(' ').nth(1)?.parse::<u16>().ok());
        match status {
            Some(200..=299) => self.state = State::Done,
            // An interim answer: the final one follows.
            Some(100..=199) => self.heard.clear(),
            // A gateway says these of the server that it asks (RFC 9110 15.6.3 to 15.6.5).
            Some(status @ 502..=504) => return Err(NoWay::Site(format!("it cannot reach the host (status {status})"))),
            Some(407) => return Err(NoWay::Ours("it wants another user or password (status 407)".into())),
            Some(status) => return Err(NoWay::Ours(format!("it refuses CONNECT (status {status})"))),
            None => return Err(NoWay::Ours("it does not speak HTTP".into())),
        }
        Ok(())
    }

    fn method(&mut self) -> Result<(), NoWay> {
        match (self.heard.as_slice(), &self.proxy.user) {
            ([5], _) => return Ok(()),
            ([5, 0], _) => {
                self.send = request(&self.target);
                self.state = State::Reply;
            }
            ([5, 2], Some((user, password))) => {
                let length = |text: &[u8]| u8::try_from(text.len()).unwrap_or(u8::MAX);
                self.send = [&[1, length(user)], user.as_slice(), &[length(password)], password.as_slice()].concat();
                self.state = State::User;
            }
            ([5, _], _) => return Err(NoWay::Ours("it wants a user and a password".into())),
            _ => return Err(NoWay::Ours("it does not speak SOCKS5".into())),
        }
        self.heard.clear();
        Ok(())
    }

    fn user(&mut self) -> Result<(), NoWay> {
        match self.heard.as_slice() {
            [_] => Ok(()),
            [_, 0] => {
                self.send = request(&self.target);
                self.state = State::Reply;
                self.heard.clear();
                Ok(())
            }
            _ => Err(NoWay::Ours("it wants another user or password".into())),
        }
    }

    fn reply(&mut self) -> Result<(), NoWay> {
        // Version, reply, a zero, and the address at the proxy: its kind, itself, two bytes of port.
        let length = match self.heard.as_slice() {
            [_, _, _, 1, ..] => 10,
            [_, _, _, 3, length, ..] => usize::from(*length).saturating_add(7),
            [_, _, _, 4, ..] => 22,
            _ => usize::MAX,
        };
        match self.heard.as_slice() {
            [version, ..] if *version != 5 => Err(NoWay::Ours("it does not speak SOCKS5".into())),
            [] | [_] | [_, 0] | [_, 0, _] | [_, 0, _, 1 | 3 | 4] => Ok(()),
            [_, 0, _, 1 | 3 | 4, ..] => {
                if self.heard.len() >= length {
                    self.state = State::Done;
                }
                Ok(())
            }
            [_, 3, ..] => Err(NoWay::Site("it cannot reach the network of the host".into())),
            [_, 4, ..] => Err(NoWay::Site("it cannot reach the host".into())),
            [_, 5, ..] => Err(NoWay::Site("the host refused its connection".into())),
            [_, 6, ..] => Err(NoWay::Site("the host is too far away".into())),
            [_, 2, ..] => Err(NoWay::Ours("it does not allow this connection".into())),
            [_, reply, ..] => Err(NoWay::Ours(format!("it failed (reply {reply})"))),
        }
    }
}

/// A request for a tunnel (RFC 9110 9.3.6).
fn connect(proxy: &Proxy, target: &Target) -> Vec<u8> {
    let to = match target {
        Target::Address(address) => address.to_string(),
        Target::Name(name, port) => format!("{name}:{port}"),
    };
    let user = proxy.user.as_ref().map_or(String::new(), |(user, password)| {
        let both = BASE64_STANDARD.encode([user.as_slice(), b":", password].concat());
        format!("Proxy-Authorization: Basic {both}\r\n")
    });
    format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n{user}\r\n").into_bytes()
}

/// A request for a connection (RFC 1928 4).
fn request(target: &Target) -> Vec<u8> {
    let (mut bytes, port) = match target {
        Target::Address(to) => {
            let (kind, octets) = match to.ip() {
                IpAddr::V4(address) => (1, address.octets().to_vec()),
                IpAddr::V6(address) => (4, address.octets().to_vec()),
            };
            ([&[5, 1, 0, kind], octets.as_slice()].concat(), to.port())
        }
        Target::Name(name, port) => {
            let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
            ([&[5, 1, 0, 3, length], name.as_bytes()].concat(), *port)
        }
    };
    bytes.extend(port.to_be_bytes());
    bytes
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn tunnel(proxy: &str, target: Target) -> Tunnel {
        Tunnel::new(&proxy.parse().unwrap(), target).unwrap()
    }

    fn name() -> Target {
        Target::Name("a.test".into(), 443)
    }

    /// What is sent at each step, and how it ends.
    fn talk(proxy: &str, target: Target, answers: &[&[u8]]) -> (Vec<Vec<u8>>, Option<NoWay>) {
        let mut tunnel = tunnel(proxy, target);
        let mut sent = vec![tunnel.take_to_send()];
        for answer in answers {
            for byte in *answer {
                assert!(!tunnel.is_done(), "nothing is read after the end");
                if let Err(why) = tunnel.on(*byte) {
                    return (sent, Some(why));
                }
            }
            sent.push(tunnel.take_to_send());
        }
        assert!(tunnel.is_done());
        (sent, None)
    }

    /// [retrieve.proxy]
    #[test]
    fn what_a_proxy_is_told() {
        let address = || Target::Address("192.0.2.1:80".parse().unwrap());
        let six = || Target::Address("[2001:db8::1]:80".parse().unwrap());
        let ok: &[&[u8]] = &[b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Connection established\r\nX: y\r\n\r\n"];
        for (to, written) in [(name(), "a.test:443"), (address(), "192.0.2.1:80"), (six(), "[2001:db8::1]:80")] {
            let (sent, why) = talk("http://p.test:1", to, ok);
            assert_eq!(sent[0], format!("CONNECT {written} HTTP/1.1\r\nHost: {written}\r\n\r\n").as_bytes());
            assert_eq!(why, None);
        }
        let (sent, _) = talk("http://a%3Ab:c@p.test", name(), ok);
        assert!(sent[0].ends_with(b"\r\nProxy-Authorization: Basic YTpiOmM=\r\n\r\n"));
        let reply: &[u8] = &[5, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        let (sent, why) = talk("socks5://p.test", address(), &[&[5, 0], reply]);
        assert_eq!((sent[0].as_slice(), sent[1].as_slice()), (&[5, 1, 0][..], &[5, 1, 0, 1, 192, 0, 2, 1, 0, 80][..]));
        assert_eq!(why, None);
        let by_name: &[u8] = &[5, 0, 0, 3, 1, b'x', 0, 0];
        let (sent, why) = talk("socks5h://u:pw@p.test", name(), &[&[5, 2], &[1, 0], by_name]);
        assert_eq!((sent[0].as_slice(), sent[1].as_slice()), (&[5, 2, 0, 2][..], &b"\x01\x01u\x02pw"[..]));
        assert_eq!((sent[2].as_slice(), why), (&b"\x05\x01\x00\x03\x06a.test\x01\xbb"[..], None));
        let six_reply = [&[5, 0, 0, 4][..], &[0; 18]].concat();
        let (sent, why) = talk("socks5://u@p.test", six(), &[&[5, 0], &six_reply]);
        assert_eq!((sent[1].len(), sent[1][3], why), (22, 4, None));
    }

    /// Only what a proxy says of the server is the site's: [retrieve.proxy]
    #[test]
    fn whose_trouble_it_is() {
        for (status, is_site) in [
            (502, true),
            (503, true),
            (504, true),
            (407, false),
            (403, false),
            (400, false),
            (302, false),
            (500, false),
        ] {
            let answer = format!("HTTP/1.1 {status} x\r\n\r\n");
            let why = talk("http://p.test", name(), &[answer.as_bytes()]).1.unwrap();
            assert_eq!(matches!(why, NoWay::Site(_)), is_site, "{status}: {why}");
        }
        for reply in 1..=9 {
            let why = talk("socks5h://p.test", name(), &[&[5, 0], &[5, reply]]).1.unwrap();
            assert_eq!(matches!(why, NoWay::Site(_)), (3..=6).contains(&reply), "{reply}: {why}");
        }
        for (proxy, answers) in [
            ("http://p.test", &[&b"SSH-2.0\r\n\r\n"[..]][..]),
            ("http://p.test", &[b"HTTP/1.1 2x0\r\n\r\n"]),
            ("http://p.test", &[b"HTTP/2 200\r\n\r\n"]),
            ("socks5://p.test", &[&[4, 0]]),
            ("socks5://p.test", &[&[5, 255]]),
            ("socks5://p.test", &[&[5, 2]]),
            ("socks5://u:p@p.test", &[&[5, 2], &[1, 1]]),
            ("socks5://p.test", &[&[5, 0], &[4]]),
            ("socks5://p.test", &[&[5, 0], &[5, 0, 0, 9]]),
        ] {
            assert!(matches!(talk(proxy, name(), answers).1, Some(NoWay::Ours(_))), "{proxy} {answers:?}");
        }
    }

    /// A proxy's answer, its user and a name have longest lengths: [retrieve.proxy]
    #[test]
    fn bounded_talk() {
        for (length, fits) in [(16_383, true), (16_384, true), (16_385, false)] {
            let front = "HTTP/1.1 200 OK\r\nX: ";
            let answer = format!("{front}{}\r\n\r\n", "y".repeat(length - front.len() - 4));
            let why = talk("http://p.test", name(), &[answer.as_bytes()]).1;
            assert_eq!(why.is_none(), fits, "{length}");
        }
        for (length, fits) in [(254, true), (255, true), (256, false)] {
            let target = Target::Name("a".repeat(length), 80);
            assert_eq!(Tunnel::new(&"socks5h://p.test".parse().unwrap(), target).is_ok(), fits, "{length}");
            let long = "u".repeat(length);
            assert_eq!(format!("http://{long}:p@p.test").parse::<Proxy>().is_ok(), fits, "{length}");
            assert_eq!(format!("http://u:{long}@p.test").parse::<Proxy>().is_ok(), fits, "{length}");
        }
        assert_eq!(Tunnel::MAX_HEARD, 16_384);
    }
}
