package httpx

import (
	"net/http"
	"strconv"
	"strings"
)

// AcceptsGzip reports whether the client of r accepts responses with Content-Encoding: gzip, and
// does not prefer uncompressed responses (RFC 9110, section 12.5.3).
func AcceptsGzip(r *http.Request) bool {
	accepted := r.Header["Accept-Encoding"]
	if len(accepted) == 1 && accepted[0] == "gzip" { // what most clients send
		return true
	}
	weight, identity := -1.0, 0.0 // of gzip (negative if not named), and of no encoding
	for _, line := range accepted {
		for element := range strings.SplitSeq(line, ",") {
			coding, parameters, _ := strings.Cut(element, ";")
			coding = strings.TrimSpace(coding)
			switch {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				weight = quality(parameters)
			case coding == "*" && weight < 0:
				weight = quality(parameters)
			case strings.EqualFold(coding, "identity"):
				identity = quality(parameters)
			}
		}
	}
	return weight > 0 && weight >= identity
}

// quality returns the value of the parameter q: 1 without one, 0 if it is malformed.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, found := strings.Cut(parameter, "=")
		if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
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
