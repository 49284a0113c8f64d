package httpx

import (
	"net/http"
	"net/netip"
	"strings"

	"waymark/internal/config"
)

// ClientAddress returns the IP address of the client that sent r: the address of the connection or,
// if that is a trusted proxy, the last address in X-Forwarded-For that is not a trusted proxy. The
// client itself may have written the addresses before that one. The zero Addr means that the
// connection has no IP address.
func ClientAddress(r *http.Request, trusted config.TrustedProxies) netip.Addr {
	client := remoteIP(r)
	if len(trusted) == 0 {
		return client
	}
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && trusted.Contains(client); i-- {
		address, ok := parseForwarded(strings.TrimSpace(forwarded[i]))
		if !ok {
			break
		}
		client = address
	}
	return client
}

// ForwardedByStranger reports whether r has X-Forwarded-For, but does not come from a trusted proxy.
func ForwardedByStranger(r *http.Request, trusted config.TrustedProxies) bool {
	return r.Header.Get("X-Forwarded-For") != "" && !trusted.Contains(remoteIP(r))
}

// parseForwarded parses an address of X-Forwarded-For, to which some proxies add the port.
func parseForwarded(text string) (netip.Addr, bool) {
	if address, err := netip.ParseAddrPort(text); err == nil {
		return address.Addr().Unmap(), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap(), err == nil
}

// ProxyUser returns the name of the user whom a trusted proxy names in a header, or "" if it names nobody.
// refused is true if the header must be ignored: it does not come from a trusted proxy, or there are
// several, and the client may have sent the first.
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
