#!/usr/bin/env bash
# Adds tree-sitter and its grammars for one platform to bundled/libs, by their locked hashes. The grammars fit each
# Python; tree-sitter itself has a wheel for each version, and only their compiled modules differ.
# PYTHON: a Python of at least 3.11 with pip; python3 if not set.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"

case "$1" in
  linux-x64) platforms=(manylinux2014_x86_64) ;;
  linux-arm64) platforms=(manylinux2014_aarch64) ;;
  alpine-x64) platforms=(musllinux_1_1_x86_64 musllinux_1_2_x86_64) ;;
  darwin-x64) platforms=(macosx_10_15_x86_64) ;;
  darwin-arm64) platforms=(macosx_11_0_arm64) ;;
  *) echo "There are no parsers for the target $1." >&2; exit 1 ;;
esac
wheels="$(mktemp -d)"
trap 'rm -rf "$wheels"' EXIT
for version in 3.11 3.12 3.13 3.14; do
  "$python" -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: \
    "${platforms[@]/#/--platform=}" --python-version "$version" --implementation cp --dest "$wheels" \
    -r requirements-syntax.lock
done
for wheel in "$wheels"/*.whl; do "$python" -m zipfile -e "$wheel" bundled/libs; done
rm -f bundled/libs/tree_sitter*/*.c bundled/libs/tree_sitter*/*.h
