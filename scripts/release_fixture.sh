#!/usr/bin/env bash
# Makes the fixture of a released schema, which TestReleasedSchemasAreUpgraded upgrades for ever:
# scripts/release_fixture.sh VERSION. It fills a database of this version on SQLite, copies it to PostgreSQL, and writes
# both below internal/cli/testdata/releases. Run it once for a release that has a new migration, and never change
# the files afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${WAYMARK_TEST_POSTGRES:-}" ]; then
	exec scripts/postgres.sh "$0" "$@"
fi
version=$1
target=$PWD/internal/cli/testdata/releases/$version
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$dir"' EXIT
go build -o "$dir/waymark" .
export WAYMARK_LISTEN=127.0.0.1:$((20000 + RANDOM)) WAYMARK_DATA=$dir/data
export WAYMARK_METADATA=off WAYMARK_PICTURES=off WAYMARK_CHECK=off
"$dir/waymark" serve 2>"$dir/log" &
server=$!
until "$dir/waymark" healthcheck >/dev/null 2>&1; do
	kill -0 $server || { cat "$dir/log"; exit 1; }
	sleep 0.1
done
"$dir/waymark" user add ann --no-password
"$dir/waymark" user add bob --no-password
key=$("$dir/waymark" key add --user ann phone)
call() { # METHOD PATH BODY
	curl --silent --show-error --fail-with-body --noproxy '*' --request "$1" "http://$WAYMARK_LISTEN/api/v2$2" \
		--header "Authorization: Bearer $key" --header 'Content-Type: application/json' --data "$3" >/dev/null
}
call POST /lists '{"name": "Reading", "visibility": 1}'
call POST /tags '{"name": "größe", "visibility": 3}'
for n in $(seq 40); do
	call POST /links "{\"url\": \"https://host$((n % 7)).example/page/$n\", \"title\": \"Straße $n\", \"description\": \"Text $n\",
		\"visibility\": $((n % 3 + 1)), \"lists\": [\"Reading\"], \"tags\": [\"go\", \"tag $((n % 5))\"]}"
done
call POST /notes '{"link_id": 1, "note": "A note with **stars**", "visibility": 1}'
call PATCH /links/2 '{"url": "https://host2.example/page/2", "title": "Edited", "unread": true, "favorite": true}'
call POST /saved-searches '{"name": "Go", "query": "go"}'
call DELETE /links/3 ''
kill $server
wait $server || true
server=

createdb --maintenance-db="$WAYMARK_TEST_POSTGRES" waymark_fixture
url=${WAYMARK_TEST_POSTGRES/\/postgres\?/\/waymark_fixture?}
"$dir/waymark" migrate database --from "sqlite:$dir/data" --to "$url"
rm -rf "$target"
mkdir -p "$target"
gzip -9 -n <"$dir/data/waymark.db" >"$target/waymark.db.gz"
# Lines that begin with a backslash are commands of psql.
pg_dump --no-owner --no-privileges --inserts "$url" | grep -v -e '^\\' -e '^--' | gzip -9 -n >"$target/postgres.sql.gz"
ls -l "$target"
