#!/usr/bin/env bash
# Whether the tests of editors in a terminal can run on this machine: ends with 0, or says what is missing and ends
# with 1. What is not asked for here, install.sh brings.
set -euo pipefail

no() {
    echo "The tests of editors in a terminal can't run here: $*" >&2
    exit 1
}

[ "$(uname -sm)" = "Linux x86_64" ] || no "the Neovim that they install is for Linux on x86_64."
if ! command -v emacs >/dev/null; then
    command -v apt-get >/dev/null || no "there is no Emacs on the PATH, and no apt-get to install it."
    [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null || no "there is no Emacs on the PATH, and installing it takes root."
fi
