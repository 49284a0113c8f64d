#!/usr/bin/env bash
# Installs the packages of tools/package.json into tools/node_modules, if they are not there.
set -euo pipefail
cd "$(dirname "$0")/../tools"
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --ignore-scripts --no-audit --no-fund
