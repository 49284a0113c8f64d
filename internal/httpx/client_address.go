package httpx

import (
	"net/http"
	"net/netip"
	"strings"

	"waymark/internal/config"
)

// ClientAddress returns the IP address of the client that sent r: that of the other end of
// the connection, or, if it is a trusted proxy, the address that the proxy has added to
// X-Forwarded-For. Addresses that the client itself wrote into the header are behind the
// first one that is not a trusted proxy, and do not count. The zero Addr means that the
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

// parseForwarded parses an address of X-Forwarded-For, to which some proxies add the port.
func parseForwarded(text string) (netip.Addr, bool) {
	if address, err := netip.ParseAddrPort(text); err == nil {
		return address.Addr().Unmap(), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap(), err == nil
}
