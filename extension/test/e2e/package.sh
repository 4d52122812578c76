#!/usr/bin/env bash
# Builds the package of an extension that only the tests install: package.sh FOLDER OUT.vsix
# It uses the extension's own tools.
set -euo pipefail
modules=$(cd "$(dirname "$0")/../../node_modules" && pwd)
source=$(cd "$1" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
NODE_PATH=$modules "$modules/.bin/esbuild" "$source/main.js" --bundle --minify --platform=node --external:vscode \
    --log-level=warning --outfile="$build/out/main.js"
cp "$source/package.json" "$build"
cd "$build"
"$modules/.bin/vsce" package --no-dependencies --skip-license --allow-missing-repository --out "$2" >/dev/null 2>"$build/said" ||
    { cat "$build/said" >&2; exit 1; }
