//! No string from outside can begin a new line: the commands that request sites, with hostile strings in arguments,
//! in URLs, in stores and in responses of servers.

use std::fs;

use crate::common::{Dir, HOSTILE};
use crate::serving::{Site, WHO, answer};

const ALLOW: &str = "--allow-private";

/// Agents, user agents, URLs and other arguments. No request reaches a server. [harmless.lines] [harmless.bytes]
/// [cmd.terminal]
#[test]
fn arguments_begin_no_line() {
    let options = "--policy --dialect --timeout --connect-timeout --max-redirects --max-failures --cache-max --delay \
        --adaptive --allow-net --root-cert --resolve --resolve=@:80:127.0.0.1 --resolve=e.com:80 --store=no/@ --jobs --@";
    for hostile in HOSTILE {
        let dir = Dir::with("no certificate, and no store");
        let with = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| arg.replace('@', hostile)).collect();
            dir.tried(&args.iter().map(String::as_str).collect::<Vec<_>>(), b"");
        };
        for option in options.split_whitespace() {
            let option = if option.contains('=') { option.to_owned() } else { format!("{option}=@") };
            with(&["check", "http://e.invalid/", "--agent", WHO, &option]);
        }
        with(&["check", "--agent", "@", "http://e.invalid/"]);
        with(&["check", "--agent", "@", "--user-agent", WHO, "--store", "robots.txt"]);
        with(&["check", "--agent", WHO, "--user-agent", "@"]);
        with(&["check", "--agent", "@://", "http://e.invalid/"]);
        let (agent, url) = (format!("{hostile}/1 (@)"), format!("http://{hostile}/"));
        for args in [
            &["fetch", hostile][..],
            &["fetch", &url, hostile],
            &["fetch", "--agent", hostile, "ftp://e.com/"],
            &["fetch", "--agent", &agent, "ftp://e.com/"],
            &["fetch", "--raw", hostile, "http://a/", "http://b/"],
            &["fetch", "--root-cert", hostile, "http://127.0.0.1:1/"],
            &["check", "--agent", WHO, hostile, &url],
            &["check", "--agent", WHO, "--json", hostile, &url],
            &["site", hostile, "--store", "robots.txt"],
            &["site", &url, "--store", hostile],
            &["site", &url, "--clear", "--store", "robots.txt"],
        ] {
            dir.tried(args, b"");
        }
        let site = Site::good();
        for agent in ["@", "@ (compatible; @)"] {
            let agent = agent.replace('@', hostile);
            let page = site.url("/");
            let ran = dir.tried(&["check", ALLOW, "--agent", &agent, "--user-agent", WHO, &page], b"").ok();
            assert!(ran.err().contains("(rules for "), "{}", ran.err());
            dir.tried(&["fetch", ALLOW, "--agent", &agent, "--user-agent", WHO, "--json", &page], b"").ok();
        }
    }
}

/// Files that are not stores, lists or certificates, and outputs. [harmless.lines] [harmless.bytes] [cmd.site]
#[test]
fn names_of_files_begin_no_line() {
    let (site, gone) = (Site::good(), Site::new(answer(404, "", "")));
    for hostile in HOSTILE {
        let dir = Dir::new();
        // Some file systems do not allow such a name.
        if fs::write(dir.path(hostile), "User-agent: *\n").is_err() {
            continue;
        }
        let folder = format!("d{hostile}");
        fs::create_dir_all(dir.path(&folder)).unwrap();
        let page = site.url("/");
        for name in [hostile, &folder, &format!("no/{hostile}"), &format!("{hostile}/x")] {
            for args in [
                &["site", "e.com", "--store", name][..],
                &["site", "e.com", "--clear", "--store", name],
                &["check", "--agent", WHO, &page, "--store", name],
                &["check", ALLOW, "--agent", WHO, &page, "--root-cert", name],
                &["fetch", ALLOW, &gone.url("/"), "--raw", name],
            ] {
                dir.tried(args, b"");
            }
        }
        let ran = dir.tried(&["fetch", ALLOW, &page, "--raw", &folder], b"");
        assert!(ran.code == Some(2) && ran.err().contains("is a directory"), "{}", ran.err());
        let store = format!("s{hostile}");
        dir.tried(&["check", ALLOW, "--agent", WHO, &page, "--store", &store], b"").ok();
        let mut bytes = fs::read(dir.path(&store)).unwrap();
        // `user_version` in the header of the file.
        bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
        fs::write(dir.path(&store), bytes).unwrap();
        dir.tried(&["site", "e.com", "--store", &store], b"").fails(2, &["newer robosieve"]);
    }
}

/// URLs from a list. [harmless.lines] [harmless.json] [cmd.check]
#[test]
fn urls_begin_no_line() {
    let (dir, site) = (Dir::new(), Site::good());
    for hostile in HOSTILE {
        let mut urls =
            ["@", "http://@/", "http://e.com:@/", "ftp://@", "/@"].map(|url| url.replace('@', hostile)).to_vec();
        urls.push(site.url(&format!("/{hostile}")));
        urls.push(site.url(&format!("/private{hostile}?{hostile}")));
        let input = urls.join("\n") + "\n";
        let bytes = [input.as_bytes(), b"\xff\x1b[2J\x9b\n", &[0x1B; 16_001], b"\n"].concat();
        for args in [&[][..], &["--json"], &["-q"], &["--jobs=8"]] {
            let check = ["check", ALLOW, "--agent", WHO, "--delay", "0", "--min-delay", "0", "-"];
            assert_eq!(dir.tried(&[&check, args].concat(), &bytes).code, Some(3));
        }
        let page = site.url(&format!("/private{hostile}"));
        dir.tried(&["check", ALLOW, "--agent", WHO, "--json", &page], b"").code(1);
    }
}

/// The responses of a server: status line, header lines, addresses, codings, bodies. [harmless.lines]
/// [harmless.bytes] [cmd.terminal]
#[test]
fn servers_begin_no_line() {
    let dir = Dir::new();
    let answers = [
        "HTTP/1.1 200 @\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 503 @\r\nRetry-After: @\r\n\r\n",
        "HTTP/1.1 @\r\n\r\n",
        "@\r\n\r\n",
        "HTTP/1.1 200 OK\r\n@: @\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: @\r\nCache-Control: max-age=@\r\nExpires: @\r\nDate: @\r\nAge: @\r\n\r\n@",
        "HTTP/1.1 200 OK\r\nContent-Encoding: @\r\n\r\n@",
        "HTTP/1.1 200 OK\r\nContent-Length: @\r\n\r\n@",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n@\r\n@",
        "HTTP/1.1 302 Found\r\nLocation: /@\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: http://@/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: @://@\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /@\nSitemap: http://e.com/@\nCrawl-delay: @\n@: @\n",
    ];
    let site = Site::new("");
    let page = site.url("/");
    for hostile in HOSTILE {
        // Unchanged, which ends the header early, and with everything that a header line can contain.
        for evil in [hostile.to_owned(), hostile.replace(['\r', '\n'], "")] {
            for sent in answers {
                site.says(sent.replace('@', &evil));
                // Only one round: a second one would wait two seconds and get the same response.
                let fetch = ["fetch", ALLOW, "--timeout", "1.5", &page];
                let ran = dir.tried(&fetch, b"");
                assert!(ran.err().contains("status") || ran.err().contains("127.0.0.1"), "{}", ran.err());
                dir.tried(&[&fetch[..], &["--json"]].concat(), b"").one_json();
            }
        }
    }
}

/// A store that was changed by hand: valid and invalid rows. [harmless.lines] [harmless.bytes] [cmd.site]
#[test]
fn stores_begin_no_line() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "", "User-agent: *\nDisallow: /marked\nDisallow: /x\n")));
    let who = "MarkedBot/1.0 (+https://example.com/bot)";
    let page = site.url("/marked");
    dir.run(&["check", ALLOW, "--agent", who, &page, "--store", "s"]).code(1);
    let whole = fs::read(dir.path("s")).unwrap();
    // Of the same length, so that the database stays valid. The lines of the text are shown indented.
    for (from, to) in [
        ("markedbot", "\nF0RGED\r\n"),
        ("markedbot", "\u{2028}F0RGED"),
        ("/marked", "\nX0RGED"),
        ("/marked", "/\u{1b}[2J\u{7}\r"),
        ("\nDisallow", "\nX0RGED:\r"),
        ("http://127", "\nF0RGED\u{1b}\r\n"),
        ("http://127", "http:\n/\u{1b}F0"),
        ("\"findings\"", "\"F0RGED\u{1b}\r\""),
        ("success", "\nF0RGED"),
    ] {
        assert_eq!(from.len(), to.len(), "{from}");
        dir.write("s", replaced(&whole, from.as_bytes(), to.as_bytes()));
        for args in [
            &["site", "--store", "s", &page][..],
            &["site", "--store", "s", &page, "--json"],
            &["check", ALLOW, "--agent", who, &page, "--store", "s"],
            &["check", ALLOW, "--agent", who, &page, "--store", "s", "--json"],
            &["site", "--store", "s", &page, "--clear"],
        ] {
            dir.tried(args, b"");
        }
    }
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len().saturating_sub(from.len()) {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}
