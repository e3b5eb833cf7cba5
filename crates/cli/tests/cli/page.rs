//! `page`: its server on loopback.

use std::path::Path;
use std::process::Stdio;

use crate::common::Dir;
use crate::serving::{RULES, Service, Site, answer};

impl Service {
    fn page(file: &Path, args: &[&str]) -> Self {
        let own = ["page", file.to_str().unwrap()];
        Self::start(&[&own[..], args].concat(), Stdio::null())
    }

    fn retrieve(&self, url: &str, fields: &str) -> String {
        let (host, length) = (&self.host, url.len());
        self.send(&format!("POST /retrieve HTTP/1.1\r\nHost: {host}\r\n{fields}Content-Length: {length}\r\n\r\n{url}"))
    }
}

const OWN: &str = "robosieve-page: 1\r\n";

fn file(dir: &Dir) -> std::path::PathBuf {
    dir.write("robosieve.html", "<html lang=\"en\"><p>page</p>");
    dir.path("robosieve.html")
}

/// [cmd.page]
#[test]
fn it_serves_the_page_and_nothing_else() {
    let dir = Dir::new();
    let page = Service::page(&file(&dir), &[]);
    assert!(page.host.starts_with("127.0.0.1:"));
    for path in ["/", "/?x"] {
        let found = page.get(path);
        let is_page = found.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/html");
        assert!(is_page && found.ends_with("<html lang=\"en\" data-live><p>page</p>"), "{found}");
    }
    for path in ["/robosieve.html", "/../secret.txt", "/%2e%2e/secret.txt", "//"] {
        assert!(page.get(path).starts_with("HTTP/1.1 404 "), "{path}");
    }
    assert!(page.send(&format!("DELETE / HTTP/1.1\r\nHost: {}\r\n\r\n", page.host)).starts_with("HTTP/1.1 405 "));
}

/// Another name that leads to this machine gets nothing, and neither does what is no request. [cmd.page]
#[test]
fn only_its_own_host_is_answered() {
    let dir = Dir::new();
    let page = Service::page(&file(&dir), &[]);
    let port = page.host.split(':').nth(1).unwrap();
    assert!(page.send(&format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")).starts_with("HTTP/1.1 200 "));
    for host in [&format!("evil.example:{port}"), "127.0.0.1", "localhost", &format!("127.0.0.1:{port}.evil.example")] {
        assert!(page.send(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).starts_with("HTTP/1.1 403 "), "{host}");
    }
    let two = format!("GET / HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\n\r\n", page.host);
    let long = |size: usize| format!("GET / HTTP/1.1\r\nHost: {}\r\nA: {}\r\n\r\n", page.host, "a".repeat(size));
    for request in ["x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", &two, "\u{16}\u{3}\u{1}", &long(70_000)] {
        let found = page.send(request);
        assert!(found.is_empty() || found.starts_with("HTTP/1.1 4"), "{found}");
    }
    assert!(page.send(&long(60_000)).starts_with("HTTP/1.1 200 "));
}

/// [cmd.page]
#[test]
fn live_files_are_retrieved_for_the_page_alone() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = Service::page(&file(&dir), &["--allow-private"]);
    let found = page.retrieve(&site.url("/any"), OWN);
    assert!(found.starts_with("HTTP/1.1 200 OK\r\n") && found.ends_with(RULES), "{found}");
    assert!(found.contains("\"access\":\"rules\"") && found.contains("rules (status 200, the file)"), "{found}");
    // Pages of other sites cannot send the field.
    for fields in ["", "robosieve-page: 0\r\n"] {
        assert!(page.retrieve(&site.url("/"), fields).starts_with("HTTP/1.1 403 "));
    }
    assert_eq!(site.requests().len(), 1);
    assert!(page.retrieve("mailto:a@b", OWN).starts_with("HTTP/1.1 400 "));
    let most =
        |size: usize| page.retrieve(&format!("{}{}", site.url("/"), "a".repeat(size - site.url("/").len())), OWN);
    assert_eq!([3_999, 4_000, 4_001].map(|size| most(size)[9..12].to_owned()), ["200", "200", "413"]);
}

/// A site without a file, or that fails, is answered with what crawlers do then; the gate's tests have each status.
/// [cmd.page.found]
#[test]
fn what_came_instead_of_a_file_is_an_answer() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = Service::page(&file(&dir), &["--allow-private"]);
    let web_page = "<!doctype html><html></html>\n";
    for (status, body, access, class, shown) in [
        (404, "no", "allow", "no-file", ""),
        (403, RULES, "allow", "forbidden", ""),
        (301, RULES, "allow", "redirect", ""),
        (204, "", "deny", "no-content", ""),
        (503, RULES, "deny", "server-error", ""),
        (200, web_page, "allow", "not-robots-txt", web_page),
        (200, "", "rules", "success", ""),
    ] {
        site.says(answer(status, "", body));
        let found = page.retrieve(&site.url("/"), OWN);
        let (line, below) = found.split_once("\r\n\r\n").unwrap().1.split_once('\n').unwrap();
        assert!(found.starts_with("HTTP/1.1 200 OK\r\n"), "{found}");
        assert!(line.starts_with(&format!("{{\"v\":1,\"access\":\"{access}\"")), "{line}");
        assert!(line.contains(&format!("\"class\":\"{class}\"")), "{line}");
        assert_eq!(below, shown, "{found}");
    }
}

/// The guard holds here too. [cmd.page]
#[test]
fn private_addresses_are_refused() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = Service::page(&file(&dir), &[]);
    let found = page.retrieve(&site.url("/"), OWN);
    assert!(found.contains("\"access\":\"unknown\"") && found.contains("a loopback address"), "{found}");
    assert!(site.requests().is_empty());
}

/// [cmd.page]
#[test]
fn without_the_page_it_says_where_it_is() {
    let dir = Dir::with("User-agent: *\n");
    dir.run(&["page", "robots.txt"]).fails(2, &["not the page", "bindings/wasm/build"]);
    dir.run(&["page", "no-such"]).fails(2, &["no-such"]);
}
