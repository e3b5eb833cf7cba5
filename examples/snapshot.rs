//! A snapshot test: it fails when the policy changes, and not when only the spelling does. `cargo run --example snapshot`

use robosieve::Sieve;

const MONDAY: &[u8] = b"User-agent: *\nDisallow: /tmp # scratch\nAllow: /tmp/public\n";
const TUESDAY: &[u8] = b"USERAGENT: *\r\nallow: /tmp/public\r\ndisallow: /%74mp\r\n";

fn main() -> Result<(), robosieve::settings::Refused> {
    let sieve = Sieve::new(["MyBot"]);
    let monday = sieve.filter(MONDAY)?.text().to_string();
    let tuesday = sieve.filter(TUESDAY)?.text().to_string();
    insta::assert_snapshot!(monday, @r"
    User-agent: *
    Allow: /tmp/public
    Disallow: /tmp
    ");
    assert_eq!(monday, tuesday);
    println!("the policy is the same on both days");
    Ok(())
}
