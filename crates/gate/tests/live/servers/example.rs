use robosieve_gate::retrieve::{AddressGuard, Outcome};

use crate::servers::stage::{RULES, Stage, answer, is_rules, says};

#[path = "../../../examples/asynchronous.rs"]
#[allow(dead_code, unreachable_pub)]
mod asynchronous;

/// The example runs the same machine from async code: [retrieve.addresses] [retrieve.redirect]
#[test]
fn the_example_retrieves() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guard = || AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap());
    let stage = Stage::new(&[says(answer(200, "", RULES))]);
    let target = format!("Location: http://127.0.0.1:{}/rules\r\n", stage.port);
    let first = Stage::new(&[says(answer(301, &target, ""))]);
    let origin = robosieve_gate::Origin::of(&format!("http://127.0.0.1:{}/", first.port)).unwrap();
    is_rules(&runtime.block_on(asynchronous::retrieve(origin.clone(), guard())));
    let refused = runtime.block_on(asynchronous::retrieve(origin, AddressGuard::default()));
    assert_eq!(refused.outcome, Outcome::NotAsked);

    let short = Stage::new(&[says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]);
    let origin = robosieve_gate::Origin::of(&format!("http://127.0.0.1:{}/", short.port)).unwrap();
    assert_eq!(runtime.block_on(asynchronous::retrieve(origin, guard())).outcome, Outcome::Truncated);
}
