#!/usr/bin/env bash
# Whether the real-editor tests can run on this machine: ends with 0, or says what is missing and ends with 1.
# What is not asked for here, install.sh brings.
set -euo pipefail
cd "$(dirname "$0")"

no() {
    echo "The real-editor tests can't run here: $*" >&2
    exit 1
}

[ "$(uname -sm)" = "Linux x86_64" ] || no "the workbench that they install is for Linux on x86_64."

node -e 'process.exit(+(parseInt(process.versions.node) < 20))' 2>/dev/null && command -v npm >/dev/null ||
    no "they need Node 20 or newer, with npm, on the PATH."

if ! ./browser.sh >/dev/null; then
    command -v apt-get >/dev/null ||
        no "there is no chromium on the PATH, and no apt-get to install it. AGENTFS_BROWSER may name one."
    [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null ||
        no "there is no chromium on the PATH, and installing it takes root. AGENTFS_BROWSER may name one."
fi
