//! What this program or this system has no more of.
//!
//! Invariant: an error that says so is never a failure of a site.

use std::io::{self, ErrorKind};

/// Numbers of the system's errors: no more file descriptors (in the process, in the system), no more buffers.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const NO_DESCRIPTORS: [i32; 3] = [24, 23, 105];
#[cfg(windows)]
pub(super) const NO_DESCRIPTORS: [i32; 3] = [10_024, 10_055, 4];
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
pub(super) const NO_DESCRIPTORS: [i32; 3] = [24, 23, 55];

/// Whether the error says that this program or this system has no more file descriptors, buffers or memory.
pub(super) fn lacks_something(error: &io::Error) -> bool {
    error.kind() == ErrorKind::OutOfMemory
        || error.raw_os_error().is_some_and(|number| NO_DESCRIPTORS.contains(&number))
}
