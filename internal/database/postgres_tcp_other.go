//go:build !linux

package database

import (
	"syscall"
	"time"
)

// tcpUserTimeoutControl returns nil, which leaves the timeouts of a connection to the
// system: a request waits for a silent host until its own time limit.
func tcpUserTimeoutControl(time.Duration) func(network, address string, c syscall.RawConn) error {
	return nil
}
