#!/usr/bin/env bash
# Checks for the programs that make check needs besides Go and a C compiler. On Debian
# as root it installs the packages that are missing; elsewhere it prints them, and
# appends what is skipped without them to the file $SKIPPED.
set -euo pipefail

# A program, its Debian package, and what is skipped without it.
needs=(
	"curl      curl        the quick start of the README"
	"npx       npm         the lint of the API document, its clients in TypeScript, and axe-core"
	"chromium  chromium    the browser tests"
	"firefox-esr firefox-esr the test of the pages in Firefox"
	"initdb    postgresql  the tests on PostgreSQL"
	"pgbouncer pgbouncer   the tests with PgBouncer"
	"lintian   lintian     the check of the package for Debian"
	"epubcheck epubcheck   the check of e-books"
	"systemd-analyze systemd the test of the packages"
	"rpm       rpm         the test of the package for Fedora"
	"groff     groff-base  the test of the manual page"
	"zsh       zsh         the test of the completion in zsh"
	"fish      fish        the test of the completion in fish"
)

# Debian does not put PostgreSQL's programs into the PATH.
found() {
	command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ] || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null
}

packages=()
for need in "${needs[@]}"; do
	read -r program package _ <<<"$need"
	found "$program" || packages+=("$package")
done

if [ "${#packages[@]}" -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "make check needs these Debian packages and installs them now, as root: ${packages[*]}"
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get update -q && apt-get install -q -y --no-install-recommends "${packages[@]}"; } </dev/null || true
fi

for need in "${needs[@]}"; do
	read -r program package skips <<<"$need"
	found "$program" && continue
	echo "$program is not installed (Debian package $package): $skips will be skipped."
	echo "$skips: $program is not installed" >>"${SKIPPED:-/dev/null}"
	[ "${CI:-}" != true ] || missing=yes
done

if [ -n "${missing:-}" ]; then
	echo "With CI=true nothing may be skipped." >&2
	exit 1
fi
