//! The coding of a body, by the headers of its response.
//!
//! Invariant: an unknown coding, or more than one that is declared, is never read as text, because it would look like a
//! file without rules. The same holds for a transfer coding that the client does not decode. The number of coded bytes
//! is limited too, because coded bytes can decode to nothing.

use std::io::Read as _;

use flate2::bufread::GzDecoder;

use crate::retrieve::Cut;
use crate::retrieve::head::Head;

/// The codings that requests accept. Not `deflate`: servers send two formats under that name, and we read one.
#[cfg(feature = "driver")]
pub(crate) const ACCEPTED: &str = "gzip";

/// Coded bytes allowed above the limit for decoded ones: a coding makes data that it can't compress a little longer.
const EXTRA: usize = 65_536;

/// How a body is coded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Gzip,
    /// It can't be decoded: the reason.
    Unknown(String),
}

impl Coding {
    /// The coding by all `Content-Encoding` and all `Transfer-Encoding` lines. The client has decoded one `chunked`,
    /// and the content's coding too if `is_decoded`. In HTTP/1.0, which has no transfer codings, it has decoded
    /// nothing.
    pub(crate) fn of(head: &Head, is_decoded: bool) -> Self {
        let unknown = |kind: &str, coding: &[u8]| {
            Self::Unknown(format!("{kind} coding not understood: {}", String::from_utf8_lossy(coding)))
        };
        let lists = (head.list("transfer-encoding"), head.list("content-encoding"));
        let (Some(transfer), Some(content)) = lists else { return unknown("content", b"too many names") };
        let (mut undone, mut transfer) = (head.is_http_10, names(transfer));
        if let Some(left) = transfer.find(|coding| !is(coding, &[b"chunked"]) || std::mem::replace(&mut undone, true)) {
            return unknown("transfer", left);
        }
        let mut named = names(content).filter(|_| !is_decoded);
        match (named.next(), named.next()) {
            (None, _) => Self::Plain,
            (Some(coding), None) if is(coding, &[b"gzip", b"x-gzip"]) => Self::Gzip,
            (Some(coding), _) => unknown("content", coding),
        }
    }

    /// The most bytes of which `max` decoded ones can be kept, if any can.
    pub(crate) fn most(&self, max: usize) -> Option<usize> {
        match self {
            Self::Plain => Some(max),
            Self::Gzip => Some(max.saturating_add(EXTRA)),
            Self::Unknown(_) => None,
        }
    }

    /// What a body without a declared coding is packed in, by its first bytes: servers send `robots.txt.gz` as it is.
    fn undeclared(body: &[u8]) -> Self {
        match body {
            [0x1F, 0x8B, 0x08, ..] => Self::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => {
                Self::Unknown("it is zstd data".into())
            }
            _ => Self::Plain,
        }
    }

    /// The decoded body, at most `max` bytes of it, and why it is not the whole. Of a body that is damaged nothing is
    /// kept: any byte of it may be wrong.
    pub(crate) fn undone(self, mut body: Vec<u8>, max: usize) -> (Vec<u8>, Option<(Cut, String)>) {
        let most = self.most(max).unwrap_or_default();
        let is_long = body.len() > most;
        body.truncate(most);
        let is_declared = self != Self::Plain;
        match if is_declared { self } else { Self::undeclared(&body) } {
            Self::Plain => (body, is_long.then(|| (Cut::AtCap, TOO_LONG.into()))),
            Self::Gzip => match gunzipped(&body, max) {
                (body, Ok(())) if is_long => (body, Some((Cut::Early, "the coded body is too long".into()))),
                // A packed file may be sent coded.
                (body, Ok(())) if is_declared => Self::Plain.undone(body, max),
                (body, end) => (body, end.err()),
            },
            Self::Unknown(why) => (Vec::new(), Some((Cut::Early, why))),
        }
    }
}

/// The codings of a list other than `identity`. Some servers write `none` or a character set, and code nothing.
fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let named = list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    named.filter(|coding| !coding.is_empty() && !is(coding, &[b"identity", b"none", b"utf-8"]))
}

fn is(coding: &[u8], names: &[&[u8]]) -> bool {
    names.iter().any(|name| coding.eq_ignore_ascii_case(name))
}

const TOO_LONG: &str = "the body is too long";

/// Decodes gzip, one member after another, up to `max` bytes. Zeros after a member are padding, as of tapes and disks.
fn gunzipped(mut coded: &[u8], max: usize) -> (Vec<u8>, Result<(), (Cut, String)>) {
    let mut body = Vec::new();
    loop {
        let room = max.saturating_sub(body.len()).saturating_add(1);
        let mut member = GzDecoder::new(coded).take(u64::try_from(room).unwrap_or(u64::MAX));
        match member.read_to_end(&mut body) {
            Ok(_) if body.len() > max => {
                body.truncate(max);
                return (body, Err((Cut::AtCap, TOO_LONG.into())));
            }
            Ok(_) => coded = member.into_inner().into_inner(),
            Err(error) => return (Vec::new(), Err((Cut::Early, format!("the coded body is not whole: {error}")))),
        }
        if coded.iter().all(|&byte| byte == 0) {
            return (body, Ok(()));
        }
    }
}
