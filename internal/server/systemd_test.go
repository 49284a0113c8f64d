//go:build unix

package server

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"waymark/internal/config"
)

func TestSystemdIsToldTheState(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "200000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	next := func() string {
		conn.SetReadDeadline(time.Now().Add(30 * time.Second)) //nolint:errcheck // the read then fails
		text := make([]byte, 100)
		n, err := conn.Read(text)
		check(t, err)
		return string(text[:n])
	}
	want := func(state string) {
		t.Helper()
		for range 300 { // a slow start sends WATCHDOG=1 for a long time
			if next() == state {
				return
			}
		}
		t.Errorf("systemd was not told %s", state)
	}
	t.Run("while it runs", func(t *testing.T) {
		startSecure(t, "127.0.0.1:0", config.TLS{}, nil)
		want("READY=1")
		want("WATCHDOG=1")
		want("WATCHDOG=1")
	})
	want("STOPPING=1")
}

func TestWatchdogOfAnotherProcessIsIgnored(t *testing.T) {
	t.Setenv("WATCHDOG_USEC", "30000000")
	t.Setenv("WATCHDOG_PID", "1")
	if got := watchdogInterval(); got != 0 {
		t.Errorf("got %s, want none", got)
	}
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	if got := watchdogInterval(); got != 15*time.Second {
		t.Errorf("got %s, want half of 30 s", got)
	}
}
