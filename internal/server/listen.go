package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"waymark/internal/config"
)

// listen listens on the TCP address that was given by flag. With an IPv4 address it listens on IPv4
// only: for 0.0.0.0, Go's network "tcp" includes IPv6.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	network := "tcp"
	if parsed, err := netip.ParseAddrPort(address); err == nil && parsed.Addr().Is4() {
		network = "tcp4"
	}
	listener, err := new(net.ListenConfig).Listen(ctx, network, address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("address %s is already in use: stop the other program or choose another %s", address, flag)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("no permission to listen on %s: choose a port above 1023 with %s", address, flag)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %s %q: %w", flag, address, err)
	}
	return listener, nil
}

// publicURL returns base, or else the URL of a listener as seen from this machine.
func publicURL(base config.BaseURL, secure bool, bound net.Addr) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	if base != (config.BaseURL{}) {
		return base.String()
	}
	address, ok := bound.(*net.TCPAddr)
	if !ok {
		return scheme + bound.String()
	}
	host := address.IP.String()
	if address.IP.IsUnspecified() || host == "127.0.0.1" || host == "::1" {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(address.Port))
}
