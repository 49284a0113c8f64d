#!/bin/sh
# Runs before the package is removed or upgraded. dpkg calls it with "remove" or "upgrade", rpm with the number of
# versions that stay installed.
set -e

case "${1:-}" in
upgrade | failed-upgrade | deconfigure | [1-9]) exit 0 ;; # the new version restarts the service
esac

if [ "${1:-}" = remove ] && command -v deb-systemd-invoke >/dev/null; then
	if [ -d /run/systemd/system ]; then
		deb-systemd-invoke stop waymark.service >/dev/null || true
	fi
elif [ -d /run/systemd/system ]; then
	systemctl disable --now waymark.service >/dev/null 2>&1 || true
elif command -v rc-service >/dev/null; then
	rc-service --ifstarted waymark stop >/dev/null 2>&1 || true
fi
