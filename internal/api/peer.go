package api

import (
	"net/http"
	"net/netip"
	"strings"
)

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
