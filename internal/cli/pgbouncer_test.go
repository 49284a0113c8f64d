//go:build unix

package cli_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// pgbouncer starts PgBouncer in front of a server, and returns the URL of the database
// through it. Each user and database has at most that many connections to the server.
func pgbouncer(t *testing.T, p *postgres, mode string, connections int) string {
	t.Helper()
	program, err := exec.LookPath("/usr/sbin/pgbouncer")
	if err != nil {
		program, err = exec.LookPath("pgbouncer")
	}
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal("PgBouncer is not installed: with CI=true nothing may be skipped")
	case err != nil:
		t.Skip("PgBouncer is not installed")
	}
	address, err := freeAddress()
	check(t, err)
	_, port, err := net.SplitHostPort(address)
	check(t, err)
	settings := filepath.Join(filepath.Dir(p.dir), "pgbouncer-"+mode+".ini")
	if err := os.WriteFile(settings, fmt.Appendf(nil, `[databases]
postgres = host=127.0.0.1 port=%s user=waymark
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = %d
ignore_startup_parameters = jit
`, p.port, port, mode, connections), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-q", settings)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: p.owner} // it refuses to run as root
	check(t, command.Start())
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("PgBouncer does not listen:", err)
		}
	}
	url := "postgres://waymark@" + address + "/postgres?sslmode=disable"
	if mode == "transaction" {
		url += "&default_query_exec_mode=cache_describe"
	}
	return url
}

func TestServersStartTogetherThroughPgBouncer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a PostgreSQL server")
	}
	const servers = 6
	for _, test := range []struct {
		mode        string
		connections int // of PgBouncer
	}{
		{"transaction", 4},
		{"session", servers * connections},
	} {
		t.Run(test.mode, func(t *testing.T) {
			database := pgbouncer(t, single(t, "fsync=off"), test.mode, test.connections)
			clients := make([]client, servers)
			for i := range clients {
				clients[i].server = launch(t, database)
			}
			for i, c := range clients {
				c.waitUntilReady(t)
				if response, err := c.call(http.MethodGet, "/healthz", nil, nil); err != nil || response.StatusCode != http.StatusOK {
					t.Errorf("server %d: got %v, error %v", i, response, err)
				}
			}
		})
	}
}
