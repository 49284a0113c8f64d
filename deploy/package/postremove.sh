#!/bin/sh
# Runs after the package was removed or upgraded. The data and the user stay, also after a purge: removing a
# program must not delete years of links.
set -e

if [ -d /run/systemd/system ]; then
	systemctl --system daemon-reload >/dev/null || true
fi
case "${1:-}" in
remove)
	if command -v deb-systemd-helper >/dev/null; then
		deb-systemd-helper mask waymark.service >/dev/null || true
	fi
	;;
purge)
	if command -v deb-systemd-helper >/dev/null; then
		deb-systemd-helper purge waymark.service >/dev/null || true
		deb-systemd-helper unmask waymark.service >/dev/null || true
	fi
	rm -f /etc/waymark/waymark.env
	rmdir /etc/waymark 2>/dev/null || true
	if [ -d /var/lib/waymark ]; then
		echo "The bookmarks stay in /var/lib/waymark. To delete them: rm -r /var/lib/waymark" >&2
	fi
	;;
esac
