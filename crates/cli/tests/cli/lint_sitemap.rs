//! `robosieve lint --sitemap`

use std::time::Instant;

use crate::common::{Dir, gzip};

const ROBOTS: &str = "User-agent: *\nDisallow: /old/\nUser-agent: Bingbot\nDisallow: /b/\n";

fn urlset<U: AsRef<str>>(urls: &[U]) -> String {
    let entries: String = urls.iter().map(|url| format!("<url><loc>{}</loc></url>\n", url.as_ref())).collect();
    format!("<?xml version='1.0'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n{entries}</urlset>\n")
}

fn index<U: AsRef<str>>(urls: &[U]) -> String {
    urlset(urls).replace("urlset", "sitemapindex").replace("url>", "sitemap>")
}

/// The lines and messages of the warnings, for one sitemap.
fn closed(dir: &Dir, sitemap: impl AsRef<[u8]>, code: i32) -> (Vec<(u64, String)>, String) {
    dir.write("map.xml", sitemap);
    let args = ["lint", "--format", "json", "--only", "sitemap-url-closed", "robots.txt", "--sitemap", "map.xml"];
    let ran = dir.run(&args).code(code);
    let lints = ran.one_json()["lints"].as_array().unwrap().clone();
    let told = lints.iter().map(|lint| (lint["line"].as_u64().unwrap(), lint["message"].as_str().unwrap().to_owned()));
    (told.collect(), ran.err().to_owned())
}

/// [lint.sitemap] [cmd.lint.sitemap]
#[test]
fn lines_that_close_urls_of_a_sitemap_are_reported() {
    let dir = Dir::with(ROBOTS);
    let map = urlset(&[
        "https://e.com/",
        "https://e.com/old/a",
        "https://E.com:443/old/x?a&amp;b",
        " \nhttps://e.com/b/1\n",
        "https://f.com/old/",
        "/old/",
        "<![CDATA[https://e.com/old/c]]>",
        "https://e.com/&#111;ld/d",
    ]);
    let (told, err) = closed(&dir, map.replace("E.com:443", "E.com"), 0);
    let expected = [
        (
            2,
            "this line closes 4 URLs of a sitemap to crawlers without a group, Googlebot: `https://e.com/old/a` of map.xml is the first",
        ),
        (4, "this line closes 1 URL of a sitemap to Bingbot: `https://e.com/b/1` of map.xml is the first"),
    ];
    assert_eq!(told, expected.map(|(line, message)| (line, message.to_owned())));
    assert!(err.contains("2 URLs of the sitemaps: no URL of the site"), "{err}");
    dir.run(&["lint", "robots.txt", "--sitemap", "map.xml", "--fail-on", "warning"]).code(1);
    dir.run(&["lint", "robots.txt", "--sitemap", "map.xml", "--base-url", "https://f.com"]).code(0);
    // Only the address of an entry counts.
    let image =
        "<url><loc>https://e.com/a</loc><image:image><image:loc>https://e.com/old/i</image:loc></image:image></url>";
    let deep = "<x><loc>https://e.com/old/</loc></x><url><x><loc>https://e.com/old/</loc></x></url><loc>https://e.com/old/</loc>";
    let (told, _) = closed(&dir, urlset(&[""; 0]).replace("</urlset>", &format!("{image}{deep}</urlset>")), 0);
    assert_eq!(told, []);
    // A comment silences it.
    let quiet = ROBOTS.replace("/old/", "/old/ # robosieve: ignore sitemap-url-closed");
    dir.write("robots.txt", quiet);
    assert_eq!(closed(&dir, &map, 0).0.len(), 1);
    for (args, words) in [
        (&["robots.txt", "--sitemap", "nosuch.xml"][..], "nosuch.xml"),
        (&["robots.txt", "map.xml", "--sitemap", "map.xml"], "name one robots.txt"),
        (&[".", "--sitemap", "map.xml"], "name one robots.txt"),
        (&["-", "--sitemap", "-"], "read only once"),
        (&["robots.txt", "--sitemap", "map.xml", "--fix"], "cannot be used with"),
    ] {
        dir.run(&[&["lint"], args].concat()).fails(2, &[words]);
    }
}

/// [cmd.lint.sitemap]
#[test]
fn an_index_is_followed_on_the_disk_once() {
    let dir = Dir::with(ROBOTS);
    dir.write("a.xml.gz", gzip(urlset(&["https://e.com/old/1"]).as_bytes()));
    dir.write("b.xml", index(&["https://e.com/c.xml", "https://e.com/map.xml"]));
    dir.write("c.xml", urlset(&["https://e.com/old/2"]));
    let (told, err) = closed(&dir, index(&["https://e.com/x/a.xml.gz?v=1", "https://e.com/a.xml.gz"]), 0);
    assert_eq!((told.len(), told[0].1.contains("closes 1 URL"), err.as_str()), (1, true, ""));
    // Indexes in an index, itself, a way out, and what is missing.
    let (told, err) = closed(&dir, index(&["https://e.com/b.xml", "https://e.com/map.xml"]), 2);
    assert_eq!((told.len(), err.matches("an index in an index is not read").count()), (0, 2), "{err}");
    let bad = ["https://e.com/", "..", "https://e.com/..%5c", "C:\\x", "/nosuch.xml", "/a.xml.gz"];
    let (told, err) = closed(&dir, index(&bad), 2);
    assert_eq!((told.len(), err.matches("no name of a file").count()), (1, 3), "{err}");
    assert!(err.contains("nosuch.xml is not next to it"), "{err}");
    for (count, told) in [(9, 9), (10, 10), (11, 11)] {
        let names: Vec<String> = (0..count).map(|name| format!("/n{name}.xml")).collect();
        let (_, err) = closed(&dir, index(&names), 2);
        assert_eq!(err.matches("is not next to it").count(), told.min(10), "{err}");
        assert_eq!(err.contains("1 more of its sitemaps were not read"), told > 10, "{err}");
    }
}

/// [cmd.lint.sitemap]
#[test]
fn a_text_has_a_url_on_each_line() {
    let dir = Dir::with(ROBOTS);
    let text = "\u{feff}https://e.com/\r\nhttps://e.com/old/1\r\n\n HTTPS://e.com/old/2 \nhttps://e.com/b/3";
    let mac = " \rhttps://e.com/\rhttps://e.com/old/1\r\rHTTPS://e.com/old/2\rhttps://e.com/b/3\r";
    for text in [text.as_bytes(), &gzip(text.as_bytes()), mac.as_bytes()] {
        let (told, err) = closed(&dir, text, 0);
        assert_eq!((told.len(), told[0].1.contains("closes 2 URLs"), err.as_str()), (2, true, ""), "{told:?}");
    }
    for between in ["\r", " ", "\u{2028}", "\u{1}"] {
        let text = format!("https://e.com/old/1\nhttps://e.com/a{between}https://e.com/old/2\n");
        let (told, err) = closed(&dir, text, 2);
        assert!(told[0].1.contains("closes 1 URL") && err.contains("line 2"), "{told:?} {err}");
    }
    let url = "https://e.com/old/";
    for (urls, code) in [(49_999, 0), (50_000, 0), (50_001, 2)] {
        let (told, err) = closed(&dir, format!("{url}\n").repeat(urls), code);
        assert!(told[0].1.contains(&format!("closes {} URLs", urls.min(50_000))), "{told:?}");
        assert_eq!(err.contains("more than 50000 entries"), code == 2, "{err}");
    }
    for (length, is_one) in [(2_047, true), (2_048, true), (2_049, false)] {
        let text = format!("https://e.com/\n{url}{}", "x".repeat(length - url.len()));
        assert_eq!(closed(&dir, text, 0).0.len(), usize::from(is_one), "{length}");
    }
    for (blanks, is_whole) in [((50 << 20) - 1, true), (50 << 20, true), ((50 << 20) + 1, false)] {
        let text = format!("{url}{}", "\n".repeat(blanks - url.len()));
        let (told, err) = closed(&dir, text, if is_whole { 0 } else { 2 });
        assert_eq!((told.len(), err.is_empty()), (1, is_whole), "{err}");
    }
}

/// What is broken is reported, and what stands before it is asked. [cmd.lint.sitemap]
#[test]
fn hostile_sitemaps_are_bounded() {
    let dir = Dir::with(ROBOTS);
    let map = urlset(&["https://e.com/old/1", "https://e.com/old/2"]);
    let started = Instant::now();
    let mut wrong = gzip(map.as_bytes());
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    let half = gzip(map.as_bytes());
    let bomb =
        "<!DOCTYPE urlset [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY x SYSTEM 'file:///etc/passwd'>]>";
    let with = |part: &str| map.replace("</urlset>", &format!("{part}</urlset>"));
    let cases: [(Vec<u8>, usize, i32, &str); 15] = [
        (wrong, 0, 2, "does not have a matching checksum"),
        (half[..half.len() - 9].to_vec(), 0, 2, "map.xml"),
        (gzip(&vec![b' '; 60 << 20]), 0, 2, "more than 52428800 bytes"),
        (format!("{bomb}{map}").into_bytes(), 1, 0, ""),
        (
            format!("{bomb}{}", with("<url><loc>https://e.com/&b;</loc></url>")).into_bytes(),
            1,
            2,
            "an entity that XML does not define",
        ),
        (
            with(&format!("<url><loc>https://e.com/old/{}</loc></url>", "x".repeat(20 << 20))).into_bytes(),
            1,
            0,
            "1 URL of the sitemaps",
        ),
        (with(&format!("<!--{}-->", "-x".repeat(9 << 20))).into_bytes(), 1, 0, ""),
        (with(&"<a>".repeat(3 << 20)).into_bytes(), 1, 2, "not whole XML"),
        (map.replace("</urlset>", "").into_bytes(), 1, 2, "it ends too early"),
        (map.replace("</urlset>", "</b>").into_bytes(), 1, 2, "not whole XML"),
        (b"<html><body>404</body></html>".to_vec(), 0, 2, "its root is <html>"),
        (b"https://e.com/old/1\n<urlset>\nhttps://e.com/old/2".to_vec(), 1, 2, "line 2, `<urlset>`, is not an http"),
        (b"e.com/old/1\n".to_vec(), 0, 2, "it has no element"),
        (Vec::new(), 0, 2, "it has no element"),
        (b"<urlset/>".to_vec(), 0, 0, "the sitemaps have no URL"),
    ];
    for (bytes, count, code, words) in cases {
        let (told, err) = closed(&dir, &bytes, code);
        assert_eq!(told.len(), count, "{words}: {err}");
        assert!(err.contains(words) && err.len() < 1_000, "{words}: {err}");
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    for (urls, code) in [(49_999, 0), (50_000, 0), (50_001, 2)] {
        let (told, err) = closed(&dir, urlset(&vec!["https://e.com/old/"; urls]), code);
        assert!(told[0].1.contains(&format!("closes {} URLs", urls.min(50_000))), "{told:?}");
        assert_eq!(err.contains("more than 50000 entries"), code == 2, "{err}");
    }
    for (length, is_one) in [(2_047, true), (2_048, true), (2_049, false)] {
        let url = format!("https://e.com/old/{}", "x".repeat(length - 18));
        assert_eq!(closed(&dir, urlset(&["https://e.com/", &url]), 0).0.len(), usize::from(is_one), "{length}");
    }
    for (blanks, is_whole) in [((50 << 20) - 1, true), (50 << 20, true), ((50 << 20) + 1, false)] {
        let map = urlset(&["https://e.com/old/1"]);
        let fill = " ".repeat(blanks - map.len());
        let (told, err) = closed(&dir, map + &fill, if is_whole { 0 } else { 2 });
        assert_eq!((told.len(), err.is_empty()), (1, is_whole), "{err}");
    }
}
