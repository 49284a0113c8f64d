package waymark

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Host returns the host of a URL in lower case, without user and port, or "" if the URL
// has no valid host.
func Host(url string) string {
	_, rest, _ := SplitScheme(url)
	return strings.ToLower(host(rest))
}

// HostWithPort returns the host of a URL as Host does, with its port unless that is the default port of http or
// https. Servers on one machine differ in it.
func HostWithPort(url string) string {
	scheme, rest, _ := SplitScheme(url)
	name, port := hostAndPort(rest)
	if name == "" || port == "" || port == defaultPorts[scheme] {
		return strings.ToLower(name)
	}
	return strings.ToLower(name) + ":" + port
}

// defaultPorts are the ports that URLs of a scheme need not contain.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// DefaultTitle returns the title of a link that was saved without one: the host of its
// URL, or the URL itself if it has no host, truncated to MaxTitle.
func DefaultTitle(url string) string {
	if h := Host(url); h != "" {
		return truncate(h, MaxTitle)
	}
	return truncate(url, MaxTitle)
}

// linkableSchemes are the schemes of URLs that pages may contain as links. They open a page, a file
// on a server, or a program for messages, calls or downloads. Most are from the list of schemes in
// the HTML standard that websites may handle. Schemes that open local files, parts of the browser
// or a URL inside the URL are not among them.
var linkableSchemes = map[string]bool{
	"http": true, "https": true,
	"ftp": true, "ftps": true, "sftp": true, "gemini": true, "gopher": true, "magnet": true,
	"mailto": true, "xmpp": true, "matrix": true, "irc": true, "ircs": true, "news": true, "nntp": true,
	"tel": true, "sms": true, "sip": true, "sips": true,
	"geo": true, "webcal": true,
}

// Linkable reports whether a page may contain the URL as a link. Links with other URLs, such
// as file: and view-source:, are stored, but pages show them as text: a browser or a program
// that handles the scheme could do more than open a page. A URL with a character that
// browsers remove or replace before they look at the scheme is not linkable.
func Linkable(url string) bool {
	scheme, rest, ok := SplitScheme(url)
	if !ok || !linkableSchemes[scheme] || hasSpaceOrControl(url) || !utf8.ValidString(url) {
		return false
	}
	if scheme == "http" || scheme == "https" {
		return host(rest) != ""
	}
	return rest != ""
}

// SplitScheme returns the scheme of a URL in lower case and the part after its colon. ok is false if the
// URL does not begin with a scheme (RFC 3986, section 3.1).
func SplitScheme(url string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(url, ":")
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

// host returns the host after the scheme, without user and port, "" if it is malformed.
func host(rest string) string {
	name, _ := hostAndPort(rest)
	return name
}

// hostAndPort returns the host in the part of a URL after the scheme, and its port, which can be "". The host
// is "" if one of them is malformed.
func hostAndPort(rest string) (name, port string) {
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return "", ""
	}
	if end := strings.IndexAny(authority, `/?#\`); end >= 0 {
		authority = authority[:end]
	}
	name = authority[strings.LastIndexByte(authority, '@')+1:]
	if bracketed, ok := strings.CutPrefix(name, "["); ok {
		address, after, closed := strings.Cut(bracketed, "]")
		if _, err := netip.ParseAddr(address); err != nil || !closed || after != "" && after[0] != ':' {
			return "", ""
		}
		name, port = "["+address+"]", strings.TrimPrefix(after, ":")
	} else {
		name, port, _ = strings.Cut(name, ":")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
		return "", ""
	}
	return name, port
}

// truncate returns the first n characters of s.
func truncate(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
