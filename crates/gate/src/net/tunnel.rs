//! What a client says to a proxy, and what it answers, before a connection goes through it.
//!
//! Invariant: nothing that the server behind the proxy sends is read. What a proxy says of the server is the site's
//! trouble only where the proxy says so; any other trouble of a proxy is ours.

use std::io;
use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use url::Url;

use crate::net::addresses::To;
use crate::net::trouble::NoWay;
use crate::retrieve::proxy::{Proxy, User};

/// The most bytes of a proxy's answer. Our choice.
const MAX_HEARD: usize = 16_384;

/// Has the proxy connect to the address, or else to the name in the URL.
pub(super) async fn open<S>(stream: &mut S, proxy: &Proxy, url: &Url, to: To) -> Result<(), NoWay>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut talk = Talk { stream, proxy, heard: 0 };
    match proxy.scheme {
        "http" => talk.connect(proxy.user.as_ref(), url, to).await,
        _ => talk.socks(proxy.user.as_ref(), url, to).await,
    }
}

struct Talk<'t, S> {
    stream: &'t mut S,
    proxy: &'t Proxy,
    heard: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Talk<'_, S> {
    fn ours(&self, why: &str) -> NoWay {
        NoWay::Ours(format!("{}: {why}", self.proxy))
    }

    async fn send(&mut self, bytes: &[u8]) -> Result<(), NoWay> {
        self.stream.write_all(bytes).await.map_err(|why| self.ours(&why.to_string()))
    }

    /// The next byte: what follows the proxy's answer is the server's, and stays where it is.
    async fn byte(&mut self) -> Result<u8, NoWay> {
        self.heard = self.heard.saturating_add(1);
        if self.heard > MAX_HEARD {
            return Err(self.ours("its answer is too long"));
        }
        self.stream.read_u8().await.map_err(|why| match why.kind() {
            io::ErrorKind::UnexpectedEof => self.ours("it closed the connection"),
            _ => self.ours(&why.to_string()),
        })
    }

    /// A tunnel by CONNECT (RFC 9110 9.3.6).
    async fn connect(&mut self, user: Option<&User>, url: &Url, to: To) -> Result<(), NoWay> {
        let to = match to {
            To::Address(address) => address.to_string(),
            To::ByProxy => {
                let port = url.port_or_known_default().unwrap_or_default();
                format!("{}:{port}", url.host_str().unwrap_or_default())
            }
        };
        let user = user.map_or(String::new(), |(name, password)| {
            let both = BASE64_STANDARD.encode([name.as_slice(), b":", password].concat());
            format!("Proxy-Authorization: Basic {both}\r\n")
        });
        self.send(format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n{user}\r\n").as_bytes()).await?;
        loop {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(self.byte().await?);
            }
            let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
            let line = str::from_utf8(line).ok().filter(|line| line.starts_with("HTTP/1."));
            match line.and_then(|line| line.split(' ').nth(1)?.parse::<u16>().ok()) {
                Some(200..=299) => return Ok(()),
                // An interim answer: the final one follows.
                Some(100..=199) => {}
                // A gateway says these of the server that it asks (RFC 9110 15.6.3 to 15.6.5).
                Some(status @ 502..=504) => {
                    return Err(NoWay::Site(format!("it cannot reach the host (status {status})")));
                }
                Some(407) => return Err(self.ours("it wants another user or password (status 407)")),
                Some(status) => return Err(self.ours(&format!("it refuses CONNECT (status {status})"))),
                None => return Err(self.ours("it does not speak HTTP")),
            }
        }
    }

    /// A connection by SOCKS5 (RFC 1928, RFC 1929).
    async fn socks(&mut self, user: Option<&User>, url: &Url, to: To) -> Result<(), NoWay> {
        self.send(if user.is_some() { &[5, 2, 0, 2] } else { &[5, 1, 0] }).await?;
        match (self.byte().await?, self.byte().await?, user) {
            (5, 0, _) => {}
            (5, 2, Some((name, password))) => {
                let one = |text: &[u8]| u8::try_from(text.len()).map_err(|_| self.ours("its user is too long"));
                let lengths = (one(name)?, one(password)?);
                self.send(&[&[1, lengths.0], name.as_slice(), &[lengths.1], password].concat()).await?;
                if (self.byte().await?, self.byte().await?).1 != 0 {
                    return Err(self.ours("it wants another user or password"));
                }
            }
            (5, ..) => return Err(self.ours("it wants another way to know the user")),
            _ => return Err(self.ours("it does not speak SOCKS5")),
        }
        let (address, port) = match to {
            To::Address(to) => match to.ip() {
                IpAddr::V4(address) => ([&[1][..], &address.octets()].concat(), to.port()),
                IpAddr::V6(address) => ([&[4][..], &address.octets()].concat(), to.port()),
            },
            To::ByProxy => {
                let name = url.host_str().unwrap_or_default();
                let long = |_| NoWay::Site("the name of the host is too long".into());
                let length = u8::try_from(name.len()).map_err(long)?;
                ([&[3, length], name.as_bytes()].concat(), url.port_or_known_default().unwrap_or_default())
            }
        };
        self.send(&[&[5, 1, 0], address.as_slice(), &port.to_be_bytes()].concat()).await?;
        match (self.byte().await?, self.byte().await?) {
            (5, 0) => {}
            (5, 2) => return Err(self.ours("it does not allow this connection")),
            (5, 3) => return Err(NoWay::Site("it cannot reach the network of the host".into())),
            (5, 4) => return Err(NoWay::Site("it cannot reach the host".into())),
            (5, 5) => return Err(NoWay::Site("the host refused its connection".into())),
            (5, 6) => return Err(NoWay::Site("the host is too far away".into())),
            (5, reply) => return Err(self.ours(&format!("it failed (reply {reply})"))),
            _ => return Err(self.ours("it does not speak SOCKS5")),
        }
        // A zero, and the address at the proxy: its kind, itself, two bytes of port.
        let length = match (self.byte().await?, self.byte().await?).1 {
            1 => 6,
            3 => u16::from(self.byte().await?).saturating_add(2),
            4 => 18,
            _ => return Err(self.ours("it does not speak SOCKS5")),
        };
        for _ in 0..length {
            self.byte().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/tunnel.rs"]
mod tests;
