#!/bin/bash
# Runs the program of an image as its container would: as user 1000, with a root directory that cannot be
# written: image.sh DIRECTORY. It must run as root in a mount namespace of its own.
set -euo pipefail
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=700,uid=1000,gid=1000 tmpfs "$root/data"
run() { chroot --userspec=1000:1000 --groups= "$root" /usr/bin/waymark "$@"; }
export PATH=$PATH WAYMARK_DATA=/data WAYMARK_LISTEN=127.77.0.2:8080 TMPDIR=/data
exec chroot --userspec=1000:1000 --groups= "$root" /usr/bin/waymark serve --check=on >"$root/data/log" 2>&1 &
server=$!
trap 'kill -KILL $server 2>/dev/null || true; cat "$root/data/log"' EXIT
for _ in $(seq 100); do
	! run healthcheck 2>/dev/null || break
	sleep 0.1
done
run healthcheck
run user add ann --no-password
run doctor
! run user add bob --no-password --data /other || exit 1
kill -TERM $server
wait $server
trap - EXIT
! grep "no page with an https URL" "$root/data/log"
echo passed
