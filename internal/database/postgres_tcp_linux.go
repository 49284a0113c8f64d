package database

import (
	"strings"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of linux/tcp.h, which package syscall lacks.
const tcpUserTimeout = 0x12

// tcpUserTimeoutControl returns a net.Dialer.Control that closes a TCP connection when
// the other host has not acknowledged sent data for that time. Without it the kernel
// retransmits for about 15 minutes. A server that works on a long query still
// acknowledges, so its connection stays open.
func tcpUserTimeoutControl(timeout time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var setErr error
		if err := c.Control(func(fd uintptr) {
			setErr = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(timeout.Milliseconds()))
		}); err != nil {
			return err
		}
		return setErr
	}
}
