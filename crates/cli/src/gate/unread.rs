//! Whether the reader of the output has taken what was written.
//!
//! Invariant: only a pipe is waited for, and only while it has a reader.

use std::time::{Duration, Instant};

use robosieve_gate::Moment;
use robosieve_gate::crawl::CheckedUrl;

use super::asker::Asker;

/// Lines that were read later than this after they were written start their delay then. Our choice.
const LATE: Duration = Duration::from_millis(20);

/// How long nobody looks whether the lines were read, at first and later.
const LOOK_SOON: Duration = Duration::from_micros(100);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// The URLs that were written to the output, and that nobody may have read yet.
pub(super) struct Unread {
    pipe: Option<pipe::Pipe>,
    urls: Vec<(String, Moment)>,
    since: Option<Instant>,
}

impl Unread {
    /// Of the standard output, if that is a pipe; of nothing, if the reader is not waited for.
    pub(super) fn of_stdout(is_waited_for: bool) -> Self {
        Self { pipe: is_waited_for.then(pipe::Pipe::of_stdout).flatten(), urls: Vec::new(), since: None }
    }

    /// Notes a URL that was started. Returns whether it was, so that its line has to be written out.
    pub(super) fn add(&mut self, checked: &CheckedUrl) -> bool {
        let started = checked.at().filter(|_| self.pipe.is_some());
        self.urls.extend(started.map(|at| (checked.url.clone(), at)));
        started.is_some()
    }

    /// Waits for a moment if a URL that was written out is not read yet. Returns whether it waited.
    pub(super) fn wait(&mut self, gate: &Asker) -> bool {
        let Some(pipe) = self.pipe.as_ref().filter(|_| !self.urls.is_empty()) else { return false };
        if pipe.is_unread() {
            let since = self.since.get_or_insert_with(Instant::now);
            pipe.wait(if since.elapsed() > LATE { LOOK_AGAIN } else { LOOK_SOON });
            return true;
        }
        let is_late = self.since.take().is_some_and(|since| since.elapsed() > LATE);
        for (url, started) in self.urls.drain(..).filter(|_| is_late) {
            // The slot is taken once more, now. If the lane has changed since, later slots are taken already; if the
            // store fails, so does the next answer.
            let now = gate.now();
            let _ = gate.give_back(&url, started, now).and_then(|()| gate.start(&url, now).map(drop));
        }
        false
    }
}

#[cfg(target_os = "linux")]
mod pipe {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    pub(super) struct Pipe(File);

    impl Pipe {
        pub(super) fn of_stdout() -> Option<Self> {
            let file = File::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
            file.metadata().is_ok_and(|found| found.file_type().is_fifo()).then_some(Self(file))
        }

        pub(super) fn is_unread(&self) -> bool {
            rustix::io::ioctl_fionread(&self.0).is_ok_and(|bytes| bytes > 0) && !self.is_abandoned(Duration::ZERO)
        }

        /// Waits for so long, or until the reader is gone.
        pub(super) fn wait(&self, most: Duration) {
            self.is_abandoned(most);
        }

        /// Whether the reader is gone, or goes within this time.
        fn is_abandoned(&self, within: Duration) -> bool {
            let within = Timespec { tv_sec: 0, tv_nsec: within.subsec_nanos().into() };
            let mut ends = [PollFd::new(&self.0, PollFlags::empty())];
            poll(&mut ends, Some(&within)).is_ok_and(|changed| changed > 0)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod pipe {
    use std::time::Duration;

    /// No pipe can be asked.
    pub(super) enum Pipe {}

    impl Pipe {
        pub(super) const fn of_stdout() -> Option<Self> {
            None
        }

        pub(super) const fn is_unread(&self) -> bool {
            match *self {}
        }

        pub(super) const fn wait(&self, _: Duration) {
            match *self {}
        }
    }
}
