#!/usr/bin/env bash
# Generates clients from the API document of a running Waymark, compiles them, and lets each
# create, list, search and delete a link: scripts/clients.sh. Without npx only the Go client
# is tested, and the others are appended to the file $SKIPPED.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
server=
stop() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$work"
}
trap stop EXIT

go build -o "$work/waymark" .
export WAYMARK_DATA=$work/data
WAYMARK_METADATA=off WAYMARK_PICTURES=off WAYMARK_CHECK=off "$work/waymark" serve --listen 127.0.0.1:0 --log-format json >/dev/null 2>"$work/log" &
server=$!
for _ in $(seq 300); do
	address=$(sed -n 's/.*"msg":"server ready".*"address":"\([^"]*\)".*/\1/p' "$work/log" 2>/dev/null || true)
	[ -z "$address" ] || break
	kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
	sleep 0.1
done
[ -n "$address" ] || { echo "the server did not become ready" >&2; cat "$work/log" >&2; exit 1; }
"$work/waymark" user add ann --no-password 2>/dev/null
WAYMARK_KEY=$("$work/waymark" key add --user ann clients 2>/dev/null)
export WAYMARK_KEY WAYMARK_URL=http://$address # only now: they are no settings of the program

cd tools/clients
rm -rf generated
mkdir -p generated/oapi
curl -fsS "$WAYMARK_URL/api/v2/openapi.json" -o generated/openapi.json

go tool oapi-codegen -generate types,client -package oapi -o generated/oapi/client.go generated/openapi.json
go vet ./...
go run .
echo "oapi-codegen: the client compiles and works"

if ! command -v npx >/dev/null; then
	echo "the clients in TypeScript: npx is not installed" >>"${SKIPPED:-/dev/stderr}"
	exit
fi
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --ignore-scripts
npx openapi-typescript generated/openapi.json --output generated/openapi-typescript.ts >/dev/null
npx openapi-ts --input ./generated/openapi.json --output ./generated/hey-api --client @hey-api/client-fetch --silent
npx orval --config orval.config.js >/dev/null
npx tsc --project .
for client in openapi_typescript hey_api orval; do
	node "generated/js/$client.js"
	echo "$client: the client compiles and works"
done
