#!/usr/bin/env bash
# Runs every fuzz target of the module for a while: scripts/fuzz.sh [TIME]
# What a target finds is written to its testdata/fuzz: fix the bug, commit the file.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-5s}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Whatever reaches new code Go would make smaller for up to a minute each, which
# would be most of the time: hence -fuzzminimizetime.
#
# Go fuzzes one target at a time, so each is found by its name and run alone.
targets=$(git ls-files -co --exclude-standard '*_test.go' | xargs grep -H -o -E '^func Fuzz[A-Za-z0-9_]*' || true)
while IFS=: read -r file target; do
	[ -n "$file" ] || continue
	target=${target#func }
	echo "fuzz ${file%/*} $target"
	if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "./${file%/*}" </dev/null 2>&1 | tee "$log"; then
		# Before Go 1.27 the end of the time may count as a failure: https://go.dev/issue/75804
		if ! grep -q '^ *context deadline exceeded$' "$log" || grep -q 'Failing input written' "$log"; then
			exit 1
		fi
	fi
done <<<"$targets"
