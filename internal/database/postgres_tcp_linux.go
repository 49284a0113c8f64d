package database

import (
	"errors"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tcpUserTimeoutControl returns a net.Dialer.Control that closes a TCP connection when
// the other host has not acknowledged sent data for that time. Without it the kernel
// retransmits for about 15 minutes. A server that works on a long query still
// acknowledges, so its connection stays open.
func tcpUserTimeoutControl(timeout time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) (err error) {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		controlErr := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(timeout.Milliseconds()))
		})
		return errors.Join(controlErr, err)
	}
}
