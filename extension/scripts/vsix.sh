#!/usr/bin/env bash
# Builds ../dist/agentfs.vsix, which fits every platform. With --target (linux-x64, linux-arm64, alpine-x64, darwin-x64,
# or darwin-arm64): ../dist/agentfs-TARGET.vsix, which also checks syntax.
set -euo pipefail
cd "$(dirname "$0")/.."

target=
if [ "${1-}" = --target ]; then target="${2:?a target}"; fi
bash scripts/bundle-libs.sh
if [ -n "$target" ]; then
  trap 'rm -rf bundled/libs/tree_sitter*' EXIT # they belong to no other package
  bash scripts/bundle-syntax.sh "$target"
fi
mkdir -p ../dist
npm run --silent pack -- ${target:+--target "$target"} --out "../dist/agentfs${target:+-$target}.vsix"
