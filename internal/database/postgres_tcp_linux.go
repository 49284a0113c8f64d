package database

import (
	"strings"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of linux/tcp.h, which package syscall lacks.
const tcpUserTimeout = 0x12

// tcpUserTimeoutControl makes a connection end when the other machine has not acknowledged
// for that long what was sent to it. The system would try on for a quarter of an
// hour. A server that thinks long acknowledges all the same.
func tcpUserTimeoutControl(after time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var failed error
		if err := c.Control(func(socket uintptr) {
			failed = syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, tcpUserTimeout, int(after.Milliseconds()))
		}); err != nil {
			return err
		}
		return failed
	}
}
