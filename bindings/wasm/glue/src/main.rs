//! `robosieve-wasm-glue MODULE.wasm FOLDER NAME`: does for the compiler's output what `wasm-bindgen` does, and writes
//! `NAME_bg.wasm` and `NAME.js` into the folder.
//!
//! This is a program of a few lines over the library of `wasm-bindgen`, so that it is built from the lock file.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        eprintln!("usage: robosieve-wasm-glue MODULE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut glue = Bindgen::new();
    let done = glue
        .input_path(module)
        .out_name(name)
        .typescript(false)
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(Bindgen::generate_output)
        .and_then(|mut output| {
            // It is for tools that change modules. No engine reads it.
            output.wasm_mut().customs.remove_raw("target_features");
            output.emit(folder)
        });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
