//! Makes file names from URLs and hashes.
//!
//! Invariant: no name leads out of its directory.

use std::path::PathBuf;

use data_encoding::HEXLOWER;

/// The path of a URL's text in a mirrored directory: scheme, host and path. Bytes that a name cannot contain, and `%`,
/// are written as `%XX`, and a part without a name as `%`, so different URLs have different files.
pub(crate) fn mirror_of(url: &str) -> Option<PathBuf> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(end)?;
    let path = path.split('#').next().unwrap_or_default();
    let mut mirror = PathBuf::from(plain(&scheme.to_ascii_lowercase())?);
    mirror.push(plain(&host.to_ascii_lowercase())?);
    let path = path.strip_prefix('/').unwrap_or(path);
    mirror.extend(path.split('/').map(|part| plain(part).unwrap_or_else(|| "%".into())));
    Some(mirror)
}

fn plain(part: &str) -> Option<String> {
    let is_dots = part.bytes().all(|byte| byte == b'.');
    let mut name = String::new();
    for byte in part.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.~+=,".contains(&byte);
        if is_plain && !is_dots {
            name.push(char::from(byte));
        } else {
            name.push('%');
            name.push_str(&hex(&[byte]).to_ascii_uppercase());
        }
    }
    Some(name).filter(|name| !name.is_empty())
}

/// Each byte as two lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.output]
    #[test]
    fn no_url_leads_out_of_the_mirror() {
        for (url, expected) in [
            ("http://E.com:80/robots.txt", Some("http/e.com%3A80/robots.txt")),
            ("http://e.com/../../etc/passwd", Some("http/e.com/%2E%2E/%2E%2E/etc/passwd")),
            ("http://../robots.txt", Some("http/%2E%2E/robots.txt")),
            ("http://e.com/a\\b\0c?q=/x#y", Some("http/e.com/a%5Cb%00c%3Fq=/x")),
            ("http://e.com//robots.txt", Some("http/e.com/%/robots.txt")),
            ("http://e.com/a/", Some("http/e.com/a/%")),
            ("http://e.com/", Some("http/e.com/%")),
            ("http://e.com/c%3Fq", Some("http/e.com/c%253Fq")),
            ("http:///robots.txt", None),
            ("robots.txt", None),
        ] {
            assert_eq!(mirror_of(url), expected.map(PathBuf::from), "{url}");
        }
    }
}
