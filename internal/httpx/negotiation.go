package httpx

import (
	"net/http"
	"regexp"
	"strings"
)

// zeroQuality matches the parameters of a coding that a client does not accept.
var zeroQuality = regexp.MustCompile(`(?i)^\s*q\s*=\s*0(?:\.0*)?\s*$`)

// acceptsGzip reports whether the client of r names gzip among the encodings that it accepts (RFC 9110, section
// 12.5.3).
func acceptsGzip(r *http.Request) bool {
	for element := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		if coding, parameters, _ := strings.Cut(element, ";"); strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return !zeroQuality.MatchString(parameters)
		}
	}
	return false
}

// AddVary adds names of request headers to the header Vary, in one line: the cache of nginx before 1.23 reads only the
// first one.
func AddVary(h http.Header, names string) {
	h["Vary"] = []string{strings.Join(append(h["Vary"], names), ", ")}
}

// notModified reports whether If-None-Match names the entity tag, which means that the
// client has the response already. Weak and strong tags compare alike (RFC 9110, section
// 13.1.2).
func notModified(r *http.Request, etag string) bool {
	for _, line := range r.Header["If-None-Match"] {
		for element := range strings.SplitSeq(line, ",") {
			element = strings.TrimSpace(element)
			if element == "*" || strings.TrimPrefix(element, "W/") == strings.TrimPrefix(etag, "W/") {
				return true
			}
		}
	}
	return false
}
