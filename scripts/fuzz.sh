#!/usr/bin/env bash
# Runs each fuzz target of the module for TIME, then the tests with random inputs with new seeds:
# scripts/fuzz.sh [TIME]. It is no part of make check, whose result must not depend on chance.
# An input that fails is written to testdata/fuzz: fix the bug and commit the file.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-5s}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# -fuzzminimizetime: by default Go minimizes each interesting input for up to a minute,
# which would be most of the time.
#
# go test -fuzz runs one target at a time.
targets=$(git ls-files -co --exclude-standard '*_test.go' | xargs grep -H -o -E '^func Fuzz[A-Za-z0-9_]*' || true)
[ -n "$targets" ] || { echo "no fuzz target was found" >&2; exit 1; }
while IFS=: read -r file target; do
	target=${target#func }
	echo "fuzz ${file%/*} $target"
	if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "./${file%/*}" </dev/null 2>&1 | tee "$log"; then
		# Before Go 1.27 the end of the time may be reported as a failure: https://go.dev/issue/75804
		if ! grep -q '^ *context deadline exceeded$' "$log" || grep -q 'Failing input written' "$log"; then
			exit 1
		fi
	fi
done <<<"$targets"

go test -count=1 ./internal/api -run Generated -seed "$RANDOM"
git grep -l pgregory.net/rapid -- '*_test.go' | xargs -n1 dirname | sort -u | while read -r folder; do
	go test -count=1 "./$folder" -run 'Random|WhatIsWritten|WhatWasWritten|AnyArchive' -rapid.seed 0
done
