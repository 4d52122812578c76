#!/usr/bin/env bash
# Builds the plain client's package with the extension's own tools: package.sh OUT.vsix
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
tools=$source/../../../node_modules/.bin
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
NODE_PATH=$source/../../../node_modules "$tools/esbuild" "$source/main.js" --bundle --minify --platform=node --external:vscode \
    --log-level=warning --outfile="$build/out/main.js"
cp "$source/package.json" "$build"
cd "$build"
"$tools/vsce" package --no-dependencies --skip-license --allow-missing-repository --out "$1" >/dev/null 2>"$build/said" ||
    { cat "$build/said" >&2; exit 1; }
