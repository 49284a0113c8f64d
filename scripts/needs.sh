#!/usr/bin/env bash
# Looks for what the gate needs beyond Go and a C compiler. On Debian as root it
# installs what is missing; elsewhere it says so, and what is skipped for it.
# With CI=true a skip is a failure. Running it twice does no harm.
set -euo pipefail

# A command, the package that brings it, and what the gate skips without it.
needs=(
	"curl      curl        the quick start of the README"
	"npx       npm         the check of the API document"
	"chromium  chromium    the tests of the pages in a browser"
	"initdb    postgresql  the tests on PostgreSQL"
)

# Debian keeps PostgreSQL's programs out of the PATH, one folder for each version.
found() {
	command -v "$1" >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null
}

may_install() {
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null
}

updated=
install() {
	export DEBIAN_FRONTEND=noninteractive
	if [ -z "$updated" ]; then
		apt-get update -q
		updated=yes
	fi
	apt-get install -q -y --no-install-recommends "$1"
}

missing=
for need in "${needs[@]}"; do
	read -r command package skipped <<<"$need"
	found "$command" && continue
	if may_install && install "$package" </dev/null && found "$command"; then
		continue
	fi
	echo "$command is missing: $skipped will be skipped. Debian's package is $package."
	missing=yes
done

if [ -n "$missing" ] && [ "${CI:-}" = true ]; then
	echo "With CI=true nothing is skipped." >&2
	exit 1
fi
