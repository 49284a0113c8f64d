package server

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"time"
)

// systemd tells the service manager the state of the server: READY=1, STOPPING=1 or WATCHDOG=1. Without
// one that listens, as in a terminal or a container, it does nothing. See sd_notify(3).
func systemd(ctx context.Context, state string) error {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unixgram", socket)
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte(state))
	return errors.Join(err, conn.Close())
}

// watchdogInterval returns the time between two signs of life that the service manager asks for, half of the
// time after which it restarts the server. It is 0 if it asks for none.
func watchdogInterval() time.Duration {
	microseconds, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if pid := os.Getenv("WATCHDOG_PID"); err != nil || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	return time.Duration(microseconds) * time.Microsecond / 2
}

// tellSystemd is systemd for a state whose loss changes nothing in this server.
func (s *server) tellSystemd(ctx context.Context, state string) {
	if err := systemd(ctx, state); err != nil {
		s.log.Warn("systemd was not told the state of the server", "state", state, "error", err)
	}
}

// signOfLife tells the service manager that the server works. A database that does not respond is no reason
// for a restart; a health check that never ends is one.
func (s *server) signOfLife(ctx context.Context) error {
	pingCtx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	s.store.Ping(pingCtx) //nolint:errcheck // see above
	return systemd(ctx, "WATCHDOG=1")
}
