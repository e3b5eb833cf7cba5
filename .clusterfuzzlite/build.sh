#!/bin/bash
# Builds all fuzz targets into $OUT, each with its seeds and its dictionary. It runs anywhere, with OUT set. SANITIZER is
# what the image asks for.
set -euo pipefail
# The image has this file next to the repository.
fuzz=$(dirname "$(realpath "$0")")/../fuzz
[ -z "${SRC:-}" ] || fuzz=$SRC/robosieve/fuzz
cd "$fuzz"
export FUZZ_SANITIZER=${SANITIZER:-address}
FUZZ_ONLY_BUILD=1 ./run.sh 1
built=$(./run.sh --programs)
for target in $(./run.sh --targets); do
  cp "$built/$target" "$OUT/"
  case $target in
    ndjson) seeds=seeds/ndjson dictionary=ndjson.dict ;;
    warc) seeds="" dictionary=warc.dict ;;
    # Their input is just a file.
    parse | markup) seeds=$(../corpus/unfold) dictionary=robots.dict ;;
    *) seeds="" dictionary=robots.dict ;;
  esac
  cp "$dictionary" "$OUT/$target.dict"
  if [ -n "$seeds" ]; then
    find "$seeds" -type f | LC_ALL=C sort | python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as out:
    for number, path in enumerate(sys.stdin.read().splitlines()):
        out.write(path, str(number))
' "$OUT/${target}_seed_corpus.zip"
  fi
done
