#!/usr/bin/env bash
# Generates a collection, starts a server on it and runs the load generator:
#
#   LINKS=100000 CONNECTIONS=200 FOR=2m scripts/load.sh
#   DATABASE=postgres://… scripts/load.sh      on an empty PostgreSQL database
set -euo pipefail

dir=$(mktemp -d)
server=
stop() {
	[ -z "$server" ] || kill "$server" && wait "$server" || true
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

go build -o "$dir/" .
go build -C tools/bench -o "$dir/" ./seed ./load
store=(--data "$dir/data")
[ -z "${DATABASE:-}" ] || store=(--database "$DATABASE")
key=$("$dir/seed" "${store[@]}" --links "${LINKS:-10000}" | sed -n 's/^user1 //p')

: >"$dir/log"
"$dir/waymark" serve --data "$dir/data" --database "${DATABASE:-}" --listen 127.0.0.1:0 \
	--log-level info >"$dir/out" 2>"$dir/log" &
server=$!
address() { sed -n 's/.*msg="server ready" address=\([0-9.:]*\).*/\1/p' "$dir/log"; }
until [ -n "$(address)" ]; do
	kill -0 "$server" || { cat "$dir/log" >&2; exit 1; }
	sleep 0.1
done

"$dir/load" --server "http://$(address)" --key "$key" --connections "${CONNECTIONS:-200}" --for "${FOR:-20s}"
[ ! -r "/proc/$server/status" ] || grep -E 'VmHWM|VmRSS' "/proc/$server/status" # its most memory, and that at the end
