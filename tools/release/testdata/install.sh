#!/bin/bash
# Installs, upgrades and removes the packages as an administrator does, in a copy of this machine that is deleted at
# the end: install.sh DIRECTORY OLD.deb NEW.deb OLD.rpm NEW.rpm. It must run as root in a mount namespace of its own.
set -euo pipefail
dir=$1
mount --make-rprivate /
mkdir "$dir/upper" "$dir/work" "$dir/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" "$dir/root"
root=$dir/root
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/run" # no systemd runs here
cp "$2" "$root/root/old.deb"
cp "$3" "$root/root/new.deb"
cp "$4" "$root/root/old.rpm"
cp "$5" "$root/root/new.rpm"

fail() {
	echo "FAIL: $*" >&2
	[ ! -f "$root/root/log" ] || cat "$root/root/log" >&2
	exit 1
}
# within runs a command in the copy.
within() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root "$@"; }
is() { [ "$1" = "$2" ] || fail "got '$1', want '$2' (line ${BASH_LINENO[0]})"; }
server=
start() {
	exec -a waymark chroot "$root" env -i PATH=/usr/bin setpriv --reuid=waymark --regid=waymark --init-groups \
		waymark serve >"$root/root/log" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		! within waymark healthcheck >/dev/null 2>&1 || return 0
		kill -0 $server 2>/dev/null || break
		sleep 0.1
	done
	fail "the server did not start"
}
stop() {
	kill -TERM $server
	wait $server || fail "the server ended with $?"
	server=
}
trap '[ -z "$server" ] || kill -KILL $server' EXIT

echo "install $(within dpkg-deb --field /root/old.deb Version)"
within dpkg --force-unsafe-io --install /root/old.deb >/dev/null
is "$(within stat -c '%a %U:%G' /etc/waymark/waymark.env)" "640 root:waymark"
is "$(within stat -c '%a %U:%G' /var/lib/waymark)" "700 waymark:waymark"
is "$(within getent passwd waymark | cut -d: -f6-)" "/var/lib/waymark:/usr/sbin/nologin"
within test -L /etc/systemd/system/multi-user.target.wants/waymark.service || fail "the service is not enabled"
within systemd-analyze verify waymark.service 2>&1 | grep waymark && fail "systemd-analyze verify"
within systemd-analyze security --offline=true --threshold=20 waymark.service | tail -n 1
within man --warnings -l /usr/share/man/man1/waymark.1.gz 2>&1 >/dev/null | grep . && fail "the manual page"
echo WAYMARK_LISTEN=127.77.0.1:8080 >>"$root/etc/waymark/waymark.env"
start
within waymark user add ann --no-password
for n in $(seq 300); do echo "https://host$((n % 7)).example/page/$n"; done | within tee /root/links.txt >/dev/null
within waymark import --user ann /root/links.txt
links=$(within waymark search --user ann example | wc -l)
[ "$links" -gt 10 ] || fail "$links lines of links"
is "$(within stat -c %U /var/lib/waymark/waymark.db)" waymark
stop

echo "upgrade to $(within dpkg-deb --field /root/new.deb Version)"
within dpkg --force-unsafe-io --install /root/new.deb >/dev/null
within waymark version
within grep -q 127.77.0.1 /etc/waymark/waymark.env || fail "the settings were not kept"
is "$(within stat -c '%a %U:%G' /etc/waymark/waymark.env)" "640 root:waymark"
start
is "$(within waymark search --user ann example | wc -l)" "$links"
within waymark doctor | tail -n 1
stop

within rm /etc/waymark/waymark.env
within dpkg --force-unsafe-io --install /root/new.deb >/dev/null
within test ! -e /etc/waymark/waymark.env || fail "the settings that were deleted are back"
within install -m 600 -o waymark /usr/share/waymark/waymark.env /etc/waymark/waymark.env
echo "#edited" >>"$root/etc/waymark/waymark.env"
within dpkg --force-unsafe-io --install /root/new.deb </dev/null >/dev/null || fail "an upgrade asks for the edited settings"
is "$(within stat -c '%a %U' /etc/waymark/waymark.env)" "600 waymark"

echo "remove"
within dpkg --remove waymark >/dev/null
within test ! -e /usr/bin/waymark || fail "the program is still there"
within test -e /etc/waymark/waymark.env || fail "the settings were removed"
within test -s /var/lib/waymark/waymark.db || fail "the data were removed"
within dpkg --purge waymark
within test ! -e /etc/waymark/waymark.env || fail "the settings are still there"
within test ! -e /etc/systemd/system/multi-user.target.wants/waymark.service || fail "the service is still enabled"
within test -s /var/lib/waymark/waymark.db || fail "the data were purged"

if within sh -c 'command -v rpm' >/dev/null; then
	echo "the .rpm"
	within rpm --install --nodeps /root/old.rpm
	is "$(within stat -c '%a %U:%G' /etc/waymark/waymark.env)" "640 root:waymark"
	echo WAYMARK_LISTEN=127.77.0.1:8080 >>"$root/etc/waymark/waymark.env"
	within rpm --upgrade --nodeps /root/new.rpm
	within waymark version
	is "$(within stat -c '%a %U:%G' /etc/waymark/waymark.env)" "640 root:waymark"
	start
	is "$(within waymark search --user ann example | wc -l)" "$links"
	stop
	within rpm --erase waymark
	within test ! -e /usr/bin/waymark || fail "the program is still there"
	within test -s /var/lib/waymark/waymark.db || fail "the data were removed"
fi
echo passed
