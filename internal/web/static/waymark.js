// Waymark's script. Every page works without it.
"use strict";

(() => {
	// The server writes times in this zone.
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
	if (zone && !document.cookie.includes(`tz=${encodeURIComponent(zone)}`)) {
		const secure = location.protocol === "https:" ? "; Secure" : "";
		document.cookie = `tz=${encodeURIComponent(zone)}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
	}
})();
