//! What a client says to a proxy, and what it answers, before a connection goes through it.
//!
//! Invariant: nothing is read of what the server at the other end sends. What a proxy says of the server is the site's
//! trouble only where the proxy says so; any other trouble of a proxy is ours.

use std::io;
use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use url::Url;

use crate::net::addresses::To;
use crate::net::trouble::{NoWay, Whose};
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
        NoWay(Whose::Ours, format!("{}: {why}", self.proxy))
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
                    return Err(NoWay(Whose::Site, format!("it cannot reach the host (status {status})")));
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
                let long = |_| NoWay(Whose::Site, "the name of the host is too long".into());
                let length = u8::try_from(name.len()).map_err(long)?;
                ([&[3, length], name.as_bytes()].concat(), url.port_or_known_default().unwrap_or_default())
            }
        };
        self.send(&[&[5, 1, 0], address.as_slice(), &port.to_be_bytes()].concat()).await?;
        match (self.byte().await?, self.byte().await?) {
            (5, 0) => {}
            (5, 2) => return Err(self.ours("it does not allow this connection")),
            (5, 3) => return Err(NoWay(Whose::Site, "it cannot reach the network of the host".into())),
            (5, 4) => return Err(NoWay(Whose::Site, "it cannot reach the host".into())),
            (5, 5) => return Err(NoWay(Whose::Site, "the host refused its connection".into())),
            (5, 6) => return Err(NoWay(Whose::Site, "the host is too far away".into())),
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
mod tests {
    use super::*;
    use tokio::io::duplex;

    type Said = (Vec<u8>, Result<(), NoWay>);

    /// What is said to a proxy that answers this to any request, and how it ends.
    fn talk(proxy: &str, to: Option<&str>, answer: &[u8]) -> Result<Said, Box<dyn std::error::Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let (proxy, url): (Proxy, Url) = (proxy.parse()?, "https://a.test/robots.txt".parse()?);
        let to = to.map_or(Ok(To::ByProxy), |to| to.parse().map(To::Address))?;
        runtime.block_on(async {
            let (mut here, mut there) = duplex(65_536);
            there.write_all(answer).await?;
            // Who waits for more has the end.
            there.shutdown().await?;
            let end = open(&mut here, &proxy, &url, to).await;
            drop(here);
            let mut said = Vec::new();
            there.read_to_end(&mut said).await?;
            Ok((said, end))
        })
    }

    /// Only what a proxy says of the server is the site's: [retrieve.proxy] [retrieve.own-trouble]
    #[test]
    fn whose_trouble_it_is() -> Result<(), Box<dyn std::error::Error>> {
        let (said, end) =
            talk("http://a%3Ab:c@p.test", None, b"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n\r\n")?;
        assert!(said.starts_with(b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n") && end.is_ok());
        assert!(said.ends_with(b"\r\nProxy-Authorization: Basic YTpiOmM=\r\n\r\n"));
        for (status, is_site) in
            [(502, true), (503, true), (504, true), (407, false), (403, false), (302, false), (500, false)]
        {
            let end = talk("http://p.test", None, format!("HTTP/1.1 {status} x\r\n\r\n").as_bytes())?.1;
            assert_eq!(matches!(end, Err(NoWay(Whose::Site, _))), is_site, "{status}: {end:?}");
        }
        let (said, end) =
            talk("socks5h://u:pw@p.test", None, &[&[5, 2, 1, 0, 5, 0, 0, 3, 1, b'x', 0, 0][..]].concat())?;
        assert_eq!(
            (said.as_slice(), end),
            (&b"\x05\x02\x00\x02\x01\x01u\x02pw\x05\x01\x00\x03\x06a.test\x01\xbb"[..], Ok(()))
        );
        let (said, end) = talk("socks5://p.test", Some("192.0.2.1:80"), &[5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
        assert_eq!((said.as_slice(), end), (&[5, 1, 0, 5, 1, 0, 1, 192, 0, 2, 1, 0, 80][..], Ok(())));
        for reply in 1..=9 {
            let end = talk("socks5h://p.test", None, &[5, 0, 5, reply])?.1;
            assert_eq!(matches!(end, Err(NoWay(Whose::Site, _))), (3..=6).contains(&reply), "{reply}: {end:?}");
        }
        let endless = [&b"HTTP/1.1 200 OK\r\nX: "[..], &vec![b'y'; 20_000]].concat();
        for answer in [&b"SSH-2.0\r\n\r\n"[..], b"HTTP/2 200\r\n\r\n", b"", &endless] {
            assert!(matches!(talk("http://p.test", None, answer)?.1, Err(NoWay(Whose::Ours, _))), "{answer:?}");
        }
        for answer in [&[4, 0][..], &[5, 255], &[5, 2], &[5, 0, 4, 0], &[5, 0, 5, 0, 0, 9]] {
            assert!(matches!(talk("socks5://p.test", None, answer)?.1, Err(NoWay(Whose::Ours, _))), "{answer:?}");
        }
        Ok(())
    }
}
