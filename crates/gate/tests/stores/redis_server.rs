//! A Redis server of a test: on a socket in a folder of its own, without a backup, stopped when it is dropped.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use robosieve_gate::RedisStore;

pub(crate) struct Server {
    folder: tempfile::TempDir,
    running: Option<Child>,
}

impl Server {
    /// Starts one, and waits until a lane that is new to it is free at once.
    pub(crate) fn start() -> Self {
        let mut server = Self { folder: tempfile::tempdir().unwrap(), running: None };
        server.run();
        std::thread::sleep(Duration::from_millis(2_100));
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("unix://{}?prefix=test*[a]", self.folder.path().join("socket").display())
    }

    /// Starts it after it was killed, and waits until it can be used.
    pub(crate) fn run(&mut self) {
        let socket = self.folder.path().join("socket");
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"]).arg(socket);
        command.arg("--dir").arg(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        self.running = Some(command.spawn().expect("Debian's package redis-server is needed"));
        let until = Instant::now() + Duration::from_secs(10);
        while let Err(error) = RedisStore::open(&self.url()) {
            assert!(Instant::now() < until, "{error}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills it. What it does not keep on a disk is lost.
    pub(crate) fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill().unwrap();
            running.wait().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
