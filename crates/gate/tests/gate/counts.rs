//! What a gate counts.

use robosieve_gate::decide::Class;
use robosieve_gate::{Gate, Moment};

use crate::making::{FILE, Told, at, core, of_class};

/// Each answer and each retrieval counts once, by its kind: [gate.counts]
#[test]
fn answers_and_retrievals_count_by_kind() {
    let told = Told::file(FILE);
    let gate = Gate::over(told.clone(), core());
    for url in ["https://example.com/", "https://example.com/private", "https://example.com/private", "mailto:a@b"] {
        let _ = gate.permits(url, at(0));
    }
    for class in [Class::NoAnswer, Class::NoFile] {
        told.tell(of_class(class, Moment::default()));
        let _ = gate.permits(&format!("https://{class:?}.example/"), at(0));
    }
    let some =
        |counts: Vec<(&'static str, u64)>| counts.into_iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>();
    let answers = some(gate.core().counts().answers().collect());
    assert_eq!(answers, [("allowed", 2), ("denied", 2), ("closed", 1), ("no-url", 1)]);
    let retrievals = some(gate.core().counts().retrievals().collect());
    assert_eq!(retrievals, [("rules", 1), ("no-rules", 1), ("unreachable", 1)]);
}
