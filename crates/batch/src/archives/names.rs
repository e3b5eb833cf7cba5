//! Makes file names from URLs.
//!
//! Invariant: no name leads out of its folder, and each is one on every platform. No two URLs have the same, nor one
//! that differs by case only, and none is that of a file and of a folder.

use std::path::PathBuf;

use data_encoding::HEXUPPER;

use crate::files::is_device_name;

/// The path of a URL's text in a folder of texts: scheme, host and path. Different URLs have different files, on every
/// platform: [`written`] says how.
pub(crate) fn mirror_of(url: &str) -> Option<PathBuf> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(end).filter(|(host, _)| !host.is_empty() && !scheme.is_empty())?;
    let path = path.split('#').next().unwrap_or_default();
    let mut mirror = PathBuf::from(written(&scheme.to_ascii_lowercase()));
    mirror.push(written(&host.to_ascii_lowercase()));
    let path = path.strip_prefix('/').unwrap_or(path);
    let (folders, file) = path.rsplit_once('/').map_or((None, path), |(folders, file)| (Some(folders), file));
    // No file has such a name.
    mirror.extend(folders.into_iter().flat_map(|folders| folders.split('/')).map(|folder| written(folder) + "@"));
    mirror.push(if file.is_empty() { "%".into() } else { written(file) });
    Some(mirror)
}

/// A part of a URL as a name. `%XX` stands for each byte that a name cannot have somewhere, for `%`, for capitals, which
/// some disks do not tell from small letters, for a dot at the end, and for the first letter of a device's name.
fn written(part: &str) -> String {
    let is_device = is_device_name(part);
    let last = part.len().saturating_sub(1);
    let is_dots = part.bytes().all(|byte| byte == b'.');
    let mut name = String::with_capacity(part.len());
    for (at, byte) in part.bytes().enumerate() {
        let is_plain = byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.~+=,".contains(&byte);
        let is_bad_here = is_device && at == 0 || is_dots || byte == b'.' && at == last;
        if is_plain && !is_bad_here {
            name.push(char::from(byte));
        } else {
            name.push('%');
            name.push_str(&HEXUPPER.encode(&[byte]));
        }
    }
    name
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]
mod tests {
    use super::*;

    /// [batch.names]
    #[test]
    fn names_stay_in_their_folder_and_are_names_everywhere() {
        for (url, expected) in [
            ("http://E.com:80/robots.txt", Some("http/e.com%3A80/robots.txt")),
            ("http://e.com/../../etc/passwd", Some("http/e.com/%2E%2E@/%2E%2E@/etc@/passwd")),
            ("http://../robots.txt", Some("http/%2E%2E/robots.txt")),
            ("http://e.com/a\\b\0c?q=/x#y", Some("http/e.com/a%5Cb%00c%3Fq=@/x")),
            ("http://e.com//robots.txt", Some("http/e.com/@/robots.txt")),
            ("http://e.com/a/", Some("http/e.com/a@/%")),
            ("http://e.com/", Some("http/e.com/%")),
            ("http://e.com", Some("http/e.com/%")),
            ("http://e.com/c%3Fq", Some("http/e.com/c%253%46q")),
            ("http:///robots.txt", None),
            ("://e.com/robots.txt", None),
            ("robots.txt", None),
            // What stands below a file's name is not in its place.
            ("http://e.com/robots.txt/x", Some("http/e.com/robots.txt@/x")),
            ("http://e.com/robots.txt@/x", Some("http/e.com/robots.txt%40@/x")),
            ("http://con/robots.txt", Some("http/%63on/robots.txt")),
            ("https://nul.Example/", Some("https/%6Eul.example/%")),
            ("https://aux.example./", Some("https/%61ux.example%2E/%")),
            ("http://com1:80/LPT\u{b9}.x/a.", Some("http/%63om1%3A80/%4C%50%54%C2%B9.x@/a%2E")),
            ("http://e.com/prn.txt/x ", Some("http/e.com/%70rn.txt@/x%20")),
            ("http://e.com/console/com10", Some("http/e.com/console@/com10")),
            ("AUX://CON/%43on", Some("%61ux/%63on/%2543on")),
        ] {
            assert_eq!(mirror_of(url), expected.map(PathBuf::from), "{url}");
        }
    }

    /// The URL that a name was made from. Its case is that of the URL, but for scheme and host.
    fn url_of(name: &str) -> String {
        let parts: Vec<&str> = name.split('/').collect();
        let read = |part: &str| {
            let mut bytes = Vec::new();
            let mut rest = part.as_bytes();
            while let [first, after @ ..] = rest {
                if let (b'%', Some(hex)) = (first, after.get(..2)) {
                    bytes.extend(HEXUPPER.decode(hex).unwrap());
                    rest = &after[2..];
                } else {
                    bytes.extend((*first != b'%').then_some(*first));
                    rest = after;
                }
            }
            String::from_utf8(bytes).unwrap()
        };
        let (file, folders) = parts[2..].split_last().unwrap();
        let folders: String = folders.iter().map(|part| read(part.strip_suffix('@').unwrap()) + "/").collect();
        format!("{}://{}/{folders}{}", read(parts[0]), read(parts[1]), read(file))
    }

    /// Random URLs of the parts that names have trouble with. [batch.names]
    #[test]
    fn names_are_unique_reversible_and_allowed() {
        let parts: Vec<&str> = "a A b / / / . ..   % %61 %2E @ ? # : \\ con CON Nul aux.x com1 com\u{b2} lpt9 conin$ \
            robots.txt e.com \u{e4} \u{c4} ~ * < | \" \n \0 \u{7f} +"
            .split(' ')
            .map(|part| if part.is_empty() { " " } else { part })
            .collect();
        let mut state = 49_u64;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
        };
        let (mut files, mut folders) = (std::collections::BTreeMap::new(), std::collections::BTreeSet::new());
        for _ in 0..40_000 {
            let mut url = String::from(["http://", "HTTPS://"][random(2)]);
            (0..=random(7)).for_each(|_| url.push_str(parts[random(parts.len())]));
            let Some(name) = mirror_of(&url) else { continue };
            let name: Vec<&str> = name.iter().map(|part| part.to_str().unwrap()).collect();
            for part in &name {
                assert!(part.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>:\"/\\|?*".contains(&byte)), "{part}");
                assert!(!part.ends_with('.') && !is_device_name(part), "{part}");
            }
            // As a disk without capitals has them, from the host on.
            let small = name.join("/").to_ascii_lowercase();
            let ends: Vec<usize> = small.match_indices('/').map(|(at, _)| at).collect();
            folders.extend(ends.into_iter().map(|end| small[..end].to_owned()));
            let whole = url_of(&name.join("/"));
            let (scheme, rest) = url.split_once("://").unwrap();
            let rest = rest.split('#').next().unwrap();
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            let path = rest[end..].strip_prefix('/').unwrap_or(&rest[end..]);
            let expected = format!("{}://{}/{path}", scheme.to_ascii_lowercase(), rest[..end].to_ascii_lowercase());
            assert_eq!(whole, expected, "the name {name:?} leads back to {url:?}");
            let other = files.insert(small, expected.clone());
            assert!(other.is_none_or(|other| other == expected), "{url}");
        }
        assert!(files.len() > 20_000, "{}", files.len());
        assert!(files.keys().all(|file| !folders.contains(file)));
    }
}
