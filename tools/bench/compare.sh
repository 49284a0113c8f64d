#!/usr/bin/env bash
# Compares the working tree with an older commit, with the flags of peers:
#
#   tools/bench/compare.sh HEAD~1
#   tools/bench/compare.sh eba99cde --links /path/to/links.ndjson --rounds 10
set -euo pipefail
exec go -C "$(dirname "$0")" run ./peers --commit "$@"
