#!/usr/bin/env bash
# Checks that go.mod and go.sum of the modules in the given directories are tidy.
#
# A test of SQLite's driver imports pprof, which not every module proxy has: hence -e,
# and the one exception.
set -euo pipefail

status=0
for module in "$@"; do
	untidy=$(go -C "$module" mod tidy -e -diff 2>/dev/null | grep '^[-+]' | grep -v -e '^[-+][-+][-+] ' -e google/pprof || true)
	if [ -n "$untidy" ]; then
		echo "$module/go.mod or go.sum is not tidy (run go -C $module mod tidy -e):"
		echo "$untidy"
		status=1
	fi
done
exit $status
