#!/usr/bin/env bash
# Starts a PostgreSQL of its own in a temporary folder, on a free port of this
# machine, and takes both away at the end:
#
#   scripts/postgres.sh COMMAND…   runs COMMAND with its URL in WAYMARK_TEST_POSTGRES
#   scripts/postgres.sh            prints the URL, and waits for Ctrl-C
#
# It is fast because it is forgetful (fsync=off): for tests, never for data. Where
# PostgreSQL is not installed COMMAND runs without it, unless CI=true.
set -euo pipefail

# Debian keeps the server's programs out of the PATH.
bin=$(dirname "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)")
if [ ! -x "$bin/initdb" ]; then
	echo "PostgreSQL is missing: Debian's package is postgresql." >&2
	if [ $# = 0 ] || [ "${CI:-}" = true ]; then
		exit 1
	fi
	exec "$@"
fi

# PostgreSQL refuses to run as root.
as_owner=()
if [ "$(id -u)" = 0 ]; then
	as_owner=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi

folder=$(mktemp -d)
sleeper=
stop() {
	[ -z "$sleeper" ] || kill "$sleeper"
	"${as_owner[@]}" "$bin/pg_ctl" stop -s -D "$folder/data" -m immediate 2>/dev/null || true
	rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ "$(id -u)" = 0 ]; then
	chown postgres: "$folder"
fi
cd "$folder"

"${as_owner[@]}" "$bin/initdb" -D "$folder/data" -U waymark -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$folder/initdb.log" ||
	{ cat "$folder/initdb.log" >&2; exit 1; }

# Between asking for a free port and taking it somebody else may: so try again.
for try in 1 2 3 4 5; do
	port=$((20000 + (RANDOM * 32768 + RANDOM) % 40000))
	if "${as_owner[@]}" "$bin/pg_ctl" start -s -w -D "$folder/data" -l "$folder/log" -o "-p $port \
		-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200 \
		-c fsync=off -c synchronous_commit=off -c full_page_writes=off" 2>/dev/null; then
		break
	fi
	if [ "$try" = 5 ]; then
		cat "$folder/log" >&2
		exit 1
	fi
done

url="postgres://waymark@127.0.0.1:$port/postgres?sslmode=disable"
cd "$OLDPWD"
if [ $# = 0 ]; then
	echo "$url"
	sleep infinity &
	sleeper=$!
	wait "$sleeper"
else
	WAYMARK_TEST_POSTGRES=$url "$@"
fi
