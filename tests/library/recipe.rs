//! The recipe for insta, as crates/cli/recipes/README.md shows it.

fn generated() -> String {
    "user-agent: *\nDisallow: /%63art # no orders\n".to_owned()
}

/// [text.spelling]
#[test]
fn the_policy_is_reviewed() {
    let file = generated();
    let sieved = robosieve::Sieve::all_agents().filter(file.as_bytes()).unwrap();
    insta::assert_snapshot!(sieved.text(), @r"
    User-agent: *
    Disallow: /cart
    ");
}
