//! `robosieve census`: the command's rows, its outputs, and interrupted runs.

use std::fs;
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Dir, Ran};

const FILE: &str = "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n";

fn run(dir: &Dir, args: &[&str]) -> Ran {
    dir.run(&[&["census", "-q"], args].concat())
}

/// The rows of files and crawlers.
fn expanded(dir: &Dir, args: &[&str]) -> Ran {
    run(dir, &[&["--expand"], args].concat())
}

fn statuses(rows: &[Value]) -> Vec<String> {
    let word = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    rows.iter().map(|row| [word(row, "agent"), word(row, "status")].join(" ")).collect()
}

/// [census.row] [census.agents]
#[test]
fn each_file_and_crawler_has_a_row() {
    let dir = Dir::with(FILE);
    let rows = expanded(&dir, &["--agents", "*,GPTBot,Googlebot,named", "robots.txt"]).ok().json();
    assert_eq!(statuses(&rows), ["* some", "GPTBot all", "Googlebot some", "CCBot all"]);
    assert_eq!(
        (&rows[1]["source"], &rows[1]["line"], &rows[1]["owner"]),
        (&"robots.txt".into(), &4.into(), &"OpenAI".into())
    );
    let all = run(&dir, &["--rows", "agents", "robots.txt"]).ok().json();
    assert!(all.len() > 100 && statuses(&all)[0] == "* some", "{}", all.len());
    let files = run(&dir, &["--rows", "files", "robots.txt"]).ok().json();
    assert_eq!((files.len(), &files[0]["agents_count"], &files[0]["status"]), (1, &2.into(), &"some".into()));
    // The name alone is read if that is asked for.
    let plain = ["--agents", "Googlebot-Image", "robots.txt"];
    dir.write("robots.txt", "User-agent: Googlebot\nDisallow: /");
    assert_eq!(statuses(&expanded(&dir, &plain).ok().json()), ["Googlebot-Image all"]);
    assert_eq!(
        statuses(&expanded(&dir, &[&plain[..], &["--plain-names"]].concat()).ok().json()),
        ["Googlebot-Image none"]
    );
}

/// [census.columns] [census.table]
#[test]
fn a_table_has_the_form_that_its_name_says() {
    let dir = Dir::with(FILE);
    let agents = ["--agents", "*,GPTBot", "robots.txt"];
    let csv = expanded(&dir, &[&agents[..], &["--format", "csv"]].concat());
    let csv = csv.ok().out().to_owned();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with("v,source,record,url,host,time,http_status,outcome,")
            && lines[2].contains(",GPTBot,OpenAI,")
    );
    expanded(&dir, &[&agents[..], &["-o", "a.csv"]].concat()).ok();
    assert_eq!(dir.read("a.csv"), csv);
    expanded(&dir, &[&agents[..], &["-o", "a.csv.zst"]].concat()).ok();
    assert_eq!(zstd::decode_all(&fs::read(dir.path("a.csv.zst")).unwrap()[..]).unwrap(), csv.as_bytes());
    expanded(&dir, &[&agents[..], &["-o", "a.ndjson"]].concat()).ok();
    assert_eq!(dir.read("a.ndjson"), expanded(&dir, &agents).ok().out());
    for name in ["out", "out/", "out.parquet", "out.txt"] {
        let ran = expanded(&dir, &[&agents[..], &["-o", name]].concat());
        assert!(ran.code == Some(2) && ran.err().contains("call a table .ndjson or .csv"), "{}", ran.err());
    }
    for agents in ["", "known:x", "nobody.json"] {
        let ran = run(&dir, &["--agents", agents, "robots.txt"]);
        assert!(ran.code == Some(2) && ran.err().contains("--agents: "), "{}", ran.err());
    }
    assert_eq!(dir.names(), ["a.csv", "a.csv.zst", "a.ndjson", "robots.txt"]);
}

/// What the status decides, and what cannot be read. [census.status] [census.table]
#[test]
fn every_record_has_its_rows() {
    let dir = Dir::new();
    let lines = [
        r#"{"status":404,"url":"http://e.com/robots.txt"}"#,
        r#"{"status":503}"#,
        r#"{"status":301,"location":"https://e.com/robots.txt"}"#,
        "nonsense",
        r#"{"robots":"User-agent: *\nDisallow: /x\nUser-agent: GPTBot\nDisal","truncated":true}"#,
    ];
    dir.write("in.ndjson", lines.join("\n"));
    let ran = expanded(&dir, &["--agents", "*,GPTBot", "in.ndjson"]);
    assert_eq!(ran.code, Some(3));
    let rows = ran.json();
    let of = |row: usize| {
        let row = &rows[row];
        format!("{} {} {} {}", row["record"], row["outcome"], row["status"], row["root"]).replace('"', "")
    };
    let expected = [
        "1 allow-all no-file true",
        "2 disallow-all no-file false",
        "3 redirect unknown null",
        "4 failed unknown null",
        "5 rules some true",
    ];
    for (place, expected) in expected.iter().enumerate() {
        assert_eq!(of(place * 2), *expected);
    }
    assert_eq!(of(9), "5 rules incomplete false");
    assert_eq!(rows[8]["truncated"], "unspecified");
}

fn archive(records: usize) -> Vec<u8> {
    let mut warc = Vec::new();
    for number in 0..records {
        if number % 5 == 0 {
            let block = format!("HTTP/1.1 301 Moved\r\nLocation: http://h{number}/robots.txt\r\n\r\n");
            let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://r";
            write!(warc, "{head}{number}/robots.txt\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
                .unwrap();
        }
        let rules = format!("User-agent: *\nDisallow: /{}\n{FILE}{}", number % 300, "Allow: /a\n".repeat(number % 23));
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{rules}");
        let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h";
        write!(warc, "{head}{number}/robots.txt\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).unwrap();
    }
    warc
}

/// [census.table] [batch.table] [batch.resume]
#[test]
fn a_killed_run_is_continued() {
    let dir = Dir::new();
    dir.write("a.warc", archive(6_000));
    let args = ["census", "-q", "--expand", "--agents", "*,known", "--checkpoint", "0", "a.warc", "-o"];
    for (output, jobs) in [("a.csv", "1"), ("b.csv", "3")] {
        dir.run(&[&args[..], &[output, "-j", jobs]].concat()).ok();
    }
    let whole = fs::read(dir.path("a.csv")).unwrap();
    assert!(whole == fs::read(dir.path("b.csv")).unwrap());
    assert!(String::from_utf8_lossy(&whole).matches(",http://h5995/robots.txt,").count() > 200);
    let mut killed = 0;
    for _ in 0..6 {
        let mut child =
            dir.spawn(&[&args[..], &["c.csv", if killed > 0 { "--resume" } else { "--start-over" }]].concat());
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(20) && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(5));
            if dir.path("c.csv.journal").exists() && started.elapsed() > Duration::from_millis(150) {
                break;
            }
        }
        killed += usize::from(child.kill().is_ok() && !child.wait().unwrap().success());
        if dir.path("c.csv").exists() {
            break;
        }
    }
    if !dir.path("c.csv").exists() {
        dir.run(&[&args[..], &["c.csv", "--resume"]].concat()).ok();
    }
    assert!(killed > 0 && whole == fs::read(dir.path("c.csv")).unwrap());
}

/// The normal form is the default, and no table in CSV. [census.normal] [census.policies]
#[test]
fn each_file_is_a_line() {
    let dir = Dir::with(FILE);
    let lines = run(&dir, &["robots.txt"]).ok().json();
    let line = &lines[0];
    assert_eq!((lines.len(), &line["v"], &line["file"]["status"]), (1, &2.into(), &"some".into()));
    let names = line["names"].as_array().unwrap();
    assert_eq!(names.iter().map(|name| name["agent"].as_str().unwrap()).collect::<Vec<_>>(), ["*", "GPTBot", "CCBot"]);
    assert_eq!(names.iter().map(|name| name["policy"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(line["policies"].as_array().unwrap().len(), 2);
    assert_eq!(line["texts"][1]["text"], "User-agent: *\nDisallow: /\n");
    for args in [&["--format", "csv"][..], &["-o", "a.csv"]] {
        run(&dir, &[args, &["robots.txt"]].concat()).fails(2, &["--expand"]);
    }
    run(&dir, &["--format", "parquet", "robots.txt"]).fails(2, &["-o"]);
}

#[cfg(feature = "parquet")]
mod tables {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::*;

    /// The files below a folder, with their bytes.
    fn below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                all.extend(below(&path));
            } else {
                all.insert(path.clone(), fs::read(path).unwrap());
            }
        }
        all
    }

    fn same(dir: &Dir, one: &str, other: &str) -> bool {
        let of = |name: &str| -> BTreeMap<PathBuf, Vec<u8>> {
            let folder = dir.path(name);
            let is_table = |path: &Path| !path.to_string_lossy().ends_with("json");
            below(&folder)
                .into_iter()
                .filter(|(path, _)| is_table(path))
                .map(|(path, bytes)| (path.strip_prefix(&folder).unwrap().to_owned(), bytes))
                .collect()
        };
        let (one, other) = (of(one), of(other));
        one.len() == 4 && one == other
    }

    /// [census.tables] [census.expand]
    #[test]
    fn tables_expand_to_the_rows() {
        let dir = Dir::new();
        dir.write("a.warc", archive(300));
        let agents = ["--agents", "*,known,named"];
        let rows = expanded(&dir, &[&agents[..], &["a.warc"]].concat()).ok().out().to_owned();
        run(&dir, &["--agents", "*", "a.warc", "-o", "crawl.ndjson.zst"]).ok();
        run(&dir, &["--agents", "*", "a.warc", "-o", "crawls/", "--crawl", "one"]).ok();
        for stored in ["crawl.ndjson.zst", "crawls"] {
            let found = dir.run(&[&["census", "expand"], &agents[..], &[stored]].concat());
            assert!(found.ok().out() == rows, "{stored}");
        }
        let csv =
            dir.run(&["census", "expand", "--format", "csv", "--agents", "GPTBot", "crawls"]).ok().out().to_owned();
        assert_eq!(csv, expanded(&dir, &["--format", "csv", "--agents", "GPTBot", "a.warc"]).ok().out());
        // A part that is there is replaced only if that is asked for; another one comes next to it.
        let again = ["--agents", "*", "a.warc", "-o", "crawls/", "--crawl", "one"];
        run(&dir, &again).fails(2, &["--part", "--start-over"]);
        let before = fs::read(dir.path("crawls/files/crawl=one/00000.parquet")).unwrap();
        let ran = dir.run(&[&["census"], &again[..], &["--resume"]].concat()).ok();
        assert!(ran.err().contains("is complete"), "{}", ran.err());
        // Over other inputs it is another run.
        let other = ["--agents", "*", "b.warc", "-o", "crawls/", "--crawl", "one", "--resume"];
        dir.write("b.warc", archive(3));
        run(&dir, &other).fails(2, &["--start-over"]);
        run(&dir, &["a.warc", "-o", "crawls/", "--format", "csv"]).fails(2, &["another form"]);
        run(&dir, &[&again[..], &["--start-over"]].concat()).ok();
        assert_eq!(before, fs::read(dir.path("crawls/files/crawl=one/00000.parquet")).unwrap());
        dir.run(&[&["census"], &again[..], &["--part", "1"]].concat()).ok();
        // Each part has its texts, and nothing that was there before is removed.
        let texts = |part: &str| fs::read(dir.path(&format!("crawls/texts/crawl=one/{part}.parquet"))).unwrap();
        assert!(texts("00000") == texts("00001"));
        fs::create_dir_all(dir.path("crawls/.part-one-2.new/mine")).unwrap();
        dir.run(&[&["census"], &again[..], &["--part", "2"]].concat()).fails(2, &["mine", "move it away"]);
        assert!(dir.path("crawls/.part-one-2.new/mine").exists());
        for name in [".part-one-2.new", "part-one-2.lines.ndjson.zst", "part-one-2.arguments.json"] {
            let path = dir.path(&format!("crawls/{name}"));
            fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path)).unwrap();
        }
        run(&dir, &["nothing.warc", "-o", "absent/"]).fails(2, &["nothing.warc"]);
        assert_eq!(fs::read_dir(dir.path("absent")).unwrap().count(), 0);
        let twice = dir.run(&["census", "expand", "--agents", "*", "crawls"]).ok().json();
        assert_eq!(
            twice.len(),
            2 * dir.run(&["census", "expand", "--agents", "*", "crawl.ndjson.zst"]).ok().json().len()
        );
        for (args, word) in [(["--part", "4194304"], "0..4194304"), (["--crawl", "../x"], "letters")] {
            run(&dir, &[&["a.warc", "-o", "more"], &args[..]].concat()).fails(2, &[word]);
        }
        run(&dir, &["--expand", "a.warc", "-o", "more"]).fails(2, &["--expand"]);
        // The lines and rows of tables in other forms are the same.
        run(&dir, &["--agents", "*", "a.warc", "-o", "lines/", "--format", "ndjson"]).ok();
        let policies = dir.read("lines/policies/crawl=none/00000.ndjson");
        assert!(policies.starts_with("{\"v\":2,\"file\":1,\"policy\":0,\"status\":\"some\""));
        run(&dir, &["--agents", "*", "a.warc", "-o", "csv/", "--format", "csv"]).ok();
        assert_eq!(dir.read("csv/policies/crawl=none/00000.csv").lines().count(), policies.lines().count() + 1);
    }

    /// [census.tables]
    #[test]
    fn a_card_has_the_arguments_as_they_are_written() {
        let dir = Dir::new();
        dir.write("robots.txt", "User-agent: *\nDisallow: /a\n");
        for (flags, expected) in [(&[][..], Value::Null), (&["--no-fold"], json!("true"))] {
            run(&dir, &[&["robots.txt", "-o", "tables", "--start-over"], flags].concat()).ok();
            let card: Value = serde_json::from_str(&dir.read("tables/card-00000.json")).unwrap();
            assert_eq!(
                (&card["arguments"]["--no-fold"], &card["arguments"]["INPUT"]),
                (&expected, &json!("robots.txt"))
            );
            assert!(!card["arguments"].to_string().contains("false"), "{card}");
        }
    }

    /// [census.own]
    #[test]
    fn nothing_is_destroyed_that_is_of_no_census() {
        let dir = Dir::new();
        let file = |name: &str| fs::read(dir.path(&format!("out/{name}"))).unwrap();
        dir.write("robots.txt", "User-agent: *\nDisallow: /a\n");
        dir.write("CC-MAIN-2026-04.ndjson", "{\"robots\":\"\",\"url\":\"https://e.com/robots.txt\"}\n");
        dir.write("empty.ndjson", "");
        run(&dir, &["robots.txt", "-o", "out"]).ok();
        let parquet = "files/crawl=none/00000.parquet";
        let before = [file("card-00000.json"), file(parquet)];
        // Without a file there is nothing to replace the tables with.
        run(&dir, &["empty.ndjson", "-o", "out", "--start-over"]).fails(2, &["stays as it is"]);
        assert_eq!([file("card-00000.json"), file(parquet)], before);
        assert_eq!(fs::read_dir(dir.path("out")).unwrap().count(), 5);
        // A part that is made again has no tables of other crawls left, and those of other runs stay.
        run(&dir, &["robots.txt", "-o", "out", "--crawl", "mine"]).ok();
        run(&dir, &["CC-MAIN-2026-04.ndjson", "-o", "out", "--start-over"]).ok();
        let of = |crawl: &str| dir.path(&format!("out/files/crawl={crawl}/00000.parquet")).exists();
        assert_eq!(["none", "mine", "CC-MAIN-2026-04"].map(of), [false, true, true]);
        let rows = dir.run(&["census", "expand", "--agents", "*", "out"]).ok().json();
        assert_eq!(rows.len(), 2);
        // What somebody else wrote stays.
        for name in ["part-1.arguments.json", "card-00001.json", "part-1.lines.ndjson.zst"] {
            for text in ["mine", "[]", "{}", "{\"mine\":\"x\"}", "{\"program\":\"mine\",\"arguments\":{}}"] {
                dir.write(&format!("out/{name}"), text);
                for how in ["--start-over", "--resume", "--checkpoint=0"] {
                    run(&dir, &["robots.txt", "-o", "out", "--part", "1", how]).fails(2, &[name, "move it away"]);
                }
                assert_eq!(file(name), text.as_bytes());
            }
            fs::remove_file(dir.path(&format!("out/{name}"))).unwrap();
        }
        // Also at the place of a table, and where tables are made.
        let again = ["CC-MAIN-2026-04.ndjson", "-o", "out", "--start-over"];
        let text = "texts/crawl=CC-MAIN-2026-04/00000.parquet";
        let before = file(text);
        for foreign in ["precious", "PAR1 precious", ""] {
            dir.write(&format!("out/{text}"), foreign);
            run(&dir, &again).fails(2, &[text, "move it away"]);
            assert_eq!(file(text), foreign.as_bytes());
        }
        dir.write(&format!("out/{text}"), before);
        let aside = ".part-0.new/files/crawl=CC-MAIN-2026-04/00000.parquet";
        fs::create_dir_all(dir.path(&format!("out/{aside}")).parent().unwrap()).unwrap();
        dir.write(&format!("out/{aside}"), "precious");
        run(&dir, &again).fails(2, &["00000.parquet", "move it away"]);
        assert_eq!(file(aside), b"precious");
        // What is left of a table is removed.
        dir.write(&format!("out/{aside}"), "PAR");
        run(&dir, &again).ok();
        assert!(!dir.path("out/.part-0.new").exists());
        #[cfg(unix)]
        for name in ["part-1.arguments.json", "card-00001.json"] {
            dir.write("target", "precious");
            std::os::unix::fs::symlink("../target", dir.path(&format!("out/{name}"))).unwrap();
            run(&dir, &["robots.txt", "-o", "out", "--part", "1", "--start-over"]).fails(2, &[name, "move it away"]);
            assert_eq!(dir.read("target"), "precious");
            fs::remove_file(dir.path(&format!("out/{name}"))).unwrap();
        }
        fs::remove_file(dir.path("out/card-00000.json")).unwrap();
        run(&dir, &again).fails(2, &[".parquet", "move it away"]);
        run(&dir, &["CC-MAIN-2026-04.ndjson", "-o", "out", "--resume"]).fails(2, &["is there, but not", "card-00000"]);
    }

    /// [census.own]
    #[test]
    fn a_part_of_another_run_is_not_replaced() {
        let dir = Dir::new();
        dir.write("CC-MAIN-2026-04.ndjson", "{\"robots\":\"\",\"url\":\"https://e.com/robots.txt\"}\n");
        dir.write("robots.txt", FILE);
        let named = ["robots.txt", "-o", "out", "--crawl", "CC-MAIN-2026-04"];
        run(&dir, &named).ok();
        let before = below(&dir.path("out"));
        // The name of the crawl is known when the lines are read.
        let again = ["CC-MAIN-2026-04.ndjson", "-o", "out", "--start-over"];
        run(&dir, &again).fails(2, &["is of another run", "card-CC-MAIN-2026-04-00000.json", "--part"]);
        let mut after = below(&dir.path("out"));
        after.retain(|path, _| before.contains_key(path));
        assert!(after == before);
        // Tables of other crawls are in nobody's way.
        run(&dir, &["robots.txt", "-o", "out", "--start-over"]).ok();
        run(&dir, &["robots.txt", "-o", "out", "--crawl", "none"]).fails(2, &["is of another run", "card-00000.json"]);
        run(&dir, &[&named[..], &["--start-over"]].concat()).ok();
        assert_eq!(below(&dir.path("out/files")).len(), 2);
    }

    /// [census.lock] [census.own]
    #[test]
    fn runs_at_once_lose_nothing() {
        let dir = Dir::with(FILE);
        let begin = |folder: &str| {
            let child = dir.spawn(&["census", "-q", "--input", "ndjson", "-", "-o", folder]);
            let started = Instant::now();
            while !dir.path(&format!("{folder}/part-0.lines.ndjson.zst.journal")).exists() {
                assert!(started.elapsed() < Duration::from_secs(20));
                thread::sleep(Duration::from_millis(5));
            }
            child
        };
        let mut child = begin("out");
        for how in ["--start-over", "--resume", "--checkpoint=0"] {
            run(&dir, &["robots.txt", "-o", "out", how]).fails(2, &["another run writes this part", "--part"]);
        }
        // Other parts and other crawls are free. This one is that of the run, which cannot know it before its end.
        run(&dir, &["robots.txt", "-o", "out", "--part", "1"]).ok();
        run(&dir, &["robots.txt", "-o", "out", "--crawl", "none"]).ok();
        let before = below(&dir.path("out/files"));
        child.stdin.take().unwrap().write_all(b"{\"robots\":\"\"}\n{\"robots\":\"\"}\n").unwrap();
        let ended = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.code() == Some(2) && message.contains("card-none-00000.json"), "{message}");
        assert!(below(&dir.path("out/files")) == before);
        // A killed run blocks nobody, and nothing of a lock stays.
        let mut child = begin("killed");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(dir.path("killed/.part-0.lock").exists());
        run(&dir, &["robots.txt", "-o", "killed", "--start-over"]).ok();
        assert_eq!(fs::read_dir(dir.path("killed")).unwrap().count(), 5);
        // What somebody wrote at its place stays.
        dir.write("killed/.part-0.lock", "precious");
        run(&dir, &["robots.txt", "-o", "killed", "--start-over"]).ok();
        assert_eq!(dir.read("killed/.part-0.lock"), "precious");
    }

    /// [census.expect]
    #[test]
    fn records_are_compared_with_an_index() {
        let dir = Dir::new();
        dir.write("a.warc", archive(30));
        dir.write("b.warc", archive(3));
        dir.write("list", "a.warc\nb.warc\n");
        let all = run(&dir, &["--files-from", "list", "-o", "plain"]);
        let card = |folder: &str| -> Value {
            let card: Value = serde_json::from_str(&dir.read(&format!("{folder}/card-00000.json"))).unwrap();
            card["rows"].clone()
        };
        all.ok();
        assert_eq!(card("plain")["expected"], Value::Null);
        let rows = dir.run(&["census", "expand", "--agents", "*", "plain"]).ok().json();
        let count = |name: &str| rows.iter().filter(|row| row["source"] == name && row["redirects"] == 0).count();
        let (a, b) = (count("a.warc"), count("b.warc"));
        dir.write("same.csv", format!("warc_filename,n\ns/1/a.warc,{a}\ns/2/b.warc,{b}\ns/2/c.warc,7\n"));
        dir.write("less.csv", format!("a.warc,{}\nb.warc,{b}\n", a + 1));
        let expect =
            |list: &str, folder: &str| dir.run(&["census", "--files-from", "list", "-o", folder, "--expect", list]);
        assert!(expect("same.csv", "same").ok().err().contains(&format!("; {} of {} expected", a + b, a + b)));
        assert_eq!(card("same")["expected"]["differ"], 0);
        let ran = expect("less.csv", "less").code(3);
        assert!(ran.err().contains(&format!("a.warc: {} records expected, {a} read", a + 1)), "{}", ran.err());
        assert_eq!(card("less")["expected"]["first"][0]["archive"], "a.warc");
        // A part that is complete still differs.
        for (list, code) in [("same", 0), ("less", 3)] {
            let csv = format!("{list}.csv");
            run(&dir, &["--files-from", "list", "-o", list, "--expect", &csv, "--resume"]).code(code);
        }
        fs::create_dir(dir.path("x")).unwrap();
        dir.write("x/a.warc", archive(3));
        run(&dir, &["--files-from", "list", "x/a.warc", "-o", "two", "--expect", "same.csv"])
            .fails(2, &["several inputs are called a.warc"]);
        dir.write("bad.csv", "x\n");
        expect("bad.csv", "bad").fails(2, &["bad.csv", "line 1", "a.warc.gz,812"]);
        run(&dir, &["a.warc", "--expect", "same.csv"]).fails(2, &["-o crawls/"]);
    }

    /// [census.expect]
    #[test]
    fn what_could_not_be_read_is_no_record() {
        let dir = Dir::new();
        dir.write("a.warc", archive(3));
        fs::create_dir(dir.path("f")).unwrap();
        dir.write("f/a.warc", archive(3));
        dir.write("list", "junk.warc\nmissing.warc\n");
        dir.write("junk.warc", "junk\n");
        dir.write("counts", "junk.warc,1\nmissing.warc,1\n");
        let args = ["--files-from", "list", "--expect", "counts", "-o", "out"];
        let ran = run(&dir, &args).code(3);
        assert!(ran.err().contains("junk.warc: 1 record expected, 0 read"), "{}", ran.err());
        run(&dir, &[&args[..], &["--resume"]].concat()).code(3);
        // Nobody could say which archives of a folder have no record.
        run(&dir, &["f", "--expect", "counts", "-o", "folder"]).fails(2, &["f: is a folder", "--files-from"]);
    }

    /// A run that could not read all replaces nothing that has more, and says so again. [census.own] [batch.failures]
    #[test]
    fn a_run_with_failures_replaces_nothing_that_is_better() {
        let dir = Dir::new();
        let whole = archive(8);
        dir.write("whole.warc", &whole);
        dir.write("cut.warc", &whole[..whole.len() / 2]);
        dir.write("junk.warc", "junk\n");
        run(&dir, &["whole.warc", "-o", "out"]).ok();
        let before = fs::read(dir.path("out/files/crawl=none/00000.parquet")).unwrap();
        for bad in ["cut.warc", "junk.warc"] {
            run(&dir, &[bad, "-o", "out", "--start-over"]).fails(2, &["stays as it is", "could not be read", "of 10"]);
        }
        assert!(fs::read(dir.path("out/files/crawl=none/00000.parquet")).unwrap() == before);
        run(&dir, &["whole.warc", "-o", "out", "--start-over"]).ok();
        // A first run has what could be read, and the same exit code whenever it ends.
        run(&dir, &["cut.warc", "-o", "first"]).code(3);
        run(&dir, &["cut.warc", "-o", "first", "--resume"]).code(3);
        fs::create_dir(dir.path("late")).unwrap();
        run(&dir, &["cut.warc", "-o", "late/part-0.lines.ndjson.zst"]).code(3);
        let card: Value = serde_json::from_str(&dir.read("first/card-00000.json")).unwrap();
        dir.write("late/part-0.arguments.json", card["arguments"].to_string().replace("first", "late"));
        let ran = run(&dir, &["cut.warc", "-o", "late", "--resume", "--summary-to", "s.txt"]).code(3);
        assert!(ran.err().contains("1 record or input could not be read"), "{}", ran.err());
        assert!(ran.err().contains("s.txt: is not written"), "{}", ran.err());
        // A summary is no part of a census.
        for name in ["first/card-00000.json", "first/s.txt", "first/files/crawl=none/00000.parquet"] {
            let args = ["whole.warc", "-o", "first", "--part", "1", "--summary-to", name];
            run(&dir, &args).fails(2, &["is in the census"]);
        }
    }

    /// [census.listed] [census.running]
    #[test]
    fn an_older_crawl_does_not_answer_for_one_that_is_not_whole() {
        let dir = Dir::new();
        for (crawl, robots) in [("2025", ""), ("2026", "User-agent: *\nDisallow: /")] {
            let line = json!({"url": "https://e.com/robots.txt", "robots": robots});
            dir.write("in.ndjson", format!("{line}\n"));
            run(&dir, &["in.ndjson", "--crawl", crawl, "-o", "out"]).ok();
        }
        dir.write("q", "{\"url\":\"https://e.com/a\",\"agent\":\"*\"}\n");
        let ask = || dir.run(&["census", "ask", "out", "--questions", "q"]);
        let at = || dir.run(&["history", "--agents", "*", "--url", "https://e.com/a", "--at", "2026-12", "out"]);
        let refused = |word: &str| {
            ask().fails(2, &[word]);
            at().fails(2, &[word]);
        };
        assert_eq!(ask().ok().json()[0]["allowed"], false);
        // A run that has not written its tables yet is reported.
        dir.write("out/part-7.arguments.json", "{}");
        assert!(ask().ok().err().contains("part-7.arguments.json: its run has not ended"));
        assert!(at().err().contains("its run has not ended"));
        fs::remove_file(dir.path("out/part-7.arguments.json")).unwrap();
        dir.write("none", "\n");
        let none = dir.run(&["census", "ask", "out", "--questions", "none"]);
        assert!(none.ok().err().contains("there is no question"));
        // Tables that are getting their names.
        fs::create_dir(dir.path("out/.part-2026-0.named")).unwrap();
        refused(".part-2026-0.named: its tables are getting their names");
        fs::remove_dir(dir.path("out/.part-2026-0.named")).unwrap();
        // Tables of a card that are gone, and a crawl that has none.
        for table in ["files", "policies", "names", "texts"] {
            fs::remove_file(dir.path(&format!("out/{table}/crawl=2026/00000.parquet"))).unwrap();
        }
        refused("crawl=2026: there are no tables");
        for table in ["files", "policies", "names", "texts"] {
            fs::remove_dir(dir.path(&format!("out/{table}/crawl=2026"))).unwrap();
        }
        refused("its tables of the crawl 2026 are not there");
        fs::remove_file(dir.path("out/card-2026-00000.json")).unwrap();
        assert_eq!(ask().ok().json()[0]["allowed"], true);
    }

    /// [census.meant]
    #[test]
    fn what_is_no_input_says_what_is_meant() {
        let dir = Dir::new();
        dir.write("robots.txt", "User-agent: *\nDisallow: /a\n");
        run(&dir, &["robots.txt", "-o", "out"]).ok();
        run(&dir, &["robots.txt", "-o", "out.ndjson.gz"]).ok();
        dir.write("list", "robots.txt\nout.ndjson.gz\n");
        for (args, words) in [
            (&["expnd", "out"][..], &["did you mean `expand`"][..]),
            (&["out"], &["is of a census already", "census expand out`", "history out"]),
            (&["out/files", "-o", "x"], &["census expand out`"]),
            (&["--files-from", "list", "-o", "x"], &["out.ndjson.gz: is of a census already"]),
            (&[".", "-o", "x"], &["is of a census already", "expand ./out`"]),
            (&["robots.txt", "out.ndjson.gz"], &["out.ndjson.gz: is of a census already", "ask"]),
            (&["ask", "out/files"], &["has no tables of a census: name out"]),
            (&["expand", "out/files/crawl=none"], &["has no tables of a census: name out"]),
        ] {
            dir.run_with(&[&["census"], args].concat(), b"").fails(2, words);
        }
        dir.run(&["history", "out/files", "out"]).fails(2, &["name its folder, out"]);
        // A file may have such a name.
        dir.write("aks", "User-agent: *\nDisallow: /\n");
        run(&dir, &["aks"]).ok();
    }

    /// [census.tables] [batch.resume]
    #[test]
    fn a_killed_run_has_the_same_tables() {
        let dir = Dir::new();
        dir.write("a.warc", archive(6_000));
        let args = ["census", "-q", "--checkpoint", "0", "a.warc", "-o"];
        dir.run(&[&args[..], &["whole/", "-j", "3"]].concat()).ok();
        let mut killed = 0;
        for (round, wait) in [150_u64, 250, 400, 600, 900].into_iter().enumerate() {
            let start = if round > 0 { "--resume" } else { "--start-over" };
            let mut child = dir.spawn(&[&args[..], &["parts/", start]].concat());
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(wait) && child.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_millis(5));
            }
            killed += usize::from(child.kill().is_ok() && !child.wait().unwrap().success());
            if dir.path("parts/files").exists() {
                break;
            }
        }
        if !dir.path("parts/card-00000.json").exists() {
            dir.run(&[&args[..], &["parts/", "--resume"]].concat()).ok();
        }
        assert!(killed > 0 && same(&dir, "whole", "parts"));
        // Also if it was killed when only the tables were missing.
        dir.run(&[&args[..], &["third.ndjson.zst"]].concat()).ok();
        fs::create_dir(dir.path("third")).unwrap();
        fs::rename(dir.path("third.ndjson.zst"), dir.path("third/part-0.lines.ndjson.zst")).unwrap();
        dir.run(&[&args[..], &["third", "--start-over"]].concat()).fails(2, &["part-0.lines", "move it away"]);
        let card: Value = serde_json::from_str(&dir.read("whole/card-00000.json")).unwrap();
        dir.write("third/part-0.arguments.json", card["arguments"].to_string());
        dir.run(&[&args[..], &["third"]].concat()).fails(2, &["--resume"]);
        dir.run(&[&args[..], &["third", "--resume"]].concat()).fails(2, &["--start-over"]);
        dir.run(&[&args[..], &["third", "--start-over"]].concat()).ok();
        assert!(same(&dir, "whole", "third"));
        // Or while tables got their names: texts have theirs, and nothing says what they are of.
        let card: Value = serde_json::from_str(&dir.read("third/card-00000.json")).unwrap();
        dir.write("third/part-0.arguments.json", card["arguments"].to_string());
        dir.run(&[&args[..], &["fourth.ndjson.zst"]].concat()).ok();
        fs::rename(dir.path("fourth.ndjson.zst"), dir.path("third/part-0.lines.ndjson.zst")).unwrap();
        fs::remove_file(dir.path("third/card-00000.json")).unwrap();
        for table in ["files", "policies", "names", "texts"] {
            let named = dir.path(&format!("third/.part-0.named/{table}/crawl=none"));
            fs::create_dir_all(&named).unwrap();
            if table != "texts" {
                let there = dir.path(&format!("third/{table}/crawl=none/00000.parquet"));
                fs::rename(there, named.join("00000.parquet")).unwrap();
            }
        }
        dir.run(&[&args[..], &["third", "--resume"]].concat()).ok();
        assert!(same(&dir, "whole", "third"));
    }

    /// [census.ask] [census.texts]
    #[test]
    fn questions_are_answered_as_the_tester_does() {
        let dir = Dir::new();
        let file = |time: &str, robots: &str| {
            json!({"url": "https://e.com/robots.txt", "time": time, "robots": robots}).to_string()
        };
        let more = r#"{"url":"http://gone.com/robots.txt","time":"2026-01-01T00:00:00Z","status":404}
{"url":"http://moved.com/robots.txt","status":301,"location":"https://e.com/robots.txt"}"#;
        let old = file("2026-01-01T00:00:00Z", FILE);
        dir.write("in.ndjson", [&old, &file("2026-03-01T00:00:00Z", "User-agent: *\nDisallow: /y\n"), more].join("\n"));
        run(&dir, &["in.ndjson", "-o", "in.ndjson.zst"]).ok();
        run(&dir, &["in.ndjson", "-o", "tables", "--crawl", "one"]).ok();
        let expected = [
            ("https://e.com/x", "MyBot", Some("2026-02"), "false 2 some"),
            ("https://e.com/y", "MyBot", Some("2026-02"), "true null some"),
            ("https://e.com/y", "gptbot", Some("2026-02"), "false 2 all"),
            ("https://e.com/y", "GPTBot", None, "false 2 some"),
            ("https://e.com", "*", None, "true null some"),
            ("https://e.com/y", "GPTBot", Some("2025"), "null null null"),
            ("http://e.com/y", "GPTBot", None, "null null null"),
            ("http://gone.com/y", "GPTBot", Some("2026-01-01"), "true null no-file"),
            ("http://moved.com/y", "GPTBot", None, "null null unknown"),
            ("https://e.com:443/x", "MyBot", Some("2026-02"), "false 2 some"),
            ("https://e.com//f/y", "GPTBot", Some("2026-02"), "false 2 all"),
        ];
        let questions = expected
            .iter()
            .map(|(url, agent, time, _)| json!({"url": url, "agent": agent, "time": time}).to_string() + "\n");
        dir.write("q.ndjson", questions.collect::<String>());
        for stored in ["in.ndjson.zst", "tables"] {
            let answers = dir.run(&["census", "ask", stored, "--questions", "q.ndjson"]).ok().json();
            for (answer, (url, agent, _, expected)) in answers.iter().zip(expected) {
                let found = ["allowed", "line", "status"].map(|name| answer[name].to_string().replace('"', ""));
                assert_eq!(found.join(" "), expected, "{url} {agent} {stored}");
            }
            assert_eq!(answers.len(), expected.len());
            assert_eq!(answers[0]["seen"], "2026-01-01T00:00:00Z");
        }
        // In another reading a text can say something else: [census.reading]
        run(&dir, &["in.ndjson", "-o", "in-order", "--order", "file"]).ok();
        run(&dir, &["in.ndjson", "-o", "in-order.ndjson", "--order", "file"]).ok();
        for stored in ["in-order", "in-order.ndjson"] {
            let asked = ["census", "ask", stored, "--questions", "q.ndjson", "--order", "file"];
            dir.run(&asked).ok();
            dir.run(&asked[..5]).fails(2, &["order=file", "give the options"]);
            dir.run(&["census", "expand", stored]).fails(2, &[stored, "order=file", "give the options"]);
            dir.run(&["census", "expand", stored, "--order", "file"]).ok();
            dir.run(&["history", stored, "tables"]).fails(2, &["in-order", "order=file", "give the options"]);
            dir.run(&["history", stored, stored, "--order", "file"]).ok();
        }
        let csv =
            dir.run(&["census", "ask", "tables", "--questions", "q.ndjson", "--format", "csv"]).ok().out().to_owned();
        assert!(csv.contains("\n1,https://e.com/x,MyBot,2026-02,false,2,some,sha256:"), "{csv}");
        // A bad question has a line of its own.
        let long = format!("{{\"url\":\"https://e.com/{}\",\"agent\":\"*\"}}\n", "x".repeat(1 << 14));
        let bad = "{\"url\":1}\n{\"url\":\"https://e.com/y\",\"agent\":\"*\",\"date\":\"2026\"}\n";
        dir.write("bad.ndjson", [bad, &long, "{\"url\":\"https://e.com/y\",\"agent\":\"*\"}\n"].concat());
        let answers = dir.run(&["census", "ask", "tables", "--questions", "bad.ndjson"]).ok().json();
        let kinds: Vec<_> = answers.iter().map(|line| line["error"]["kind"].as_str()).collect();
        assert_eq!(kinds, [Some("bad-request"), Some("bad-request"), Some("bad-request"), None]);
        assert_eq!((answers.len(), &answers[3]["allowed"]), (4, &false.into()));
        let csv =
            dir.run(&["census", "ask", "tables", "--questions", "bad.ndjson", "--format", "csv"]).ok().out().to_owned();
        assert!(csv.lines().nth(1).unwrap().starts_with("1,,,,,,,,,,"), "{csv}");
        dir.run(&["census", "ask", "nothing", "--questions", "bad.ndjson"]).fails(2, &["nothing"]);
        // What is no census says so.
        fs::create_dir(dir.path("other")).unwrap();
        run(&dir, &["in.ndjson", "-o", "csv/", "--format", "csv"]).ok();
        dir.run(&["census", "ask", "csv", "--questions", "q.ndjson"]).fails(2, &["csv", "Parquet"]);
        for command in ["ask", "expand"] {
            dir.run_with(&["census", command, "other"], b"").fails(2, &["other", "census -o"]);
        }
        dir.write("broken.ndjson", "{}\n".repeat(12));
        let ran = dir.run(&["census", "ask", "broken.ndjson", "--questions", "q.ndjson"]).code(3);
        assert!(ran.err().contains("broken.ndjson:10:") && !ran.err().contains("broken.ndjson:11:"), "{}", ran.err());
        assert!(ran.err().contains("2 more lines"), "{}", ran.err());
    }
}

/// Options that a census does not obey are refused: [census.status]
#[test]
fn options_without_an_effect_are_refused() {
    let dir = Dir::with("User-agent: *\nAllow: /public");
    for option in ["--incomplete", "--no-fallback", "--max-lines=2", "--on-over-limit=widen", "--status=503"] {
        let name = option.split('=').next().unwrap();
        dir.run(&["census", "--agents", "*", option, "robots.txt"]).fails(2, &[name, "leave it out"]);
    }
}

/// What is always refused is not offered. [cmd.help]
#[test]
fn no_help_shows_what_is_refused() {
    let dir = Dir::with("User-agent: *\nDisallow: /x\n");
    for command in ["census", "history"] {
        let help = dir.run(&[command, "--help"]).ok().out().to_owned();
        for flag in [
            "--no-fallback",
            "--max-lines",
            "--max-wildcards",
            "--on-over-limit",
            "--fail-on",
            "--complete",
            "--status",
        ] {
            assert!(!help.lines().any(|line| line.trim_start().starts_with(flag)), "{command} {flag}");
        }
    }
    dir.run(&["census", "--no-fallback", "robots.txt"]).fails(2, &["is not for a census"]);
    dir.run(&["census", "--agents", "MyBot/2.1", "robots.txt"]).fails(2, &["MyBot/2.1", "product token"]);
}
