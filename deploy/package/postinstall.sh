#!/bin/sh
# Runs after the package was installed or upgraded. dpkg calls it with "configure" and the version before, if
# there was one, rpm with the number of installed versions, apk with the version.
set -e

case "${1:-}" in
abort-* | triggered) exit 0 ;;
esac

if ! id waymark >/dev/null 2>&1; then
	if command -v useradd >/dev/null; then
		useradd --system --user-group --no-create-home --home-dir /var/lib/waymark \
			--shell /usr/sbin/nologin --comment "Waymark bookmark server" waymark
	else
		addgroup -S waymark
		adduser -S -D -H -h /var/lib/waymark -s /sbin/nologin -G waymark -g "Waymark bookmark server" waymark
	fi
fi

# The settings belong to the administrator: the first installation makes the file, an upgrade leaves it alone, also
# if it was deleted. They may contain a password.
case "${1:-}:${2:-}" in
[2-9]: | *:?*) ;; # an upgrade
*)
	if [ ! -e /etc/waymark/waymark.env ]; then
		install -d -m 755 /etc/waymark
		install -m 640 -o root -g waymark /usr/share/waymark/waymark.env /etc/waymark/waymark.env
	fi
	;;
esac

[ -d /var/lib/waymark ] || install -d -m 700 -o waymark -g waymark /var/lib/waymark

if [ "${1:-}" = configure ] && command -v deb-systemd-helper >/dev/null; then
	# On Debian a service runs once it is installed. Who has disabled it keeps it disabled.
	deb-systemd-helper unmask waymark.service >/dev/null || true
	if deb-systemd-helper --quiet was-enabled waymark.service; then
		deb-systemd-helper enable waymark.service >/dev/null || true
	else
		deb-systemd-helper update-state waymark.service >/dev/null || true
	fi
	if [ -d /run/systemd/system ]; then
		systemctl --system daemon-reload >/dev/null || true
		if [ -n "${2:-}" ]; then action=try-restart; else action=start; fi
		deb-systemd-invoke "$action" waymark.service >/dev/null || true
	fi
elif [ -d /run/systemd/system ]; then
	systemctl --system daemon-reload >/dev/null || true
	if [ "${1:-}" = 1 ]; then
		systemctl preset waymark.service >/dev/null 2>&1 || true
	else
		systemctl try-restart waymark.service >/dev/null 2>&1 || true
	fi
elif command -v rc-service >/dev/null; then
	rc-service --ifstarted waymark restart >/dev/null 2>&1 || true
fi
