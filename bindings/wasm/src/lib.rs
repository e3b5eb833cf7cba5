//! robosieve for JavaScript: what `npm/` and the page are made over.
//!
//! Invariant: a question and its answer are JSON. What is parsed once is a class. Calls share nothing, so a call that runs
//! out of memory breaks its own object only, and that object answers no more.

#[cfg(feature = "gate")]
mod gate;
mod robots;
#[cfg(feature = "signals")]
mod signals;

#[cfg(feature = "gate")]
pub use gate::Gate;
pub use robots::Robots;
#[cfg(feature = "signals")]
pub use signals::signals;
#[cfg(any(feature = "full", feature = "gate"))]
use wasm_bindgen::prelude::JsValue;
#[cfg(feature = "full")]
use wasm_bindgen::prelude::wasm_bindgen;

/// What JavaScript throws: the number of a kind of error, and the words.
#[cfg(any(feature = "full", feature = "gate"))]
fn thrown(problem: &robosieve_ask::Problem) -> JsValue {
    let kind = match (problem.kind, problem.is_value) {
        ("refused", _) => 3,
        (_, true) => 2,
        _ => 1,
    };
    JsValue::from_str(&format!("{kind}{problem}"))
}

/// Answers a question about a file. `new` is the newer file of a comparison.
///
/// # Errors
/// The number of a kind of error, and the words.
#[cfg(feature = "full")]
#[wasm_bindgen]
pub fn ask(request: &str, body: &[u8], new: &[u8]) -> Result<String, JsValue> {
    robosieve_ask::ask(request, body, new).map_err(|problem| thrown(&problem))
}
