//! A `PostgreSQL` server of a test: on a socket in a folder of its own, killed when it is dropped.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use robosieve_gate::PostgresStore;

use crate::servers::StoreServer;

pub(crate) struct Server {
    folder: tempfile::TempDir,
    running: Option<Child>,
}

/// The folder of the server's programs. Debian does not put them into the PATH.
fn programs() -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql").map_or_else(
        |_| Vec::new(),
        |folders| folders.filter_map(|folder| Some(folder.ok()?.path().join("bin"))).collect(),
    );
    found.retain(|folder| folder.join("initdb").exists());
    found.sort();
    found.pop().expect("Debian's package postgresql is needed")
}

/// A program that runs as nobody if we are root: the server refuses to run as root.
fn unprivileged(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout.trim_ascii() == b"0"
}

impl Server {
    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn made() -> Self {
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            let done = Command::new("chown").arg("65534:65534").arg(folder.path()).status().unwrap();
            assert!(done.success());
        }
        let server = Self { folder, running: None };
        let mut command = unprivileged(&programs().join("initdb"));
        command.args(["--no-sync", "--auth=trust", "--username=test", "--encoding=UTF8", "--no-locale", "-D"]);
        let output = command.arg(server.data()).current_dir(server.folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        server
    }

    /// Runs SQL as an administrator does, and returns what it printed.
    pub(crate) fn sql(&self, sql: &str) -> String {
        let mut command = Command::new(programs().join("psql"));
        command.args(["-X", "-A", "-t", "-U", "test", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql, "-h"]);
        let output = command.arg(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Kills a process of the server; all of them start again by themselves then, and what was not logged is lost.
    pub(crate) fn crash(&self) {
        let process = self.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
        assert!(Command::new("kill").args(["-KILL", &process]).status().unwrap().success());
        std::thread::sleep(Duration::from_millis(50));
        self.wait();
    }

    /// Stops it as an administrator does. It loses nothing.
    pub(crate) fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
            running.wait().unwrap();
        }
    }

    fn wait(&self) {
        let until = Instant::now() + Duration::from_secs(20);
        while let Err(error) = PostgresStore::open(&self.url()) {
            assert!(Instant::now() < until, "{error}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl StoreServer for Server {
    fn start() -> Self {
        let mut server = Self::made();
        server.run();
        // A lane that is new to it is free at once from here on.
        std::thread::sleep(Duration::from_millis(2_100));
        server
    }

    fn url(&self) -> String {
        format!("postgres://test@/postgres?host={}&schema=some_sites", self.folder.path().display())
    }

    fn run(&mut self) {
        let mut command = unprivileged(&programs().join("postgres"));
        command.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        // The disk's speed is not tested here; a killed process loses nothing by that.
        command.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=300"]);
        command.args(["-c", "shared_buffers=16MB"]).current_dir(self.folder.path()).stdin(Stdio::null());
        self.running = Some(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        self.wait();
    }

    fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            let parent = running.id().to_string();
            let children = Command::new("ps").args(["-o", "pid=", "--ppid", &parent]).output().unwrap().stdout;
            running.kill().unwrap();
            running.wait().unwrap();
            // They end by themselves, but not before they notice it. The next start waits for that.
            for child in String::from_utf8_lossy(&children).split_ascii_whitespace() {
                let until = Instant::now() + Duration::from_secs(10);
                while is_postgres(child) && Instant::now() < until {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            let _ = std::fs::remove_file(self.data().join("postmaster.pid"));
        }
    }
}

/// Whether the process still is one of a server.
fn is_postgres(process: &str) -> bool {
    let mut name = String::new();
    std::fs::File::open(format!("/proc/{process}/comm"))
        .and_then(|mut file| file.read_to_string(&mut name))
        .is_ok_and(|_| name.trim() == "postgres")
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
