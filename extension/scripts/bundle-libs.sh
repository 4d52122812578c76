#!/usr/bin/env bash
# Fills bundled/ with the server's launcher and, below libs/, the server and the pure-Python packages it needs, by
# their locked hashes.
# PYTHON: a Python of at least 3.11 with pip; python3 if not set.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
libs=bundled/libs

rm -rf bundled
install -d bundled
install -m 644 scripts/run_server.py bundled/run_server.py

# No platform of its own: only wheels that fit every one are taken.
"$python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-compile \
  --only-binary=:all: --platform any --python-version 3.11 --implementation py --abi none \
  --target "$libs" -r requirements.lock
rm -rf "$libs/bin"

# The server itself; its demo is for terminals, and needs more than this.
tar -C ../server --exclude '__pycache__' --exclude 'agentfs_lsp/demo' --exclude '*.po' -cf - agentfs_lsp |
  tar -C "$libs" -xf -

if compiled="$(find "$libs" \( -name '*.so' -o -name '*.pyd' -o -name '*.dylib' -o -name '*.pyc' \) | grep .)"; then
  echo "bundled/libs must be pure Python, but holds:" >&2
  echo "$compiled" >&2
  exit 1
fi

# All of it is found with nothing installed beside it, or this says what is missing.
"$python" -I -S -B -c '
import sys
sys.path.insert(0, sys.argv[1])
import agentfs_lsp.adapters.disk, agentfs_lsp.lsp.serving
' "$libs"
