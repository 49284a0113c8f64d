package linkding

import (
	"net/netip"
	"regexp"
	"strings"

	"waymark/internal/waymark"
)

// maxURL is the maximum length of a URL, in characters.
const maxURL = 2048

// label is a part of a host name: letters of any script, digits, and hyphens between them.
const label = `[a-zA-Z0-9\x{a1}-\x{ffff}](?:[a-zA-Z0-9\x{a1}-\x{ffff}-]{0,61}[a-zA-Z0-9\x{a1}-\x{ffff}])?`

// urlPattern are the URLs that linkding accepts. Unlike linkding, Waymark accepts a host without a dot,
// such as that of a machine at home. Ignoring case for all of it would take six milliseconds at each start.
var urlPattern = regexp.MustCompile(`^(?i:https?|ftps?)://(?:[^\s:@/]+(?::[^\s:@/]*)?@)?` +
	`(?:\[([0-9a-fA-F:.]+)\]|` + label + `(?:\.` + label + `)*\.?)` +
	`(?::[0-9]{1,5})?(?:[/?#]\S*)?$`)

// numericHost matches a host whose last part is a number: it must be an IPv4 address.
var numericHost = regexp.MustCompile(`(?:^|\.)[0-9]+\.?$`)

// validateURL returns a sentence if a text is no URL that linkding accepts.
func validateURL(url string) string {
	m := urlPattern.FindStringSubmatch(url)
	if m == nil || len([]rune(url)) > maxURL {
		return invalidURL
	}
	host := waymark.Host(url)
	if m[1] != "" {
		address, err := netip.ParseAddr(m[1])
		if err != nil || !address.Is6() {
			return invalidURL
		}
	} else if _, err := netip.ParseAddr(host); err != nil && (len(host) > 253 || host != "" && numericHost.MatchString(host) && strings.Contains(host, ".")) {
		return invalidURL
	}
	return ""
}
