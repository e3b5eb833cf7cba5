//! The README's examples: each console block is run, and must print what the README shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::Dir;

/// Every README with console blocks, and the pages of recipes. That of crates/batch needs an archive: `batch` runs it.
fn pages(root: &Path) -> Vec<PathBuf> {
    let folders = ["crates", "bindings"].into_iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let mut pages: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path().join("README.md")).collect();
    pages.extend(fs::read_dir(root.join("crates/cli/recipes")).unwrap().map(|entry| entry.unwrap().path()));
    pages.push(root.join("README.md"));
    pages.retain(|page| page.is_file() && !page.ends_with("crates/batch/README.md"));
    pages
}

/// The file of `shop.example`.
#[cfg(feature = "gate")]
const SHOP: &str = "User-agent: *\nDisallow: /cart\nAllow: /cart/help\nCrawl-delay: 30\n";

/// The commands of a block, each with what it prints.
fn sessions(page: &str) -> Vec<Vec<(String, String)>> {
    let blocks = page.split("```console\n").skip(1).map(|block| block.split_once("\n```").unwrap().0);
    blocks
        .map(|block| {
            let mut commands: Vec<(String, String)> = Vec::new();
            for line in block.lines() {
                if let Some(command) = line.strip_prefix("$ ") {
                    commands.push((command.to_owned(), String::new()));
                } else {
                    let (_, shown) = commands.last_mut().expect("a block begins with a command");
                    *shown += line;
                    shown.push('\n');
                }
            }
            commands
        })
        .collect()
}

/// Whether a command needs what this build does not have.
fn is_left_out(command: &str) -> bool {
    let network = ["fetch", "check", "site"].iter().any(|it| command.contains(&format!("robosieve {it} ")));
    let archives = ["batch", "census"].iter().any(|it| command.contains(&format!("robosieve {it} ")));
    network && !cfg!(feature = "gate") || archives && !cfg!(feature = "batch")
}

/// The same without what differs from run to run: times, and waits in seconds.
fn masked(text: &str) -> String {
    let mut out = String::new();
    for word in text.trim_end().split_inclusive([' ', '\t', '\n', ',', ';']) {
        let bare = word.trim_end_matches([' ', '\t', '\n', ',', ';']);
        let is_time = bare.len() == 20 && bare.ends_with('Z') && bare.as_bytes()[10] == b'T';
        let is_wait = out.ends_with("\tin ") && bare.parse::<f64>().is_ok();
        out += &if is_time {
            word.replace(bare, "TIME")
        } else if is_wait {
            word.replace(bare, "N")
        } else {
            word.to_owned()
        };
    }
    out
}

/// Every console block of the pages prints what the page shows. `shop.example` is a server of this test.
/// [cmd.filter] [cmd.test] [cmd.explain] [cmd.ndjson] [cmd.check] [cmd.columns]
#[test]
#[cfg(unix)]
fn examples_print_what_the_pages_show() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    #[cfg(feature = "gate")]
    let shop = crate::serving::Site::new(crate::serving::answer(200, "Content-Type: text/plain\r\n", SHOP));
    #[cfg(feature = "gate")]
    let port = shop.port;
    #[cfg(not(feature = "gate"))]
    let port = 80_u16;
    let mut tried = 0;
    for page in pages(&root) {
        let text = fs::read_to_string(&page).unwrap();
        if !text.contains("```console\n") {
            continue;
        }
        let dir = Dir::new();
        symlink(root.join("examples"), dir.path("examples")).unwrap();
        fs::create_dir(dir.path("bin")).unwrap();
        // What a reader of the page does not type: where the server is.
        let real = env!("CARGO_BIN_EXE_robosieve");
        let here = format!("--resolve shop.example:{port}:127.0.0.1 --allow-private");
        let script =
            format!("#!/bin/sh\ncase $1 in fetch|check) exec {real} \"$@\" {here} ;; esac\nexec {real} \"$@\"\n");
        dir.write("bin/robosieve", script);
        fs::set_permissions(dir.path("bin/robosieve"), fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", dir.path("bin").display(), std::env::var("PATH").unwrap());
        dir.write(
            "urls.txt",
            format!("http://shop.example:{port}/a\nhttp://shop.example:{port}/cart/x\nhttp://shop.example:{port}/b\n"),
        );
        for (command, shown) in sessions(&text).concat() {
            if is_left_out(&command) {
                continue;
            }
            let typed = command.replace("http://shop.example/", &format!("http://shop.example:{port}/"));
            let output = Command::new("sh")
                .args(["-c", &format!("exec 2>&1\n{typed}")])
                .current_dir(dir.path("."))
                .env("PATH", &path)
                .output()
                .unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let printed = printed.replace(&format!("shop.example:{port}"), "shop.example");
            let printed = printed.replace(&format!("127.0.0.1:{port}"), "127.0.0.1:80");
            assert_eq!(masked(&printed), masked(&shown), "{}: {command}\n{printed}", page.display());
            tried += 1;
        }
    }
    assert!(tried > 8, "only {tried} examples");
}

/// The script of the monitor, with a `curl` and a `mail` of this test. [cmd.diff.all]
#[test]
#[cfg(unix)]
fn the_monitor_mails_a_change() {
    use std::os::unix::fs::PermissionsExt as _;

    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, script) = readme.split_once("A monitor that mails a change").unwrap();
    let (script, _) = script.split_once("```sh\n").unwrap().1.split_once("```").unwrap();
    let dir = Dir::new();
    fs::create_dir(dir.path("bin")).unwrap();
    for (name, code) in [("curl", "cp next.txt new.txt"), ("mail", "echo \"$@\" > mailed.txt; cat >> mailed.txt")] {
        dir.write(&format!("bin/{name}"), format!("#!/bin/sh\n{code}\n"));
        fs::set_permissions(dir.path(&format!("bin/{name}")), fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_robosieve"), dir.path("bin/robosieve")).unwrap();
    let path = format!("{}:{}", dir.path("bin").display(), std::env::var("PATH").unwrap());
    let run = |next: &str| {
        dir.write("next.txt", next);
        let script =
            Command::new("sh").args(["-c", script]).current_dir(dir.path(".")).env("PATH", &path).output().unwrap();
        assert!(script.status.success(), "{script:?}");
        let mailed = fs::read_to_string(dir.path("mailed.txt")).ok();
        let _ = fs::remove_file(dir.path("mailed.txt"));
        mailed
    };
    dir.write("old.txt", "User-agent: *\nDisallow: /a\n");
    assert_eq!(run("user-agent: *\nDisallow: /a # as before\n"), None);
    let mailed = run("User-agent: *\nDisallow: /a\nUser-agent: GPTBot\nDisallow: /\n").unwrap();
    assert!(mailed.starts_with("-s robots.txt has changed owner@example.com\n"), "{mailed}");
    assert!(mailed.contains("agents added: GPTBot"), "{mailed}");
    let mailed = run("<html>").unwrap();
    assert!(mailed.contains("the input looks like an HTML page"), "{mailed}");
}
