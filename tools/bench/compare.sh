#!/usr/bin/env bash
# Compares the working tree with an older commit in one run. Builds both servers, gives
# both the same links with the seed program of their own version, and measures them
# alternately with the same requests: pages, one link, searches, a stream of all links,
# and creates. It prints the latencies of both and their ratio.
#
#   tools/bench/compare.sh e5a8c03
#   LINKS=100000 ROUNDS=20 SLICE=2s tools/bench/compare.sh HEAD~1
#   ONLY="page 1" tools/bench/compare.sh HEAD~1
#
# It measures SQLite, or PostgreSQL with two empty databases:
#
#   OLD_DATABASE=postgres://… NEW_DATABASE=postgres://… tools/bench/compare.sh HEAD~1
set -euo pipefail

if [ $# -ne 1 ]; then
	echo "usage: [LINKS=n] [ROUNDS=n] [SLICE=duration] [ONLY=operation] $0 COMMIT" >&2
	exit 2
fi
cd "$(git -C "$(dirname "$0")" rev-parse --show-toplevel)"
export GOWORK=off # a go.work names one of the two versions only
commit=$(git rev-parse --verify "$1^{commit}")
folder=$(mktemp -d)
pids=()
cleanup() {
	for pid in "${pids[@]}"; do
		kill "$pid" && wait "$pid" || true
	done
	git worktree remove --force "$folder/source" 2>/dev/null || true
	rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# prepare NAME SOURCE DATABASE builds, seeds and starts a version of Waymark. It sets
# address, key and pid.
prepare() {
	local folder=$folder/$1 source=$2 database=$3
	mkdir "$folder"
	echo "$1: build $(git -C "$source" describe --always --dirty)" >&2
	CGO_ENABLED=0 go build -C "$source" -trimpath -ldflags '-s -w' -o "$folder/waymark" .
	if [ -d "$source/tools/bench/seed" ]; then
		go build -C "$source/tools/bench" -o "$folder/seed" ./seed
	else
		go build -C "$source" -o "$folder/seed" ./internal/measure/seed # where it was before tools/bench
	fi
	local store=(--data "$folder/data")
	[ -z "$database" ] || store=(--database "$database")
	key=$("$folder/seed" "${store[@]}" --links "${LINKS:-10000}" | sed -n 's/^user1 //p')
	"$folder/waymark" serve --data "$folder/data" --database "$database" --listen 127.0.0.1:0 >"$folder/out" 2>"$folder/log" &
	pid=$!
	pids+=("$pid")
	address() { sed -n 's/.*msg="server ready" address=\([0-9.:]*\).*/\1/p' "$folder/log"; }
	until address=$(address) && [ -n "$address" ] && curl -fs -o "$folder/health" "http://$address/healthz"; do
		kill -0 "$pid" || { cat "$folder/log" >&2; exit 1; }
		sleep 0.1
	done
}

git worktree add --quiet --detach "$folder/source" "$commit"
prepare old "$folder/source" "${OLD_DATABASE:-}"
old=(--old "$address" --old-key "$key" --old-pid "$pid")
prepare new . "${NEW_DATABASE:-}"
new=(--new "$address" --new-key "$key" --new-pid "$pid")

echo "old: $(git describe --always "$commit")   new: $(git describe --always --dirty)   links: ${LINKS:-10000}   $([ -n "${NEW_DATABASE:-}" ] && echo PostgreSQL || echo SQLite)"
go build -C tools/bench -o "$folder/compare" ./compare
"$folder/compare" "${old[@]}" "${new[@]}" --rounds "${ROUNDS:-10}" --slice "${SLICE:-500ms}" --only "${ONLY:-}"
