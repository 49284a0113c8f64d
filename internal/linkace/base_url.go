package linkace

import (
	"net/http"
	"net/netip"
	"strings"
)

// prefix is the address under which the request's version has all its paths.
func (a *API) prefix(r *http.Request) string { return a.base(r) + "/api/" + version(r) }

// base is the address of this server: as set, else as the request has it. A proxy
// that is trusted may say what the client asked for.
func (a *API) base(r *http.Request) string {
	if a.settings.BaseURL != "" {
		return string(a.settings.BaseURL)
	}
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if len(a.settings.TrustedProxies) > 0 && a.settings.TrustedProxies.Contains(peer(r)) {
		if s := forwarded(r, "X-Forwarded-Proto"); s == "http" || s == "https" {
			scheme = s
		}
		if h := forwarded(r, "X-Forwarded-Host"); h != "" && !strings.ContainsAny(h, "/?#@\\") {
			host = h
		}
	}
	return scheme + "://" + host
}

// peer is the address of whoever opened the connection.
func peer(r *http.Request) netip.Addr {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr()
}

// forwarded returns what the nearest proxy says about the request it got: the last
// value of a header that proxies append to.
func forwarded(r *http.Request, header string) string {
	values := r.Header.Values(header)
	if len(values) == 0 {
		return ""
	}
	last := values[len(values)-1]
	return strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
}
