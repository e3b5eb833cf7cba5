#!/bin/sh
# Installs the program robosieve for Linux: its archive is fetched, its SHA-256 sum compared, and only then is anything
# written. The archive also has manual pages and completions.
#
#   sh install.sh                        # the latest release, into ~/.local/bin
#   sh install.sh --version 0.1.0 --to /usr/local/bin
#   sh install.sh --from URL|FOLDER      # another place that has the archives and SHA256SUMS
#
# The sums come from the same place as the archive, so they find damage. Who made the archive is said by its
# attestation:
# gh attestation verify ARCHIVE --repo robosieve/robosieve
set -eu

releases=https://github.com/robosieve/robosieve/releases
from=
to=
version=

fail() {
  echo "install.sh: $1; nothing was installed" >&2
  exit 1
}

case ${1:-} in
  -h | --help)
    sed -n '2,/^set -eu/{s/^# \{0,1\}//p;}' "$0"
    exit
    ;;
esac
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value"
  case $1 in
    --version) version=$2 ;;
    --from) from=$2 ;;
    --to) to=$2 ;;
    *) fail "there is no option $1" ;;
  esac
  shift 2
done
# As in the name of the tag.
case $version in v[0-9]*) version=${version#v} ;; esac
case $version in *[!0-9A-Za-z.-]*) fail "$version is not a version" ;; esac
if [ -z "$to" ]; then
  [ -n "${HOME:-}" ] || fail "HOME is not set, so --to has to say where the program goes"
  to=$HOME/.local/bin
fi
if [ -z "$from" ]; then
  from=$releases/latest/download
  [ -z "$version" ] || from=$releases/download/v$version
fi

case $from in
  *://*) ;;
  *) [ -d "$from" ] || fail "--from: $from is neither a folder nor a URL" ;;
esac
[ "$(uname -s)" = Linux ] || fail "there are programs for Linux only; see README.md for a build from source"
case $(uname -m) in
  x86_64 | amd64) processor=x86_64 ;;
  aarch64 | arm64) processor=aarch64 ;;
  *) fail "there is no program for $(uname -m)" ;;
esac
[ ! -d "$to/robosieve" ] || fail "$to/robosieve is a folder"

# A server that sends nothing for a minute has failed.
fetch() { # URL, file
  if [ -d "$from" ]; then
    cp "$1" "$2"
  elif command -v curl >/dev/null; then
    curl -fsSL --retry 2 --connect-timeout 60 --speed-limit 1 --speed-time 60 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -t 3 -T 60 -O "$2" "$1"
  elif command -v python3 >/dev/null; then
    python3 -c 'import socket, sys, urllib.request
socket.setdefaulttimeout(60)
urllib.request.urlretrieve(*sys.argv[1:])' "$1" "$2" 2>/dev/null
  else
    fail "curl, wget or python3 is needed"
  fi
}

folder=$(mktemp -d)
new=$to/.robosieve.$$
trap 'rm -rf "$folder" "$new"' EXIT
trap 'exit 1' HUP INT TERM

fetch "$from/SHA256SUMS" "$folder/SHA256SUMS" || fail "$from/SHA256SUMS could not be fetched"
line=$(grep -E "^[0-9a-f]{64}  robosieve-[0-9][0-9A-Za-z.-]*-$processor-linux\.tar\.gz\$" "$folder/SHA256SUMS") ||
  fail "SHA256SUMS has no archive for $processor"
[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "SHA256SUMS has more than one archive for $processor"
archive=${line#*  }
name=${archive%.tar.gz}
[ -z "$version" ] || [ "$name" = "robosieve-$version-$processor-linux" ] || fail "$from has $name, not version $version"
fetch "$from/$archive" "$folder/$archive" || fail "$from/$archive could not be fetched"
found=$(sha256sum "$folder/$archive")
[ "${found%% *}" = "${line%% *}" ] || fail "$archive has not the SHA-256 sum that SHA256SUMS names"

tar -xzf "$folder/$archive" -C "$folder" "$name/robosieve" || fail "$archive cannot be unpacked"
# In two steps, so that there is never half a program, and tried where it will be.
mkdir -p "$to" && cp "$folder/$name/robosieve" "$new" && chmod 755 "$new" || fail "$to cannot be written"
says=$("$new" --version) || fail "the program does not start in $to"
mv -f "$new" "$to/robosieve" || fail "$to/robosieve cannot be written"
echo "$to/robosieve is $says"
case :$PATH: in
  *:"$to":*) ;;
  *) echo "$to is not on the PATH" ;;
esac
