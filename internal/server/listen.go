package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"waymark/internal/config"
)

// listen listens on the address that a flag names.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("the address %s is in use by another program: stop that one, or choose another address with %s", address, flag)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("the system lets only administrators listen on %s: choose a port above 1023 with %s", address, flag)
	case err != nil:
		return nil, fmt.Errorf("listening on %s is not possible: %w; choose another address with %s, such as 127.0.0.1:8080", address, err, flag)
	}
	return listener, nil
}

// reach returns the URL by which a person on this machine, or whoever the base URL
// is made for, reaches the server.
func reach(base config.BaseURL, bound net.Addr) string {
	if base != (config.BaseURL{}) {
		return base.String()
	}
	address, ok := bound.(*net.TCPAddr)
	if !ok {
		return "http://" + bound.String()
	}
	host := address.IP.String()
	if address.IP.IsUnspecified() || address.IP.IsLoopback() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(address.Port))
}
