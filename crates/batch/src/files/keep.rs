//! Gives a new file what the file has that it replaces: owner, group, mode, access lists and other attributes.
//!
//! Invariant: all of it, or the answer is that it cannot be done here, and the file must not be replaced.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Whether the new file may take the place of the old one, at this path.
#[cfg(unix)]
pub(super) fn keep(path: &Path, old: &fs::Metadata, new: &File) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    // Its other names would keep the old content.
    if old.nlink() > 1 {
        return Ok(false);
    }
    let owner = |found: &fs::Metadata| (found.uid(), found.gid());
    if owner(&new.metadata()?) != owner(old) && fchown(new, Some(old.uid()), Some(old.gid())).is_err() {
        return Ok(false);
    }
    // New content runs as nobody else: the bits for the owner's and the group's identity go.
    let mode = old.mode() & 0o1777;
    // An access list changes the mode, so it comes first.
    if attributes::keep(path, new).is_err() || new.set_permissions(fs::Permissions::from_mode(mode)).is_err() {
        return Ok(false);
    }
    // Some file systems accept anything and change nothing.
    let now = new.metadata()?;
    Ok(owner(&now) == owner(old) && now.mode() & 0o7777 == mode)
}

/// Safe code cannot read here who may do what with a file.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(super) fn keep(_: &Path, _: &fs::Metadata, _: &File) -> io::Result<bool> {
    Ok(false)
}

/// Access lists are attributes on Linux.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod attributes {
    use std::collections::BTreeMap;
    use std::ffi::CString;
    use std::fs::File;
    use std::path::Path;

    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr, lgetxattr, llistxattr};
    use rustix::io::{Errno, Result};

    /// The most that Linux has. If there is more elsewhere, the file is not replaced.
    const MAX_BYTES: usize = 1 << 16;
    /// They say something about the content, or give it rights.
    const OF_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.evm", b"security.ima"];

    type Attributes = BTreeMap<CString, Vec<u8>>;

    pub(super) fn keep(path: &Path, new: &File) -> Result<()> {
        let old = all(|list| llistxattr(path, list), |name, value| lgetxattr(path, name, value))?;
        let mut now = all(|list| flistxattr(new, list), |name, value| fgetxattr(new, name, value))?;
        for (name, value) in old {
            if now.remove(&name).is_none_or(|now| now != value) {
                fsetxattr(new, &name, &value, XattrFlags::empty())?;
            }
        }
        // The folder may have given it an access list of its own.
        for name in now.into_keys() {
            let is_systems = name.as_bytes().starts_with(b"security.") || name.as_bytes().starts_with(b"com.apple.");
            fremovexattr(new, &name).or_else(|error| if is_systems { Ok(()) } else { Err(error) })?;
        }
        Ok(())
    }

    fn all(
        list: impl Fn(&mut [u8]) -> Result<usize>,
        get: impl Fn(&CString, &mut [u8]) -> Result<usize>,
    ) -> Result<Attributes> {
        let mut found = Attributes::new();
        let (mut names, mut value) = (vec![0; MAX_BYTES], vec![0; MAX_BYTES]);
        let length = match list(&mut names) {
            Err(Errno::NOTSUP) => 0,
            length => length?,
        };
        for name in names.get(..length).unwrap_or_default().split(|byte| *byte == 0) {
            if name.is_empty() || OF_CONTENT.contains(&name) {
                continue;
            }
            let Ok(name) = CString::new(name) else { continue };
            let length = get(&name, &mut value)?;
            found.insert(name, value.get(..length).unwrap_or_default().to_owned());
        }
        Ok(found)
    }
}

/// Not known here.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android", target_vendor = "apple"))))]
mod attributes {
    use std::fs::File;
    use std::io::Result;
    use std::path::Path;

    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) const fn keep(_: &Path, _: &File) -> Result<()> {
        Ok(())
    }
}
