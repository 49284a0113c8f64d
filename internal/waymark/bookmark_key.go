package waymark

import (
	"net/url"
	"slices"
	"strings"
)

// BookmarkKey returns what is the same for all URLs that linkding takes for one: with the scheme and the
// host in lower case, without slashes at the end of the path, and with the parameters sorted. Unlike
// URLKey, it differs for http and https, with and without www., and with other parameters.
func BookmarkKey(text string) string {
	text = strings.TrimSpace(text)
	scheme, rest, ok := SplitScheme(text)
	rest, hasHost := strings.CutPrefix(rest, "//")
	if !ok || !hasHost {
		return text
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	}
	authority, path := rest[:end], strings.TrimRight(rest[end:], "/")
	at := strings.LastIndexByte(authority, '@') + 1
	server := strings.TrimSuffix(strings.ToLower(authority[at:]), ":")
	var parameters []string
	for parameter := range strings.SplitSeq(query, "&") {
		if parameter != "" {
			name, value, _ := strings.Cut(parameter, "=")
			parameters = append(parameters, reencode(name)+"="+reencode(value))
		}
	}
	slices.Sort(parameters)
	return scheme + "://" + authority[:at] + server + path + "?" + strings.Join(parameters, "&") + "#" + fragment
}

// reencode returns a part of a query in one of its encodings.
func reencode(part string) string {
	decoded, err := url.QueryUnescape(part)
	if err != nil {
		decoded = part
	}
	return url.QueryEscape(decoded)
}
