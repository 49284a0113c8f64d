#!/usr/bin/env bash
# Runs go test with a temporary PostgreSQL server, and appends the skipped tests to a
# file: scripts/test.sh MODULE FILE [ARGUMENTS OF GO TEST…]
set -euo pipefail
cd "$(dirname "$0")/.."

module=$1 skipped=$2
shift 2

# With the race detector, collecting garbage takes a fifth of the CPU time of some tests. With 400
# instead of 100 it takes a quarter of that, and a test needs up to twice the memory, 1.3 GB at most.
export GOGC=${GOGC:-400}

report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT
go build -C tools -o "$report/testreport" ./testreport

scripts/postgres.sh go -C "$module" test -json "$@" | "$report/testreport" "$skipped"
