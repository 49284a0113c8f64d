package httpx

import (
	"net/http"

	"waymark/internal/config"
)

// ProxyUser returns the name of the user whom a trusted proxy names in a header, or "" if it names nobody.
// refused is true if the header must be ignored: because it does not come from a trusted proxy, or because
// there are several, of which the client may have sent the first.
func ProxyUser(r *http.Request, header config.HeaderName, trusted config.TrustedProxies) (name string, refused bool) {
	if header == "" {
		return "", false
	}
	values := r.Header.Values(string(header))
	switch {
	case len(values) == 0:
		return "", false
	case len(values) > 1 || !trusted.Contains(remoteIP(r)):
		return "", true
	}
	return values[0], false
}
