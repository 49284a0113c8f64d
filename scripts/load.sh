#!/usr/bin/env bash
# Makes up a collection, runs a server on it, and drives it over many connections:
#
#   LINKS=100000 CONNECTIONS=200 FOR=2m scripts/load.sh
#   DATABASE=postgres://… scripts/load.sh      on an empty PostgreSQL database
set -euo pipefail

folder=$(mktemp -d)
server=
stop() {
	[ -z "$server" ] || kill "$server" && wait "$server" || true
	rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

go build -o "$folder/" .
go build -C tools/bench -o "$folder/" ./seed ./load
store=(--data "$folder/data")
[ -z "${DATABASE:-}" ] || store=(--database "$DATABASE")
key=$("$folder/seed" "${store[@]}" --links "${LINKS:-10000}" | sed -n 's/^user1 //p')

"$folder/waymark" serve --data "$folder/data" --database "${DATABASE:-}" --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 \
	--log-level info >"$folder/out" 2>"$folder/log" &
server=$!
address() { sed -n "s/.*msg=\"$1 ready\" address=\([0-9.:]*\).*/\1/p" "$folder/log"; }
until [ -n "$(address server)" ] && [ -n "$(address metrics)" ]; do
	kill -0 "$server" || { cat "$folder/log" >&2; exit 1; }
	sleep 0.1
done

"$folder/load" --server "http://$(address server)" --metrics "http://$(address metrics)/metrics" --key "$key" "${store[@]}" \
	--connections "${CONNECTIONS:-200}" --for "${FOR:-20s}" --beside "${BESIDE:-10s}"
