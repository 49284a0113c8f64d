package server

import (
	"net"
	"net/netip"
	"testing"

	"waymark/internal/config"
)

func TestIPv4AddressListensOnIPv4Only(t *testing.T) {
	listener, err := listen(t.Context(), "--listen", "0.0.0.0:0")
	check(t, err)
	defer listener.Close()
	if got := listener.Addr().(*net.TCPAddr).IP.String(); got != "0.0.0.0" {
		t.Errorf("got the address %s, want 0.0.0.0", got)
	}
}

func TestPublicURLIsReachableFromThisMachine(t *testing.T) {
	for bound, want := range map[string]string{
		"127.0.0.1:8080":   "http://localhost:8080",
		"[::1]:8080":       "http://localhost:8080",
		"0.0.0.0:80":       "http://localhost:80",
		"[::]:8080":        "http://localhost:8080",
		"127.0.0.2:8080":   "http://127.0.0.2:8080",
		"192.0.2.1:8080":   "http://192.0.2.1:8080",
		"[2001:db8::1]:80": "http://[2001:db8::1]:80",
	} {
		if got := publicURL(config.BaseURL{}, false, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(bound))); got != want {
			t.Errorf("%s: got %s, want %s", bound, got, want)
		}
	}
}
