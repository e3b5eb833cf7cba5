#!/bin/sh
# Installs the program robosieve for Linux: its archive is fetched, its SHA-256 sum compared, and only then is anything
# written. The archive also has manual pages and completions.
#
#   sh install.sh                        # the latest release, into ~/.local/bin
#   sh install.sh --version 0.1.0 --to /usr/local/bin
#   sh install.sh --from URL             # another place that has the archives and SHA256SUMS
#
# The sums come from the same place as the archive, so they find damage. Who made the archive is said by its
# attestation:
# gh attestation verify ARCHIVE --repo robosieve/robosieve
set -eu

releases=https://github.com/robosieve/robosieve/releases
from=$releases/latest/download
to=${HOME:?}/.local/bin

fail() {
  echo "install.sh: $1; nothing was installed" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || fail "$1 needs a value"
  case $1 in
    --version) from=$releases/download/v$2 ;;
    --from) from=$2 ;;
    --to) to=$2 ;;
    *) fail "there is no option $1" ;;
  esac
  shift 2
done

[ "$(uname -s)" = Linux ] || fail "there are programs for Linux only; see README.md for a build from source"
case $(uname -m) in
  x86_64 | amd64) processor=x86_64 ;;
  aarch64 | arm64) processor=aarch64 ;;
  *) fail "there is no program for $(uname -m)" ;;
esac

fetch() { # URL, file
  if command -v curl >/dev/null; then
    curl -fsSL --retry 2 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  elif command -v python3 >/dev/null; then
    python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])' "$1" "$2" 2>/dev/null
  else
    fail "curl, wget or python3 is needed"
  fi
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

fetch "$from/SHA256SUMS" "$folder/SHA256SUMS" || fail "$from/SHA256SUMS could not be fetched"
line=$(grep -E "^[0-9a-f]{64}  robosieve-[0-9][0-9A-Za-z.-]*-$processor-linux\.tar\.gz\$" "$folder/SHA256SUMS") ||
  fail "SHA256SUMS has no archive for $processor"
[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "SHA256SUMS has more than one archive for $processor"
archive=${line#*  }
fetch "$from/$archive" "$folder/$archive" || fail "$from/$archive could not be fetched"
found=$(sha256sum "$folder/$archive")
[ "${found%% *}" = "${line%% *}" ] || fail "$archive has not the SHA-256 sum that SHA256SUMS names"

name=${archive%.tar.gz}
tar -xzf "$folder/$archive" -C "$folder" "$name/robosieve"
version=$("$folder/$name/robosieve" --version) || fail "the program does not start here"
mkdir -p "$to"
# In two steps, so that there is never half a program.
cp "$folder/$name/robosieve" "$to/.robosieve.$$"
mv -f "$to/.robosieve.$$" "$to/robosieve"
echo "$to/robosieve is $version"
case :$PATH: in
  *:"$to":*) ;;
  *) echo "$to is not on the PATH" ;;
esac
