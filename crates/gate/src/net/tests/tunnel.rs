//! Tests of `tunnel`.

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
    let (said, end) = talk("http://a%3Ab:c@p.test", None, b"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n\r\n")?;
    assert!(said.starts_with(b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n") && end.is_ok());
    assert!(said.ends_with(b"\r\nProxy-Authorization: Basic YTpiOmM=\r\n\r\n"));
    for (status, is_site) in
        [(502, true), (503, true), (504, true), (407, false), (403, false), (302, false), (500, false)]
    {
        let end = talk("http://p.test", None, format!("HTTP/1.1 {status} x\r\n\r\n").as_bytes())?.1;
        assert_eq!(matches!(end, Err(NoWay::Site(_))), is_site, "{status}: {end:?}");
    }
    let (said, end) = talk("socks5h://u:pw@p.test", None, &[&[5, 2, 1, 0, 5, 0, 0, 3, 1, b'x', 0, 0][..]].concat())?;
    assert_eq!(
        (said.as_slice(), end),
        (&b"\x05\x02\x00\x02\x01\x01u\x02pw\x05\x01\x00\x03\x06a.test\x01\xbb"[..], Ok(()))
    );
    let (said, end) = talk("socks5://p.test", Some("192.0.2.1:80"), &[5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    assert_eq!((said.as_slice(), end), (&[5, 1, 0, 5, 1, 0, 1, 192, 0, 2, 1, 0, 80][..], Ok(())));
    for reply in 1..=9 {
        let end = talk("socks5h://p.test", None, &[5, 0, 5, reply])?.1;
        assert_eq!(matches!(end, Err(NoWay::Site(_))), (3..=6).contains(&reply), "{reply}: {end:?}");
    }
    let endless = [&b"HTTP/1.1 200 OK\r\nX: "[..], &vec![b'y'; 20_000]].concat();
    for answer in [&b"SSH-2.0\r\n\r\n"[..], b"HTTP/2 200\r\n\r\n", b"", &endless] {
        assert!(matches!(talk("http://p.test", None, answer)?.1, Err(NoWay::Ours(_))), "{answer:?}");
    }
    for answer in [&[4, 0][..], &[5, 255], &[5, 2], &[5, 0, 4, 0], &[5, 0, 5, 0, 0, 9]] {
        assert!(matches!(talk("socks5://p.test", None, answer)?.1, Err(NoWay::Ours(_))), "{answer:?}");
    }
    Ok(())
}
