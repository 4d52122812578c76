#!/usr/bin/env bash
# Runs a script of this folder with the workbench's own Node, once everything it needs is installed.
set -euo pipefail
cd "$(dirname "$0")"
./install.sh
exec ../../../.editors/node "$@"
