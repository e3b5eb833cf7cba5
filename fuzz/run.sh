#!/bin/sh
# Runs each fuzz target for SECONDS, one after another: fuzz/run.sh SECONDS [TARGET...], or shows their names:
# fuzz/run.sh --targets. fuzz/run.sh --programs shows where they are once they are built.
# Uses cargo-fuzz and a nightly compiler if they are installed, otherwise the stable compiler with its nightly flags
# enabled. Installs nothing. FUZZ_ARGS is passed to libFuzzer, too: -seed=1 makes a run without seeds repeatable.
# FUZZ_FOLDER is where corpora and artifacts are kept (fuzz/ by default). FUZZ_ONLY_BUILD builds only.
# FUZZ_SANITIZER=address finds faults of memory in the C code of dependencies. Ours has no `unsafe`, and runs three to
# five times as fast without.
set -eu

seconds=${1:?usage: fuzz/run.sh SECONDS [TARGET...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
host=$(rustc -vV | sed -n 's/^host: //p')
sanitizer=${FUZZ_SANITIZER:-none}
programs=${CARGO_TARGET_DIR:-target}
tool=
if command -v cargo-fuzz >/dev/null 2>&1 && rustup toolchain list 2>/dev/null | grep -q nightly; then
    # The one that is chosen in the environment may be a nightly compiler of a date.
    tool=cargo
    [ -n "${RUSTUP_TOOLCHAIN:-}" ] || tool="cargo +nightly"
elif [ "$sanitizer" != none ]; then
    # In a folder of its own, so that a change of the sanitizer builds nothing again.
    programs=$programs/$sanitizer
fi
if [ "$seconds" = --programs ]; then
    echo "$programs/$host/release"
    exit
fi
targets=$(sed -n 's|^path = "fuzz_targets/\(.*\)\.rs"$|\1|p' Cargo.toml)
if [ "$seconds" = --targets ]; then
    echo "$targets"
    exit
fi
if [ $# -eq 0 ]; then
    set -- $targets
fi
folder=${FUZZ_FOLDER:-$here}

# Inputs of the corpus are seeds if the input of a target is just a file.
seeds_of() {
    case $1 in
    parse) ../corpus/unfold ;;
    ndjson) echo seeds/ndjson ;;
    esac
}

dictionary_of() {
    case $1 in
    ndjson) echo ndjson.dict ;;
    warc) echo warc.dict ;;
    *) echo robots.dict ;;
    esac
}

# An input that exceeds the time-out is a find. One that is slow because the machine is busy is not.
options="-max_total_time=$seconds -max_len=4096 -len_control=0 -timeout=20 -report_slow_units=20 -rss_limit_mb=2048 -print_final_stats=1 ${FUZZ_ARGS:-}"
# libdeflate compiles a table of static data twice, which looks like one global that is defined twice.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0"
if [ -n "$tool" ]; then
    [ -z "${FUZZ_ONLY_BUILD:-}" ] || exec $tool fuzz build --fuzz-dir . --sanitizer "$sanitizer"
    for target in "$@"; do
        mkdir -p "$folder/corpus/$target" "$folder/artifacts/$target"
        $tool fuzz run --fuzz-dir . --sanitizer "$sanitizer" "$target" "$folder/corpus/$target" $(seeds_of "$target") -- \
            "-artifact_prefix=$folder/artifacts/$target/" "-dict=$(dictionary_of "$target")" $options
    done
else
    export RUSTC_BOOTSTRAP=1
    export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1"
    [ "$sanitizer" = none ] || RUSTFLAGS="$RUSTFLAGS -Zsanitizer=$sanitizer"
    cargo build --release --locked --target "$host" --target-dir "$programs"
    [ -z "${FUZZ_ONLY_BUILD:-}" ] || exit 0
    for target in "$@"; do
        mkdir -p "$folder/corpus/$target" "$folder/artifacts/$target"
        "$programs/$host/release/$target" "$folder/corpus/$target" $(seeds_of "$target") \
            "-artifact_prefix=$folder/artifacts/$target/" "-dict=$(dictionary_of "$target")" $options
    done
fi
