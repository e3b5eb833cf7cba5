use robosieve_gate::retrieve::{AddressGuard, AddressKind, Outcome};

use crate::retrieval::play::{World, ip, redirect};

/// Addresses and their purposes, at the edges of each network: [retrieve.address-guard]
const KINDS: &[(&str, AddressKind)] = &[
    ("0.0.0.0", AddressKind::Unspecified),
    ("0.255.255.255", AddressKind::Unspecified),
    ("1.0.0.0", AddressKind::Global),
    ("9.255.255.255", AddressKind::Global),
    ("10.0.0.0", AddressKind::Private),
    ("10.255.255.255", AddressKind::Private),
    ("11.0.0.0", AddressKind::Global),
    ("100.63.255.255", AddressKind::Global),
    ("100.64.0.0", AddressKind::Shared),
    ("100.100.100.200", AddressKind::Shared),
    ("100.127.255.255", AddressKind::Shared),
    ("100.128.0.0", AddressKind::Global),
    ("126.255.255.255", AddressKind::Global),
    ("127.0.0.0", AddressKind::Loopback),
    ("127.255.255.255", AddressKind::Loopback),
    ("128.0.0.0", AddressKind::Global),
    ("168.63.129.15", AddressKind::Global),
    ("168.63.129.16", AddressKind::Metadata),
    ("168.63.129.17", AddressKind::Global),
    ("169.253.255.255", AddressKind::Global),
    ("169.254.0.0", AddressKind::LinkLocal),
    ("169.254.169.254", AddressKind::LinkLocal),
    ("169.254.255.255", AddressKind::LinkLocal),
    ("169.255.0.0", AddressKind::Global),
    ("172.15.255.255", AddressKind::Global),
    ("172.16.0.0", AddressKind::Private),
    ("172.31.255.255", AddressKind::Private),
    ("172.32.0.0", AddressKind::Global),
    ("191.255.255.255", AddressKind::Global),
    ("192.0.0.0", AddressKind::Reserved),
    ("192.0.0.192", AddressKind::Reserved),
    ("192.0.1.0", AddressKind::Global),
    ("192.0.2.0", AddressKind::Documentation),
    ("192.0.2.255", AddressKind::Documentation),
    ("192.0.3.0", AddressKind::Global),
    ("192.88.98.255", AddressKind::Global),
    ("192.88.99.1", AddressKind::Tunnel),
    ("192.88.100.0", AddressKind::Global),
    ("192.167.255.255", AddressKind::Global),
    ("192.168.0.0", AddressKind::Private),
    ("192.168.255.255", AddressKind::Private),
    ("192.169.0.0", AddressKind::Global),
    ("198.17.255.255", AddressKind::Global),
    ("198.18.0.0", AddressKind::Benchmarking),
    ("198.19.255.255", AddressKind::Benchmarking),
    ("198.20.0.0", AddressKind::Global),
    ("198.51.100.1", AddressKind::Documentation),
    ("203.0.113.1", AddressKind::Documentation),
    ("223.255.255.255", AddressKind::Global),
    ("224.0.0.0", AddressKind::Multicast),
    ("239.255.255.255", AddressKind::Multicast),
    ("240.0.0.0", AddressKind::Reserved),
    ("255.255.255.254", AddressKind::Reserved),
    ("255.255.255.255", AddressKind::Multicast),
    ("::", AddressKind::Unspecified),
    ("::1", AddressKind::Loopback),
    ("::2", AddressKind::Reserved),
    // IPv4-compatible, which is deprecated.
    ("::127.0.0.1", AddressKind::Reserved),
    ("::8.8.8.8", AddressKind::Reserved),
    ("::ffff:0:0", AddressKind::Unspecified),
    ("::ffff:127.0.0.1", AddressKind::Loopback),
    ("::ffff:10.0.0.1", AddressKind::Private),
    ("::ffff:169.254.169.254", AddressKind::LinkLocal),
    ("::ffff:8.8.8.8", AddressKind::Global),
    // IPv4-translated (RFC 2765).
    ("::ffff:0:127.0.0.1", AddressKind::Reserved),
    ("64:ff9b::7f00:1", AddressKind::Loopback),
    ("64:ff9b::a9fe:a9fe", AddressKind::LinkLocal),
    ("64:ff9b::a00:1", AddressKind::Private),
    ("64:ff9b::808:808", AddressKind::Global),
    ("64:ff9b:0:0:0:1::", AddressKind::Reserved),
    ("64:ff9b:1::808:808", AddressKind::Tunnel),
    ("100::1", AddressKind::Reserved),
    ("1fff:ffff::", AddressKind::Reserved),
    ("2001::1", AddressKind::Tunnel),
    ("2001:0:7f00:1::", AddressKind::Tunnel),
    ("2001:2::1", AddressKind::Benchmarking),
    ("2001:10::1", AddressKind::Reserved),
    ("2001:1ff:ffff::", AddressKind::Reserved),
    ("2001:200::", AddressKind::Global),
    ("2001:db7:ffff::", AddressKind::Global),
    ("2001:db8::1", AddressKind::Documentation),
    ("2001:db9::", AddressKind::Global),
    ("2002:7f00:1::", AddressKind::Tunnel),
    ("2606:2800:21f::1", AddressKind::Global),
    ("3ffe::1", AddressKind::Reserved),
    ("3fff::1", AddressKind::Documentation),
    ("3fff:fff:ffff::", AddressKind::Documentation),
    ("3fff:1000::", AddressKind::Global),
    ("4000::", AddressKind::Reserved),
    ("5f00::1", AddressKind::Reserved),
    ("fbff::", AddressKind::Reserved),
    ("fc00::1", AddressKind::Private),
    ("fd00:ec2::254", AddressKind::Private),
    ("fe00::1", AddressKind::Reserved),
    ("fe80::1", AddressKind::LinkLocal),
    ("febf::1", AddressKind::LinkLocal),
    ("fec0::1", AddressKind::Private),
    ("ff02::1", AddressKind::Multicast),
];

/// [retrieve.address-guard]
#[test]
fn kinds() {
    for (address, kind) in KINDS {
        assert_eq!(AddressKind::of(ip(address)), *kind, "{address}");
        let admitted = AddressGuard::global_only().admits(ip(address));
        assert_eq!(admitted.err(), (*kind != AddressKind::Global).then_some(*kind), "{address}");
        assert!(AddressGuard::anything().admits(ip(address)).is_ok(), "{address}");
    }
}

/// An allowed network is allowed in either form, and its neighbours are not: [retrieve.address-guard]
#[test]
fn allowed_networks() {
    let guard = AddressGuard::global_only().allowing("127.0.0.0/30".parse().unwrap());
    for (address, admitted) in [("127.0.0.3", true), ("::ffff:127.0.0.3", true), ("127.0.0.4", false), ("::1", false)] {
        assert_eq!(guard.admits(ip(address)).is_ok(), admitted, "{address}");
    }
}

/// A refusal names the purpose in a whole sentence: [retrieve.address-guard]
#[test]
fn refusals_are_sentences() {
    for (address, words) in [
        ("0.0.0.0", "refused: 0.0.0.0 is an unspecified address"),
        ("::", "refused: :: is an unspecified address"),
        ("169.254.169.254", "refused: 169.254.169.254 is a link-local address"),
        ("240.0.0.1", "refused: 240.0.0.1 is a reserved address"),
    ] {
        assert_eq!(AddressGuard::global_only().refusal(ip(address)).as_deref(), Some(words));
    }
}

/// A refused address is refused in every spelling of a redirect: [retrieve.address-guard] [retrieve.redirect]
#[test]
fn refused_at_every_hop() {
    for target in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://0/",
        "http://[::ffff:7f00:1]/",
        "http://[::]/",
        "http://[64:ff9b::169.254.169.254]/latest/meta-data/",
        "http://%EF%BC%9127.0.0.1/",
        "http://localhost/",
        "http://user@localhost:80/",
    ] {
        let server = |at, address, _: &str| {
            assert_eq!(at, 0, "{target} was asked at {address}");
            redirect(301, target)
        };
        let played = World::default().one(server);
        assert_eq!((played.retrieval.outcome, played.asked.len()), (Outcome::NotAsked, 1), "{target}");
    }
}

/// Private networks are allowed without the metadata services in them, and without link-local addresses: [cmd.network]
#[test]
fn private_networks_have_no_metadata_services() {
    let guard = AddressGuard::global_only().allowing_private();
    for inside in [
        "127.0.0.1",
        "::1",
        "10.1.2.3",
        "172.31.0.1",
        "192.168.1.1",
        "::ffff:192.168.1.1",
        "fd00::1",
        "fc00::1",
        "fdff::1",
        "fd00:ec1::254",
        "fd00:ec3::1",
        "fd20:ce::253",
        "fd00:42::43",
    ] {
        assert_eq!(guard.admits(ip(inside)), Ok(()), "{inside}");
    }
    for outside in [
        "169.254.169.254",
        "fe80::1",
        "fd00:ec2::254",
        "fd00:ec2:ffff::1",
        "fd20:ce::254",
        "fd00:c1::a9fe:a9fe",
        "fd00:42::42",
        "fd00:a9fe:a9fe::1",
        "fd00:100::100:200",
        "100.100.100.200",
        "0.0.0.0",
        "64:ff9b::10.0.0.1",
        "fe00::1",
    ] {
        assert!(guard.admits(ip(outside)).is_err(), "{outside}");
    }
    let both = guard.allowing("fd00:42::42/128".parse().unwrap());
    assert_eq!(both.admits(ip("fd00:42::42")), Ok(()), "a network that is named is allowed");
}
