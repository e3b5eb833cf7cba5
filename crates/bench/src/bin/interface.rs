//! Prints a crate's public interface, an item a line: `robosieve-bench-interface FILE`. rustdoc writes FILE as JSON.
//!
//! Invariant: what the compiler derives, or gives to every type, is left out.

use std::error::Error;

use public_api::Builder;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("usage: robosieve-bench-interface FILE")?;
    let interface = Builder::from_rustdoc_json(file)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    print!("{interface}");
    Ok(())
}
