//! robosieve for Python: the module `robosieve._core`.
//!
//! Invariant: no input raises anything but `TypeError` and `ValueError`, for wrong arguments. What can take long
//! releases the interpreter.
#![allow(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "comments of what Python sees are its docstrings"
)]

mod agents;
mod archive;
mod asked;
mod asker;
mod bridge;
mod columns;
mod error;
mod gate;
mod given;
mod headers;
mod input;
mod options;
mod pages;
mod robots;
mod sieved;
mod signals;
mod step;
mod unpack;
mod values;
mod verdict;

/// The part of robosieve that is written in Rust. Import ``robosieve`` instead.
#[pyo3::pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::archive::_Archive;
    #[pymodule_export]
    use crate::asker::_Asker;
    #[pymodule_export]
    use crate::columns::{_sieve_column, _verdict_column};
    #[pymodule_export]
    use crate::error::Refused;
    #[pymodule_export]
    use crate::gate::GateCore;
    #[pymodule_export]
    use crate::pages::{diff, explain, lint};
    #[pymodule_export]
    use crate::robots::Robots;
    #[pymodule_export]
    use crate::sieved::{Sieved, sieve};
    #[pymodule_export]
    use crate::signals::signals;
    #[pymodule_export]
    use crate::step::Step;
    #[pymodule_export]
    use crate::unpack::{UnpackError, unpack};
    #[pymodule_export]
    use crate::verdict::Verdict;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
