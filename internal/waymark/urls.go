package waymark

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"
)

// validateURL notes what is wrong with an address: it must be an absolute URI with
// a scheme (RFC 3986, section 3.1), without spaces or control characters, and
// http and https need a host. Everything else about it is the site's business,
// so a stray % or a letter in any script is fine.
func validateURL(problems *ValidationError, address string) {
	if len(address) > MaxURL {
		problems.Add("url", "The url must not be greater than %d bytes.", MaxURL)
		return
	}
	scheme, rest, ok := splitScheme(address)
	switch {
	case !ok, rest == "", hasSpaceOrControl(address), !utf8.ValidString(address):
	case scheme == "javascript", scheme == "data", scheme == "vbscript":
	case (scheme == "http" || scheme == "https") && host(rest) == "":
	default:
		return
	}
	problems.Add("url", "The url format is invalid.")
}

// splitScheme returns the scheme in lower case and what follows its colon.
func splitScheme(address string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(address, ":")
	if !ok || scheme == "" {
		return "", "", false
	}
	for i, c := range []byte(scheme) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return "", "", false
		}
	}
	return strings.ToLower(scheme), rest, true
}

// host returns the host of what follows the scheme, without user and port, or ""
// where there is none or its form is wrong.
func host(rest string) string {
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(authority, `/?#\`); end >= 0 {
		authority = authority[:end]
	}
	name := authority[strings.LastIndexByte(authority, '@')+1:]
	if bracketed, ok := strings.CutPrefix(name, "["); ok {
		address, port, closed := strings.Cut(bracketed, "]")
		if _, err := netip.ParseAddr(address); err != nil || !closed || port != "" && port[0] != ':' {
			return ""
		}
		return withPort("["+address+"]", strings.TrimPrefix(port, ":"))
	}
	name, port, _ := strings.Cut(name, ":")
	return withPort(name, port)
}

// withPort returns name where port is empty or a number that a port can have.
func withPort(name, port string) string {
	if port == "" {
		return name
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return ""
	}
	return name
}

// Host returns the host of an address in lower case, "" where it has none.
func Host(address string) string {
	_, rest, _ := splitScheme(address)
	return strings.ToLower(host(rest))
}

// DefaultTitle returns the host of an address, or the address where it has none, cut
// to the length of a title: the title of a link that has no other.
func DefaultTitle(address string) string {
	if h := Host(address); h != "" {
		return truncate(h, MaxTitle)
	}
	return truncate(address, MaxTitle)
}
