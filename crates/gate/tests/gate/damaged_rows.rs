//! Rows and lanes of a store, changed by hand to any values.

use crate::properties::random::Random;
use crate::properties::rows::Store;

/// Any values in a row whose checksum holds: it is a site record, or unknown, and opens nothing; a lane is no error:
/// [gate.row] [gate.shared-pace]
#[test]
fn any_values() {
    let store = Store::new();
    let read = (0..600).filter(|&seed| store.any_row(&mut Random(seed))).count();
    assert!(read > 50 && read < 550, "only {read} could be read");
    for seed in 0..100 {
        store.any_lane(&mut Random(seed));
    }
}
