//! Tests of `connections`.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use super::*;

// [serve.strangers] N-1, N and N+1: the oldest stranger goes first, who is known stays, and if all are known the new
// one gets no place.
#[test]
fn the_oldest_stranger_goes_first() {
    let places = Arc::default();
    let known = Place::take(&places, 3).unwrap();
    known.is_known();
    let (old, new) = (Place::take(&places, 3).unwrap(), Place::take(&places, 3).unwrap());
    assert_eq!(lock(&places).open, 3);
    assert_eq!(lock(&places).strangers.len(), 2);
    let third = Place::take(&places, 3).unwrap();
    assert_eq!(lock(&places).strangers.keys().copied().collect::<Vec<_>>(), [new.number, third.number]);
    drop(old);
    new.is_known();
    third.is_known();
    assert!(Place::take(&places, 3).is_none());
    drop(third);
    assert!(Place::take(&places, 3).is_some());
}
