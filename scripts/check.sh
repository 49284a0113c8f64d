#!/usr/bin/env bash
# Runs make targets one after the other until one fails, and prints how long each took
# and what was skipped: scripts/check.sh TARGET… With CI=true a skipped step is a failure, except one
# whose line begins with "unreachable: ": another host does not answer.
set -euo pipefail
cd "$(dirname "$0")/.."

skipped=$(mktemp)
trap 'rm -f "$skipped"' EXIT

summary=
result=passed
for target in "$@"; do
	echo "==> $target"
	started=$SECONDS
	${MAKE:-make} --no-print-directory "$target" SKIPPED="$skipped" || result="failed at $target"
	summary+=$(printf '%5ds  %s' $((SECONDS - started)) "$target")$'\n'
	[ "$result" = passed ] || break
done

echo
printf '%s' "$summary"
echo "make check $result after ${SECONDS}s."
if [ -s "$skipped" ]; then
	echo "Skipped:"
	sed 's/^/  /' "$skipped"
elif [ "$result" = passed ]; then
	echo "Nothing was skipped."
fi
if [ "${CI:-}" = true ] && grep -qv '^unreachable: ' "$skipped"; then
	echo "With CI=true nothing may be skipped." >&2
	exit 1
fi
[ "$result" = passed ]
