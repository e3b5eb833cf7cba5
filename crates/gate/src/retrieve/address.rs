//! Which addresses a retrieval may connect to.
//!
//! Invariant: an address that is not known to be global is refused, unless the caller allowed its network. An address
//! that contains another one (IPv4 in IPv6) is judged by the inner address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// A public host.
const GLOBAL: &str = "global";

/// The purpose of an address.
fn purpose(address: IpAddr) -> &'static str {
    let address = inner(address);
    PURPOSES.iter().find(|(network, _)| network.contains(&address)).map_or("reserved", |entry| entry.1)
}

/// The address that a connection to this one leads to: the IPv4 address in an IPv6 one, if it has one.
fn inner(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if NAT64.contains(&IpAddr::V6(v6)) => {
            let [.., a, b, c, d] = v6.octets();
            Ipv4Addr::new(a, b, c, d).into()
        }
        other => other,
    }
}

/// RFC 6052: the last 32 bits are an IPv4 address, which a translator connects to.
const NAT64: IpNet = v6([0x64, 0xff9b, 0, 0], 96);

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length))
}

const fn v6(front: [u16; 4], length: u8) -> IpNet {
    let [a, b, c, d] = front;
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), length))
}

const fn one(address: u128) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::from_bits(address), 128))
}

/// Purposes, from the registries of special-purpose addresses (RFC 6890 and later ones). The first network that contains
/// an address counts; one in none is reserved. `shared`: a network that a provider's customers share (RFC 6598).
/// `tunnel`: it leads to another address (6to4, Teredo, local NAT64). `link-local`: clouds have metadata services there.
const PURPOSES: &[(IpNet, &str)] = &[
    (v4(0, 0, 0, 0, 8), "unspecified"),
    (v4(10, 0, 0, 0, 8), "private"),
    (v4(100, 64, 0, 0, 10), "shared"),
    (v4(127, 0, 0, 0, 8), "loopback"),
    // Azure's platform service. It answers only inside Azure's machines.
    (v4(168, 63, 129, 16, 32), "metadata"),
    (v4(169, 254, 0, 0, 16), "link-local"),
    (v4(172, 16, 0, 0, 12), "private"),
    (v4(192, 0, 0, 0, 24), "reserved"),
    (v4(192, 0, 2, 0, 24), "documentation"),
    (v4(192, 88, 99, 0, 24), "tunnel"),
    (v4(192, 168, 0, 0, 16), "private"),
    (v4(198, 18, 0, 0, 15), "benchmarking"),
    (v4(198, 51, 100, 0, 24), "documentation"),
    (v4(203, 0, 113, 0, 24), "documentation"),
    (v4(224, 0, 0, 0, 4), "multicast"),
    (v4(255, 255, 255, 255, 32), "multicast"),
    (v4(240, 0, 0, 0, 4), "reserved"),
    (v4(0, 0, 0, 0, 0), GLOBAL),
    (one(0), "unspecified"),
    (one(1), "loopback"),
    (v6([0x64, 0xff9b, 1, 0], 48), "tunnel"),
    (v6([0x100, 0, 0, 0], 64), "reserved"),
    (v6([0x2001, 0, 0, 0], 32), "tunnel"),
    (v6([0x2001, 2, 0, 0], 48), "benchmarking"),
    (v6([0x2001, 0, 0, 0], 23), "reserved"),
    (v6([0x2001, 0xdb8, 0, 0], 32), "documentation"),
    (v6([0x2002, 0, 0, 0], 16), "tunnel"),
    (v6([0x3ffe, 0, 0, 0], 16), "reserved"),
    (v6([0x3fff, 0, 0, 0], 20), "documentation"),
    (v6([0xfc00, 0, 0, 0], 7), "private"),
    (v6([0xfe80, 0, 0, 0], 10), "link-local"),
    (v6([0xfec0, 0, 0, 0], 10), "private"),
    (v6([0xff00, 0, 0, 0], 8), "multicast"),
    // All addresses assigned to hosts so far (RFC 4291 2.4 and the registry).
    (v6([0x2000, 0, 0, 0], 3), GLOBAL),
];

/// Decides which addresses and ports a client may connect to: global addresses and the ports 80, 443 and above 1023,
/// and those that the caller allowed.
///
/// ```
/// use robosieve_gate::retrieve::AddressGuard;
/// let guard = AddressGuard::global_only().allowing("10.1.0.0/16".parse()?);
/// assert!(guard.refusal("10.1.2.3".parse()?).is_none());
/// assert!(guard.refusal("10.2.2.3".parse()?).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct AddressGuard {
    allowed: Vec<IpNet>,
    allows_private: bool,
    ports: Vec<u16>,
    allows_all_ports: bool,
}

impl AddressGuard {
    /// How the reason of every attempt begins that a guard refused, because of an address or of a port.
    pub const REFUSED: &str = "refused: ";

    /// Global addresses only.
    pub const fn global_only() -> Self {
        Self { allowed: Vec::new(), allows_private: false, ports: Vec::new(), allows_all_ports: false }
    }

    /// All addresses and ports. For tests and closed networks only: a host name or a redirect can then lead to any
    /// internal service.
    pub fn anything() -> Self {
        let any = Self::global_only().allowing(v4(0, 0, 0, 0, 0)).allowing(v6([0; 4], 0));
        Self { allows_all_ports: true, ..any }
    }

    /// Also allows this port. A request to the port of another protocol can do harm there: to mail on 25, for example.
    pub fn allowing_port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// Whether a client may connect to the port.
    pub fn admits_port(&self, port: u16) -> bool {
        self.allows_all_ports || matches!(port, 80 | 443 | 1_024..) || self.ports.contains(&port)
    }

    /// Also allows this network: `10.0.0.0/8`, or `192.0.2.1/32` for one address.
    pub fn allowing(mut self, network: IpNet) -> Self {
        self.allowed.push(network);
        self
    }

    /// Also allows loopback and the private networks of RFC 1918 and RFC 4193, without the addresses of the latter at
    /// which clouds have their metadata services. It does not allow link-local addresses, for the same reason.
    pub const fn allowing_private(mut self) -> Self {
        self.allows_private = true;
        self
    }

    /// Why the address is not connected to, for people: its purpose. `None` if it may be.
    pub fn refusal(&self, address: IpAddr) -> Option<String> {
        let address = address.to_canonical();
        let purpose = purpose(address);
        let is_private = matches!(purpose, "loopback" | "private")
            && inner(address) == address
            && !NOT_PRIVATE.iter().any(|network| network.contains(&address));
        let is_allowed = purpose == GLOBAL
            || self.allows_private && is_private
            || self.allowed.iter().any(|network| network.contains(&address));
        let article = if purpose.starts_with("unspecified") { "an" } else { "a" };
        (!is_allowed).then(|| format!("{}{address} is {article} {purpose} address", Self::REFUSED))
    }
}

/// What is in no private network of RFC 4193 that may be allowed: the metadata services of Amazon, Google, Oracle,
/// Scaleway, Linode and Alibaba, and the site-local networks, which RFC 3879 gave up.
const NOT_PRIVATE: [IpNet; 7] = [
    v6([0xfd00, 0xec2, 0, 0], 32),
    one(0xfd20_00ce_0000_0000_0000_0000_0000_0254),
    one(0xfd00_00c1_0000_0000_0000_0000_a9fe_a9fe),
    one(0xfd00_0042_0000_0000_0000_0000_0000_0042),
    one(0xfd00_a9fe_a9fe_0000_0000_0000_0000_0001),
    one(0xfd00_0100_0000_0000_0000_0000_0100_0200),
    v6([0xfec0, 0, 0, 0], 10),
];
