#!/usr/bin/env bash
# The browser that drives the workbench: AGENTFS_BROWSER, else a chromium on the PATH. Ends with 1 where there is none.
for name in "${AGENTFS_BROWSER:-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && command -v "$name" && exit
done
exit 1
