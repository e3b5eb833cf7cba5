//! robosieve for JavaScript: the module that `npm/` loads.
//!
//! Invariant: only numbers cross the border. JavaScript writes what it asks into [`input`], and reads the answer from
//! [`output`]. So no memory has to be freed by hand, and a new instance of the module replaces a broken one.

#[cfg(feature = "full")]
mod answers;
mod files;
#[cfg(any(feature = "full", feature = "gate", feature = "signals"))]
mod frame;
#[cfg(feature = "gate")]
mod gate;
#[cfg(any(feature = "full", feature = "signals"))]
mod plan;
#[cfg(feature = "signals")]
mod signals;
#[cfg(feature = "full")]
mod unpack;

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::files::{Files, NOT_HERE};
#[cfg(any(feature = "full", feature = "gate", feature = "signals"))]
use crate::frame::Frame;

/// Larger buffers are given back after use.
const KEPT: usize = 1 << 20;

#[derive(Default)]
struct State {
    input: Vec<u8>,
    output: Vec<u8>,
    files: Files,
    #[cfg(feature = "gate")]
    gates: gate::Gates,
}

#[cfg(any(feature = "full", feature = "gate", feature = "signals"))]
impl State {
    /// Outputs an answer, and returns its kind.
    fn told(&mut self, answer: Result<Vec<u8>, robosieve_ask::Wrong>) -> u32 {
        let (kind, output) = match answer {
            Ok(json) => (0, json),
            Err(wrong) => (wrong.kind as u32, wrong.message.into_bytes()),
        };
        self.output = output;
        kind
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(work)
}

/// Makes space for input, and returns its address.
#[wasm_bindgen]
#[must_use]
pub fn input(size: usize) -> usize {
    with(|state| {
        if state.input.len() < size {
            state.input.resize(size, 0);
        } else if state.input.len() > KEPT && size <= KEPT {
            state.input = vec![0; size];
        }
        state.input.as_ptr().addr()
    })
}

/// The address of the last output.
#[wasm_bindgen]
#[must_use]
pub fn output() -> usize {
    with(|state| state.output.as_ptr().addr())
}

/// The length of the last output.
#[wasm_bindgen]
#[must_use]
pub fn output_length() -> usize {
    with(|state| state.output.len())
}

/// Answers a call. The input is a [`Frame`]. Returns 0 if the output is JSON, and otherwise the kind of an error whose
/// message is the output.
#[cfg(feature = "full")]
#[wasm_bindgen]
#[must_use]
pub fn call(length: usize) -> u32 {
    with(|state| {
        let frame = Frame::new(state.input.get(..length).unwrap_or_default());
        let answer = answers::answer(&frame);
        state.told(answer)
    })
}

/// Answers a call to a gate, as `call` does.
#[cfg(feature = "gate")]
#[wasm_bindgen]
#[must_use]
pub fn gate(length: usize) -> u32 {
    with(|state| {
        let frame = Frame::new(state.input.get(..length).unwrap_or_default());
        let answer = state.gates.answer(&frame);
        state.told(answer)
    })
}

/// Says what may be done with a page, as `call` does.
#[cfg(feature = "signals")]
#[wasm_bindgen]
#[must_use]
pub fn signals(length: usize) -> u32 {
    with(|state| {
        let frame = Frame::new(state.input.get(..length).unwrap_or_default());
        let answer = signals::answer(&frame);
        state.told(answer)
    })
}

/// Unpacks a gzip file, which is the input, up to so many bytes. Returns 0 if the output is the whole content, 1 if it is
/// a part of it, 2 if it is not known, for the reason in the output, and 3 if it is not packed.
#[cfg(feature = "full")]
#[wasm_bindgen]
#[must_use]
pub fn unpack(length: usize, most: usize) -> u32 {
    with(|state| {
        let (kind, output) = match unpack::unpacked(state.input.get(..length).unwrap_or_default(), most) {
            Ok(None) => (3, Vec::new()),
            Ok(Some((bytes, is_whole))) => (u32::from(!is_whole), bytes),
            Err(why) => (2, why.into_bytes()),
        };
        state.output = output;
        kind
    })
}

/// Parses a file, to be asked with its number. The input is the file, then the URL of its site, or nothing. It may be a
/// part of the file only.
///
/// The number is 0 each time when all numbers have been used: what was parsed before is not here any more.
#[wasm_bindgen]
#[must_use]
pub fn parse(body: usize, site: usize, is_whole: bool) -> u32 {
    with(|state| {
        let (body, rest) = state.input.split_at_checked(body).unwrap_or_default();
        state.files.parse(body, rest.get(..site).unwrap_or_default(), is_whole)
    })
}

/// The number of the tester of a parsed file for an agent, which is the input.
#[wasm_bindgen]
#[must_use]
pub fn tester(file: u32, agent: usize) -> u32 {
    with(|state| state.files.tester(file, state.input.get(..agent).unwrap_or_default()).unwrap_or(NOT_HERE))
}

/// Asks a tester of a parsed file for a verdict on a URL, which is the input. See [`files::packed`].
#[wasm_bindgen]
#[must_use]
pub fn ask(file: u32, tester: u32, url: usize) -> u32 {
    with(|state| state.files.ask(file, tester, state.input.get(..url).unwrap_or_default()).unwrap_or(NOT_HERE))
}

/// The crawl delay of an agent in seconds. Negative if there is none; not a number if the file is not here any more.
#[wasm_bindgen]
#[must_use]
pub fn crawl_delay(file: u32, agent: usize) -> f64 {
    with(|state| {
        let agent = state.input.get(..agent).unwrap_or_default();
        state.files.crawl_delay(file, agent).unwrap_or(f64::NAN)
    })
}

/// Outputs the sitemaps and the host of a file as JSON. False if the file is not here any more.
#[wasm_bindgen]
#[must_use]
pub fn about(file: u32) -> bool {
    with(|state| match state.files.about(file) {
        Some(json) => {
            state.output = json;
            true
        }
        None => false,
    })
}
