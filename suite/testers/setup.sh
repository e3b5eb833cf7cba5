#!/bin/sh
# Installs testers below this folder. Safe to run again: what is up to date is not changed.
#   setup.sh          what installs within a minute or two (CI uses these)
#   setup.sh --all    fastrobots, spider (each is compiled for some minutes) and Ruby's webrobots too
# PYTHON=python3.12 ./setup.sh selects another interpreter (this determines which urllib.robotparser "urllib" is).
set -eu
cd "$(dirname "$0")"
all=; [ "${1:-}" != --all ] || all=yes

# Installs a Debian package if a program or a module is missing.
debian() {
  if ! command -v apt-get >/dev/null; then
    echo "$1 is missing, and this is no Debian: its tester will be left out" >&2
    return
  fi
  root=; [ "$(id -u)" = 0 ] || root=sudo
  $root apt-get install -y -q --no-install-recommends "$1" ||
    { $root apt-get update -q && $root apt-get install -y -q --no-install-recommends "$1"; } ||
    echo "could not install $1: its tester will be left out" >&2
}

echo "== PyPI"
[ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
pip() { .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"; }
pip -r requirements.txt
# Its module has the name of another tester's, so it has a folder of its own.
if ! grep -qs "^$(cat requirements-fast-robotstxt.txt)\$" .fast-robotstxt/installed; then
  rm -rf .fast-robotstxt
  pip --target .fast-robotstxt -r requirements-fast-robotstxt.txt &&
    cp requirements-fast-robotstxt.txt .fast-robotstxt/installed ||
    echo "no wheel of fast-robotstxt for this machine: it will be left out" >&2
fi

echo "== npm"
# npm writes node_modules/.package-lock.json last, so its age shows whether the pinned versions have changed since.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --ignore-scripts --legacy-peer-deps --no-audit --no-fund --silent
fi

echo "== crates.io"
# The target folder is set here, so that the binary is found even if the caller has set CARGO_TARGET_DIR.
cargo build --release --locked --quiet --manifest-path rust/Cargo.toml --target-dir target

echo "== Debian"
perl -MWWW::RobotRules -e 1 2>/dev/null || debian libwww-robotrules-perl

[ -n "$all" ] || exit 0
echo "== what takes longer"
pip -r requirements-built.txt
cargo build --release --quiet --manifest-path spider/Cargo.toml --target-dir target
ruby -e 'require "webrobots"' 2>/dev/null || debian ruby-webrobots
