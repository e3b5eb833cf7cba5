#!/bin/sh
# Runs the fuzz targets in turn, for hours and in several runs: fuzz/campaign.sh FOLDER SECONDS [TARGET...]
# Or all of them in ten minutes, two at a time: fuzz/campaign.sh FOLDER --minutes 10 [TARGET...]
# Which functions of ours do the corpora in FOLDER never reach? fuzz/campaign.sh FOLDER --unreached [TARGET...]
#
# FOLDER keeps the state between runs: corpus/TARGET, artifacts/TARGET, and campaign.tsv, to which each run adds a
# line. `fuzz/campaign.sh FOLDER` alone shows the sums by target. If a target stops on a find, that is printed and the
# other targets continue. Runs at the lowest priority. It may be stopped at any time, and loses only the current run.
set -eu

folder=${1:?usage: fuzz/campaign.sh FOLDER [SECONDS [TARGET...]]}
seconds=${2:-}
minutes=
if [ "$seconds" = --minutes ]; then
    minutes=${3:?usage: fuzz/campaign.sh FOLDER --minutes MINUTES [TARGET...]}
    shift
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
table=$folder/campaign.tsv

sums() {
    awk -F'\t' 'BEGIN { OFS = "\t"; print "target", "runs", "cpu_seconds", "executions", "edges", "features", "corpus", "finds" }
        NR > 1 { if (!($2 in runs)) order[++n] = $2
                 runs[$2]++; cpu[$2] += $3; executions[$2] += $4; finds[$2] += $8
                 if ($5 > edges[$2]) edges[$2] = $5
                 if ($6 > features[$2]) features[$2] = $6
                 corpus[$2] = $7 }
        END { for (i = 1; i <= n; i++) { t = order[i]
                 print t, runs[t], cpu[t], executions[t], edges[t], features[t], corpus[t], finds[t] } }' "$table"
}

# For each target, how many functions it reaches of those that are in its program; then the functions that no target
# reaches. Without those that only show a value.
unreached() {
    for target in "$@"; do
        FUZZ_FOLDER=$folder FUZZ_ARGS="-runs=0 -print_coverage=1" "$here/run.sh" 600 "$target" 2>&1 |
            sed -nE "s|^(UN)?COVERED_FUNC: hits: [0-9]+ edges: [^ ]+ (.*) $(dirname "$here")/(.*):[0-9]+\$|$target\t\1\t\3\t\2|p"
    done | awk -F'\t' '
        $3 ~ /^fuzz\// || $3 ~ /\/tests\// || $3 ~ /^tests\// || $4 ~ /::(Debug|Display)>::fmt$/ { next }
        !($1 in all) { order[++n] = $1 }
        { all[$1]++; key = $3 "\t" $4; if (!($2 == "UN")) { reached[$1]++; some[key] = 1 } keys[key] = 1 }
        END { for (i = 1; i <= n; i++) printf "%s\t%d of %d functions\n", order[i], reached[order[i]], all[order[i]]
              for (key in keys) if (!(key in some)) print key | "sort" }'
}

if [ -z "$seconds" ]; then
    sums
    exit
fi
shift 2
if [ $# -eq 0 ]; then
    set -- $("$here/run.sh" --targets)
fi
if [ "$seconds" = --unreached ]; then
    unreached "$@"
    exit
fi
at_once=1
if [ -n "$minutes" ]; then
    at_once=2
    seconds=$((minutes * 60 * at_once / $#))
fi
[ -e "$table" ] || printf 'date\ttarget\tcpu_seconds\texecutions\tedges\tfeatures\tcorpus\tfinds\n' >"$table"

# An input that is slow, but not too slow, is not a find.
found() { ls "$folder/artifacts/$1" | grep -cv '^slow-unit-' || true; }

# Runs a target, and adds a line to the table.
one() {
    target=$1
    mkdir -p "$folder/artifacts/$target"
    before=$(found "$target")
    log=$folder/$target.log
    # `times` shows the time of children, so each run has a separate shell; a pipe would add another.
    (
        FUZZ_FOLDER=$folder nice -n 19 "$here/run.sh" "$seconds" "$target" >"$log" 2>&1 || true
        times >"$folder/$target.times"
    )
    cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] } printf "%.0f", s }' "$folder/$target.times")
    number() { sed -n "$1" "$log" | tail -1; }
    executions=$(number 's/^stat::number_of_executed_units: *//p')
    edges=$(number 's/.* cov: \([0-9]*\) .*/\1/p')
    features=$(number 's/.* ft: \([0-9]*\) .*/\1/p')
    corpus=$(ls "$folder/corpus/$target" | wc -l)
    finds=$(($(found "$target") - before))
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(date -u +%Y-%m-%dT%H:%MZ)" "$target" "$cpu" \
        "${executions:-0}" "${edges:-0}" "${features:-0}" "$corpus" "$finds" >>"$table"
    if [ "$finds" -gt 0 ]; then
        echo "$target: $finds in $folder/artifacts/$target, described in $log"
        cp "$log" "$folder/artifacts/$target.$(date -u +%Y%m%dT%H%M%S).log"
    fi
}

FUZZ_ONLY_BUILD=1 nice -n 19 "$here/run.sh" "$seconds" "$@"
started=0
for target in "$@"; do
    one "$target" &
    started=$((started + 1))
    [ $((started % at_once)) -ne 0 ] || wait
done
wait
sums
