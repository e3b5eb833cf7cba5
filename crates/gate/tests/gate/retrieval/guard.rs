use robosieve_gate::retrieve::AddressGuard;

use crate::retrieval::play::ip;

/// Purposes and addresses, at the edges of each network: [retrieve.address-guard]
const PURPOSES: &str = "\
    unspecified 0.0.0.0 0.255.255.255 :: ::ffff:0:0
    global 1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
    global 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0
    global 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
    global ::ffff:8.8.8.8 64:ff9b::808:808 2001:200:: 2001:db7:ffff:: 2001:db9:: 2606:2800:21f::1 3fff:1000::
    private 10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 ::ffff:10.0.0.1
    private 64:ff9b::a00:1 fc00::1 fd00:ec2::254 fec0::1
    shared 100.64.0.0 100.100.100.200 100.127.255.255
    loopback 127.0.0.0 127.255.255.255 ::1 ::ffff:127.0.0.1 64:ff9b::7f00:1
    metadata 168.63.129.16
    link-local 169.254.0.0 169.254.169.254 169.254.255.255 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe fe80::1 febf::1
    reserved 192.0.0.0 192.0.0.192 240.0.0.0 255.255.255.254 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1
    reserved 64:ff9b:0:0:0:1:: 100::1 1fff:ffff:: 2001:10::1 2001:1ff:ffff:: 3ffe::1 4000:: 5f00::1 fbff:: fe00::1
    documentation 192.0.2.0 192.0.2.255 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1 3fff:fff:ffff::
    tunnel 192.88.99.1 64:ff9b:1::808:808 2001::1 2001:0:7f00:1:: 2002:7f00:1::
    benchmarking 198.18.0.0 198.19.255.255 2001:2::1
    multicast 224.0.0.0 239.255.255.255 255.255.255.255 ff02::1
";

/// Each is refused with its purpose, in a whole sentence, unless it is global: [retrieve.address-guard]
#[test]
fn purposes() {
    for line in PURPOSES.lines() {
        let mut words = line.split_whitespace();
        let purpose = words.next().unwrap();
        for address in words {
            let refusal = AddressGuard::global_only().refusal(ip(address));
            let article = if purpose == "unspecified" { "an" } else { "a" };
            let words = format!("refused: {} is {article} {purpose} address", ip(address).to_canonical());
            assert_eq!(refusal, (purpose != "global").then_some(words), "{address}");
            assert_eq!(AddressGuard::anything().refusal(ip(address)), None, "{address}");
        }
    }
}

/// An allowed network is allowed in either form, and its neighbours are not: [retrieve.address-guard]
#[test]
fn allowed_networks() {
    let guard = AddressGuard::global_only().allowing("127.0.0.0/30".parse().unwrap());
    for (address, admitted) in [("127.0.0.3", true), ("::ffff:127.0.0.3", true), ("127.0.0.4", false), ("::1", false)] {
        assert_eq!(guard.refusal(ip(address)).is_none(), admitted, "{address}");
    }
}

/// Private networks are allowed without the metadata services in them, and without link-local addresses: [cmd.network]
#[test]
fn private_networks_have_no_metadata_services() {
    let guard = AddressGuard::global_only().allowing_private();
    let inside = "127.0.0.1 ::1 10.1.2.3 172.31.0.1 192.168.1.1 ::ffff:192.168.1.1 fd00::1 fc00::1 fdff::1 \
             fd00:ec1::254 fd00:ec3::1 fd20:ce::253 fd00:42::43";
    for inside in inside.split_whitespace() {
        assert_eq!(guard.refusal(ip(inside)), None, "{inside}");
    }
    let outside = "169.254.169.254 fe80::1 fd00:ec2::254 fd00:ec2:ffff::1 fd20:ce::254 fd00:c1::a9fe:a9fe fd00:42::42 \
             fd00:a9fe:a9fe::1 fd00:100::100:200 100.100.100.200 0.0.0.0 64:ff9b::10.0.0.1 fe00::1";
    for outside in outside.split_whitespace() {
        assert!(guard.refusal(ip(outside)).is_some(), "{outside}");
    }
    let both = guard.allowing("fd00:42::42/128".parse().unwrap());
    assert_eq!(both.refusal(ip("fd00:42::42")), None, "a network that is named is allowed");
}
