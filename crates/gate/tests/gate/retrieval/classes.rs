//! The class of each answer that the machine can return.
use robosieve_gate::decide::Class;

use crate::retrieval::play::{Reply, World, redirect, status};

/// Each status from 0 to 1,000, as the machine yields it: [gate.class] [retrieve.status]
#[test]
fn each_status_has_a_class() {
    for code in 0..=1_000 {
        let expected = match code {
            0..=199 => Class::NoAnswer,
            200 => Class::Success,
            206 => Class::Interrupted,
            202 | 204 | 205 => Class::NoContent,
            407 | 408 | 421 | 425 => Class::NotServed,
            201..=299 => Class::OtherSuccess,
            304 | 500.. => Class::ServerError,
            300..=399 => Class::Redirect,
            400 | 404 | 410 => Class::NoFile,
            401 | 403 => Class::Forbidden,
            429 => Class::TooManyRequests,
            402..=499 => Class::OtherRefusal,
        };
        assert_eq!(Class::of(&World::default().one(|_, _, _| status(code)).retrieval), expected, "{code}");
    }
    assert_eq!(Class::of(&World::default().one(|_, _, _| Reply::Fail).retrieval), Class::NoAnswer);
}

/// Redirects that can't be followed: in a circle, to another scheme, to no URL, to an internal address: [gate.class]
/// [retrieve.redirect]
#[test]
fn redirects_that_cannot_be_followed() {
    for target in ["/robots.txt", "file:///etc/passwd", "http://", "gopher://a.example/", "javascript:1"] {
        let played = World::default().one(|_, _, _| redirect(302, target));
        assert_eq!(Class::of(&played.retrieval), Class::Redirect, "{target}");
    }
    for target in [
        "http://127.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://0/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::]/",
    ] {
        let played = World::default().one(|_, _, _| redirect(302, target));
        assert_eq!(Class::of(&played.retrieval), Class::NoAnswer, "{target}");
        assert_eq!(played.asked.len(), 1, "{target}");
    }
}
