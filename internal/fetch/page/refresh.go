package page

import (
	"net/url"
	"regexp"
	"strconv"
)

// maxRefresh is the maximum delay in seconds of a refresh that leads to another page. Longer ones update
// a page.
const maxRefresh = 10

var refreshValue = regexp.MustCompile(`(?i)^\s*([0-9]*)(?:\.[0-9.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)"?|'([^']*)'?|([^"'].*))$`)

// Refresh returns the URL in the value of the header Refresh, or of its <meta> element, on a page at
// base. It returns "" if there is none, if it is that of the page, or if the delay is longer than 10 seconds.
func Refresh(base *url.URL, value string) string {
	match := refreshValue.FindStringSubmatch(value)
	if match == nil {
		return ""
	}
	if delay, err := strconv.Atoi(match[1]); match[1] != "" && (err != nil || delay > maxRefresh) {
		return ""
	}
	to := absolute(base, match[2]+match[3]+match[4])
	if to == base.String() {
		return ""
	}
	return to
}
