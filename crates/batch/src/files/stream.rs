//! Names that lead to an open stream: a device, a pipe, a terminal, or a descriptor of a process (`/dev/stdout`,
//! `/dev/fd/3`, `/proc/self/fd/3`), whatever is behind it.
//!
//! Invariant: a stream is written at the place where it is, as by whoever opened it. It is never replaced, and never
//! made shorter.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Whether the path leads to a stream.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    descriptor(path).is_some()
        || is_device(path)
        || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Opens the stream that a path leads to, for writing. None if it is none.
///
/// # Errors
/// If it cannot be written.
pub fn stream(path: &Path) -> io::Result<Option<File>> {
    match descriptor(path) {
        Some(found) => shared(path, found).map(Some),
        None if is_stream(path) => OpenOptions::new().write(true).open(path).map(Some),
        None => Ok(None),
    }
}

/// Whether Windows takes the path for a device, in any folder and with any suffix.
fn is_device(path: &Path) -> bool {
    cfg!(windows) && path.file_name().is_some_and(|name| super::is_device_name(&name.to_string_lossy()))
}

/// A descriptor: its process and its number.
#[cfg(unix)]
type Descriptor = (Option<i32>, i32);

/// The descriptor that a path is a name of, also over links.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<Descriptor> {
    let mut path = path.to_owned();
    for _ in 0..super::MAX_LINKS {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let number = path.file_name()?.to_str().and_then(|name| name.parse().ok());
        if let (Ok(folder), Some(number)) = (parent.canonicalize(), number) {
            let parts: Vec<_> = folder.iter().filter_map(|part| part.to_str()).collect();
            match parts[..] {
                ["/", "dev", "fd"] => return Some((None, number)),
                ["/", "proc", process, "fd"] | ["/", "proc", process, "task", _, "fd"] => {
                    return process.parse().ok().map(|process| (Some(process), number));
                }
                _ => {}
            }
        }
        path = parent.join(fs::read_link(&path).ok()?);
    }
    None
}

#[cfg(not(unix))]
const fn descriptor(_: &Path) -> Option<std::convert::Infallible> {
    None
}

#[cfg(not(unix))]
fn shared(_: &Path, found: std::convert::Infallible) -> io::Result<File> {
    match found {}
}

/// The open file of a descriptor, with its place and its mode: to open its name again would begin at the start.
#[cfg(unix)]
fn shared(path: &Path, (process, number): Descriptor) -> io::Result<File> {
    use std::os::fd::AsFd as _;
    let is_own = process.is_none_or(|process| u32::try_from(process) == Ok(std::process::id()));
    let own = |stream: std::os::fd::BorrowedFd<'_>| stream.try_clone_to_owned().map(File::from);
    match number {
        1 if is_own => own(io::stdout().as_fd()),
        2 if is_own => own(io::stderr().as_fd()),
        _ => of_number(path, process, number),
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn of_number(path: &Path, process: Option<i32>, number: i32) -> io::Result<File> {
    use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
    let process = process.and_then(Pid::from_raw).unwrap_or_else(getpid);
    let got = pidfd_open(process, PidfdFlags::empty())
        .and_then(|process| pidfd_getfd(process, number, PidfdGetfdFlags::empty()));
    match got {
        Ok(descriptor) => Ok(File::from(descriptor)),
        // Old kernels do not know it, and some containers forbid it. What is not a file can be opened again.
        Err(_) if fs::metadata(path)?.is_file() => {
            Err(io::Error::other("this system does not let a program write through the name of a descriptor"))
        }
        Err(_) => OpenOptions::new().write(true).open(path),
    }
}

/// Here, to open the name is to share the descriptor.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn of_number(path: &Path, _: Option<i32>, _: i32) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}
