package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"waymark/internal/config"
)

// BaseURL returns the URL under which the client of r reaches the server, without a slash at the end: base if it is
// set, otherwise that of the request. A request without a host has the address that received it. X-Forwarded-Proto and
// X-Forwarded-Host count only from a trusted proxy.
func BaseURL(r *http.Request, base config.BaseURL, trusted config.TrustedProxies) string {
	if base != (config.BaseURL{}) {
		return base.String()
	}
	scheme, host := "http", r.Host
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && host == "" { // of HTTP/1.0
		host = local.String()
	}
	if r.TLS != nil {
		scheme = "https"
	}
	if len(trusted) > 0 && trusted.Contains(remoteIP(r)) {
		if s := lastValue(r, "X-Forwarded-Proto"); s == "http" || s == "https" {
			scheme = s
		}
		if h := lastValue(r, "X-Forwarded-Host"); h != "" && !strings.ContainsAny(h, "/?#@\\") {
			host = h
		}
	}
	return scheme + "://" + host
}

// remoteIP returns the IP address of the other end of the connection.
func remoteIP(r *http.Request) netip.Addr {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr().Unmap()
}

// lastValue returns the last value of a header, which the nearest proxy has added.
func lastValue(r *http.Request, header string) string {
	values := r.Header.Values(header)
	if len(values) == 0 {
		return ""
	}
	last := values[len(values)-1]
	return strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
}
