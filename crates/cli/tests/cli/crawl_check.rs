//! `crawl-check` against servers on loopback.

use std::io::{BufRead as _, Write as _};
use std::time::{Duration, Instant};

use crate::common::{Dir, code_of};
use crate::serving::{Site, WHO, answer};

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["crawl-check", "--allow-private", "--agent", WHO], more].concat()
}

/// Answers in the order of the URLs, one retrieval for each site, and a summary: [cmd.crawl-check]
#[test]
fn answers_in_order() {
    let (dir, one, other) = (Dir::new(), Site::good(), Site::new(answer(404, "", "")));
    let mut urls = Vec::new();
    for number in 0..200 {
        urls.push(one.url(&format!("/{number}")));
        urls.push(other.url(&format!("/private/{number}")));
    }
    urls.extend([one.url("/private"), "no url".into(), "x".repeat(20_000)]);
    dir.write("urls.txt", urls.join("\n"));
    let ran = dir
        .run(&args(&["--files-from", "urls.txt", "--json", "--in-order", "--delay", "0.5", "--max-wait", "30"]))
        .code(3);
    let lines = ran.json();
    assert_eq!(lines.len(), 403);
    for (line, url) in lines.iter().zip(&urls).take(402) {
        assert_eq!(line["url"], url.as_str());
    }
    let verdicts: Vec<&str> = lines[400..].iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["denied", "unusable", "unusable"]);
    let late = lines.iter().filter(|line| line["why"] == "queue").count();
    assert!((300..345).contains(&late), "both URLs are of one host, with 60 slots in 30 s: {late}");
    assert_eq!((one.requests().len(), other.requests().len()), (1, 1));
    assert!(
        ran.err().contains("403 URLs checked: ")
            && ran.err().contains("robots.txt requested from 2 sites, 1 retrieved"),
        "{}",
        ran.err()
    );
}

/// Slots of one host are separated by its interval: [cmd.crawl-check]
#[test]
fn times_are_apart() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "", "User-agent: *\nCrawl-delay: 7\n")));
    let input: String = (0..50).map(|number| site.url(&format!("/{number}\n"))).collect();
    let ran = dir.run_with(&args(&["--json"]), input.as_bytes()).ok();
    let times: Vec<u64> = ran.json().iter().map(|line| line["at"].as_u64().unwrap()).collect();
    assert!(times.windows(2).all(|pair| (7_000..7_050).contains(&(pair[1] - pair[0]))), "{times:?}");
    let ran = dir.run_with(&args(&["--json", "--ignore-crawl-delay"]), input.as_bytes()).ok();
    let times: Vec<u64> = ran.json().iter().map(|line| line["at"].as_u64().unwrap()).collect();
    assert!(times.windows(2).all(|pair| (1_000..1_050).contains(&(pair[1] - pair[0]))), "{times:?}");
}

/// With --wait a URL is printed at its time, and --urls prints it as a client sends it: [cmd.crawl-check]
#[test]
fn waiting_for_the_time() {
    let (dir, site) = (Dir::new(), Site::good());
    let input = format!("\u{feff}{}\r\n{}\n{}\n", site.url("/a b#c"), site.url("/private"), site.url("/\u{e9}"));
    let began = Instant::now();
    let ran = dir.run_with(&args(&["--wait", "--urls", "--delay", "0.4"]), input.as_bytes()).code(1);
    assert!(began.elapsed() >= Duration::from_millis(400));
    assert_eq!(ran.out(), format!("{}\n{}\n", site.url("/a%20b"), site.url("/%C3%A9")));
}

#[cfg(target_os = "linux")]
/// A reader that stalls gets no burst afterwards. What counts is when its requests come to the server, also those of
/// what the pipe held: [cmd.wait-for-reader]
#[test]
fn a_stalled_reader_gets_no_burst() {
    // The delay, less what a scheduler takes.
    const GAP: Duration = Duration::from_millis(260);
    let (dir, site) = (Dir::new(), Site::good());
    let victim = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = victim.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        victim.incoming().take(12).map(|came| came.map(|_| Instant::now()).unwrap()).collect::<Vec<_>>()
    });
    let urls: String = (0..30).map(|number| format!("{}\n", site.url(&format!("/{number}")))).collect();
    dir.write("urls.txt", urls);
    let mut child = dir.spawn(&args(&["--files-from", "urls.txt", "--wait", "--urls", "-q", "--delay", "0.3"]));
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..12 {
        // It stalls for as long as several slots, and for less than one.
        let stall = [2_500, 0, 0, 1_200, 200, 0][number % 6];
        std::thread::sleep(Duration::from_millis(if number == 0 { 0 } else { stall }));
        let line = lines.next().unwrap().unwrap();
        assert!(line.ends_with(&format!("/{number}")), "{line}");
        std::net::TcpStream::connect(address).unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let came = server.join().unwrap();
    let gaps: Vec<Duration> = came.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| *gap > GAP), "{gaps:?}");
}

/// A reader that goes away ends the run, also while it holds lines: [cmd.wait-for-reader]
#[test]
fn a_reader_that_is_gone_ends_the_run() {
    let (dir, site) = (Dir::new(), Site::good());
    let urls: String = (0..600).map(|number| format!("{}\n", site.url(&format!("/{number}")))).collect();
    dir.write("urls.txt", urls);
    let mut child = dir.spawn(&args(&["--files-from", "urls.txt", "--wait", "-q", "--delay", "0.1"]));
    std::thread::sleep(Duration::from_millis(500));
    drop(child.stdout.take());
    let started = Instant::now();
    child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// Answers are not held back while the input pauses: [cmd.crawl-check]
#[test]
fn answers_come_while_the_input_pauses() {
    let (dir, site) = (Dir::new(), Site::good());
    let urls = ["/1", "/private", "/2"].map(|path| site.url(path));
    let answers = dir.run_in_turns(&args(&["-q"]), &urls, 1);
    assert!(answers.iter().zip(&urls).all(|(line, url)| line.contains(url)), "{answers:?}");
}

/// Many URLs of one host cost little, and a host that hangs does not delay requests to others: [cmd.crawl-check]
#[test]
fn many_urls() {
    let (dir, site) = (Dir::new(), Site::good());
    let mut input = String::new();
    for number in 0..20_000 {
        input.push_str(&site.url(&format!("/private/{number}\n")));
    }
    let ran = dir.run_with(&args(&["-q", "--json"]), input.as_bytes()).code(1);
    assert_eq!((ran.out().lines().count(), site.requests().len()), (20_000, 1));
}

/// A kill leaves a valid store: [cmd.crawl-check] [gate.kill]
#[test]
fn a_kill_leaves_a_store() {
    let (dir, site) = (Dir::new(), Site::good());
    let mut child = dir.spawn(&args(&["--store", "s.sqlite", "--wait", "-q"]));
    let mut stdin = child.stdin.take().unwrap();
    for number in 0..100 {
        writeln!(stdin, "{}", site.url(&format!("/{number}"))).unwrap();
    }
    let began = Instant::now();
    while site.requests().is_empty() && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    child.kill().unwrap();
    assert_eq!(code_of(&mut child), None);
    dir.run(&["site", "--store", "s.sqlite"]).ok();
    dir.run(&["check", "--allow-private", "--agent", WHO, &site.url("/private"), "--store", "s.sqlite"]).code(1);
}

/// Several programs use one store: [cmd.crawl-check] [gate.shared]
#[test]
fn several_programs_on_one_store() {
    let (dir, sites) = (Dir::new(), [Site::good(), Site::good(), Site::good()]);
    let urls: String = sites.iter().map(|site| site.url("/x\n")).collect();
    dir.write("urls.txt", urls);
    let mut children: Vec<_> = (0..4)
        .map(|_| dir.spawn(&args(&["--files-from", "urls.txt", "--store", "s.sqlite", "-q", "--delay", "0.1"])))
        .collect();
    for child in &mut children {
        assert_eq!(code_of(child), Some(0));
    }
    assert_eq!(dir.run(&["site", "--store", "s.sqlite"]).ok().out().lines().count(), 3);
}

/// Input that cannot be read, and invalid flags: [cmd.crawl-check] [cmd.empty]
#[test]
fn wrong_input() {
    let dir = Dir::new();
    dir.run(&args(&["--files-from", "none.txt"])).fails(2, &["none.txt", "check the path"]);
    dir.run(&args(&["--files-from", "."])).fails(2, &["is a directory"]);
    dir.run(&args(&["--jobs", "65"])).fails(2, &["from 1 to 64"]);
    dir.run_with(&args(&[]), b"\xff\nhttp://\n").code(3);
    let utf16 = dir.run_with(&args(&[]), b"\xff\xfeh\0\n\0").code(2);
    assert!(utf16.out().is_empty() && utf16.err().contains("UTF-16"), "{}", utf16.err());
    for stdin in [&b""[..], b"\n \n"] {
        assert!(dir.run_with(&args(&[]), stdin).code(2).err().contains("has no URL"));
    }
    dir.write("urls.txt", "");
    assert!(dir.run(&args(&["--files-from", "urls.txt"])).ok().err().contains("nothing to do"));
}

/// A line over the limit is named by its number, since it is not kept: [cmd.crawl-check]
#[test]
fn a_long_line_is_found_by_its_number() {
    let (dir, site) = (Dir::new(), Site::good());
    let of_length = |length: usize| site.url(&format!("/{}", "a".repeat(length - site.url("/").len())));
    let lines = [of_length(15_999), String::new(), of_length(16_000), of_length(16_001), site.url("/private")];
    dir.write("urls.txt", lines.join("\n"));
    let ran = dir.run(&args(&["--files-from", "urls.txt", "--json", "--delay", "0.1"])).code(3);
    let lines = ran.json();
    let verdicts: Vec<&str> = lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "allowed").count(), 2, "{verdicts:?}");
    let long = lines.iter().find(|line| line["verdict"] == "unusable").unwrap();
    assert_eq!(long["message"], "input line 4: longer than 16000 bytes");
    let ran = dir.run_with(&["check", "--agent", WHO, "-"], format!("\n{}\n", of_length(16_001)).as_bytes()).code(3);
    assert!(ran.out().contains("input line 2: longer than 16000 bytes"), "{}", ran.out());
}

/// Only requests that were made are counted: neither those that had no turn at their server, nor refused ones.
/// [cmd.crawl-check] [gate.metrics]
#[test]
fn what_was_not_sent_is_not_counted() {
    let (dir, site) = (Dir::new(), Site::good());
    let resolve: Vec<String> = (0..12).map(|host| format!("h{host}.test:{}:127.0.0.1", site.port)).collect();
    let names = resolve.iter().flat_map(|name| ["--resolve", name.as_str()]);
    let more: Vec<&str> = names.chain(["--per-address", "--delay", "1.5", "--wait", "-j", "64"]).collect();
    let urls: String = (0..12).map(|host| format!("http://h{host}.test:{}/private\n", site.port)).collect();
    dir.write("urls.txt", urls);
    let files = ["--files-from", "urls.txt", "--metrics", "counts.json", "--log", "debug"];
    let ran = dir.run(&args(&[more.as_slice(), &files].concat())).code(1);
    assert!(ran.err().contains("has no slot soon"), "some were put off");
    assert_eq!(site.requests().len(), 12);
    assert!(ran.err().contains("robots.txt requested from 12 sites, 12 retrieved"), "{}", ran.err());
    let counts: serde_json::Value = serde_json::from_str(&dir.read("counts.json")).unwrap();
    let retrievals = &counts["retrievals"];
    assert_eq!((&retrievals["attempts"], &retrievals["not_asked"]), (&12.into(), &0.into()), "{counts}");
    // Refused here, and denied by the name server.
    dir.write("urls.txt", format!("http://127.0.0.1:25/\nhttp://10.0.0.1:{}/\n", site.port));
    let ran = dir.run(&["crawl-check", "--agent", WHO, "--files-from", "urls.txt"]).code(2);
    assert!(ran.err().contains("no robots.txt requested"), "{}", ran.err());
    assert!(ran.err().contains("run the command again with the URLs that are not-asked"), "{}", ran.err());
}

#[cfg(target_os = "linux")]
/// A Redis server that is killed and started again uses up no URL that waits. One that stays away ends the run, which
/// says what to do: [gate.wait-out] [cmd.crawl-check]
#[test]
fn an_outage_of_the_store_uses_up_no_url() {
    let (dir, site) = (Dir::new(), Site::good());
    let socket = dir.path("socket");
    let start = || {
        let mut command = std::process::Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"]).arg(&socket);
        let child = command.arg("--dir").arg(dir.path("")).stdout(std::process::Stdio::null()).spawn();
        let until = Instant::now() + Duration::from_secs(10);
        while std::os::unix::net::UnixStream::connect(&socket).is_err() {
            assert!(Instant::now() < until, "redis-server is needed");
            std::thread::sleep(Duration::from_millis(10));
        }
        child.unwrap()
    };
    let mut server = start();
    let resolve: Vec<String> = (0..4).map(|host| format!("h{host}.test:{}:127.0.0.1", site.port)).collect();
    let names = resolve.iter().flat_map(|name| ["--resolve", name.as_str()]);
    let store = format!("unix://{}", socket.display());
    let more = ["--store", &store, "--wait", "--delay", "0.1", "--json", "--files-from", "urls.txt"];
    let urls: String = (0..200).map(|page| format!("http://h{}.test:{}/{page}\n", page % 4, site.port)).collect();
    dir.write("urls.txt", urls);
    let mut child = dir.spawn(&args(&[more.as_slice(), &names.collect::<Vec<_>>()].concat()));
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut seen: Vec<String> = lines.by_ref().take(10).collect();
    server.kill().unwrap();
    server.wait().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    server = start();
    seen.extend(lines);
    server.kill().unwrap();
    server.wait().unwrap();
    let lost: Vec<&String> = seen.iter().filter(|line| !line.contains("\"verdict\":\"allowed\"")).collect();
    assert!(lost.is_empty() && seen.len() == 200, "{} lines, {lost:?}", seen.len());
    assert_eq!(code_of(&mut child), Some(0));
}

/// When the writer of acknowledgements is gone, the run ends with a message; a date and another form of the URL are
/// acknowledgements: [cmd.acks]
#[test]
fn acknowledgements_end() {
    use std::io::{BufRead as _, BufReader, Read as _};
    let (dir, site) = (Dir::new(), Site::good());
    let urls: Vec<String> = (0..4).map(|number| site.url(&format!("/{number}"))).collect();
    dir.write("urls.txt", urls.join("\n"));
    let flags = ["--files-from", "urls.txt", "--wait", "--urls", "--acks", "-", "--delay", "0.1"];
    let mut child = dir.spawn(&args(&flags));
    let mut acks = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let began = Instant::now();
    let host = urls[0].strip_prefix("http://").unwrap();
    for (line, ack) in [(1, format!("{} 200 0.1 9 Sun, 06 Nov 1994 08:49:37 GMT", urls[0])), (2, format!("{host} 200"))]
    {
        out.read_line(&mut String::new()).unwrap();
        writeln!(acks, "{ack}").unwrap();
        assert!(began.elapsed() < Duration::from_secs(20), "line {line}");
    }
    out.read_line(&mut String::new()).unwrap();
    drop(acks);
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(code_of(&mut child), Some(2), "{errors}");
    assert!(errors.contains("nobody acknowledges pages any more, and 1 URL waits"), "{errors}");
    // A file is followed as it grows.
    dir.write("acks.txt", format!("{host} 200\n{host} 200\n{host} 200\n{host} 200\n"));
    let flags = ["--files-from", "urls.txt", "--wait", "--urls", "--acks", "acks.txt", "--delay", "0.1"];
    let mut child = dir.spawn(&args(&flags));
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The next URL of a host comes after the acknowledgement and the delay, and a 429 slows it down: [cmd.acks]
/// [gate.from-end] [gate.slow-down]
#[test]
fn acknowledged_pages() {
    use std::io::{BufRead as _, BufReader};
    let (dir, site) = (Dir::new(), Site::good());
    let urls: Vec<String> = (0..3).map(|number| site.url(&format!("/{number}"))).collect();
    dir.write("urls.txt", urls.join("\n"));
    let flags = ["--files-from", "urls.txt", "--wait", "--urls", "--acks", "-", "--delay", "0.3"];
    let mut child = dir.spawn(&args(&flags));
    let mut acks = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut last = Instant::now();
    for (url, (status, least)) in urls.iter().zip([(200, 0), (429, 290), (200, 590)]) {
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), url);
        assert!(last.elapsed() >= Duration::from_millis(least), "{url} after {:?}", last.elapsed());
        // The page takes its time.
        std::thread::sleep(Duration::from_millis(500));
        last = Instant::now();
        writeln!(acks, "{url} {status} 0.5 1000").unwrap();
    }
    drop(acks);
    assert_eq!(code_of(&mut child), Some(0));
    dir.run(&args(&["--wait", "--acks", "-"])).fails(2, &["both read the standard input"]);
    dir.run(&args(&["--acks", "-"])).fails(2, &["--wait"]);
}
