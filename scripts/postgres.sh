#!/usr/bin/env bash
# Starts a temporary PostgreSQL server on a free port, and deletes it at the end:
#
#   scripts/postgres.sh COMMAND…   runs COMMAND with its URL in WAYMARK_TEST_POSTGRES
#   scripts/postgres.sh            prints the URL and waits for Ctrl-C
#
# The server does not write to disk reliably (fsync=off): use it for tests only. If
# PostgreSQL is not installed, COMMAND runs without it, unless CI=true.
set -euo pipefail

# Debian does not put the server's programs into the PATH.
bin=$(dirname "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)")
if [ ! -x "$bin/initdb" ]; then
	echo "PostgreSQL is not installed (Debian package postgresql)." >&2
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

# A database is 300 files. On ext4, creating and dropping one takes ten times the CPU time that it
# takes in memory. In containers, /dev/shm is often too small.
parent=${TMPDIR:-/tmp}
if [ "$(df -Pm /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -ge 1024 ] 2>/dev/null; then
	parent=/dev/shm
fi
dir=$(mktemp -d "$parent/waymark-postgres-XXXXXX")
sleeper=
stop() {
	[ -z "$sleeper" ] || kill "$sleeper"
	"${as_owner[@]}" "$bin/pg_ctl" stop -s -D "$dir/data" -m immediate 2>/dev/null || true
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ "$(id -u)" = 0 ]; then
	chown postgres: "$dir"
fi
cd "$dir"

"${as_owner[@]}" "$bin/initdb" -D "$dir/data" -U waymark -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/initdb.log" ||
	{ cat "$dir/initdb.log" >&2; exit 1; }

# A random port may be in use: try several.
for try in 1 2 3 4 5; do
	port=$((20000 + (RANDOM * 32768 + RANDOM) % 40000))
	if "${as_owner[@]}" "$bin/pg_ctl" start -s -w -D "$dir/data" -l "$dir/log" -o "-p $port \
		-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200 \
		-c fsync=off -c synchronous_commit=off -c full_page_writes=off" 2>/dev/null; then
		break
	fi
	if [ "$try" = 5 ]; then
		cat "$dir/log" >&2
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
