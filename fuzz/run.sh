#!/bin/sh
# Runs each fuzz target for SECONDS, one after another: fuzz/run.sh SECONDS [TARGET...]
# Uses cargo-fuzz and a nightly compiler where they are there, and else the stable compiler with its nightly flags
# unlocked. Installs nothing. FUZZ_ARGS is given to libFuzzer too: -seed=1 makes a run that starts from nothing repeatable.
set -eu

seconds=${1:?usage: fuzz/run.sh SECONDS [TARGET...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
if [ $# -eq 0 ]; then
    set -- $(sed -n 's|^path = "fuzz_targets/\(.*\)\.rs"$|\1|p' Cargo.toml)
fi

# Files of the corpus are seeds where the input is a file and nothing else.
seeds_of() {
    if [ "$1" = parse ]; then echo ../corpus/plain ../corpus/hazards ../corpus/wild ../corpus/regression; fi
}

options="-dict=robots.dict -max_total_time=$seconds -max_len=4096 -len_control=0 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 ${FUZZ_ARGS:-}"
if command -v cargo-fuzz >/dev/null 2>&1 && rustup toolchain list 2>/dev/null | grep -q nightly; then
    for target in "$@"; do
        mkdir -p "corpus/$target"
        cargo +nightly fuzz run --fuzz-dir . "$target" "corpus/$target" $(seeds_of "$target") -- $options
    done
else
    host=$(rustc -vV | sed -n 's/^host: //p')
    export RUSTC_BOOTSTRAP=1
    export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Zsanitizer=address \
-Ccodegen-units=1"
    cargo build --release --target "$host"
    for target in "$@"; do
        mkdir -p "corpus/$target" "artifacts/$target"
        "${CARGO_TARGET_DIR:-target}/$host/release/$target" "corpus/$target" $(seeds_of "$target") \
            "-artifact_prefix=artifacts/$target/" $options
    done
fi
