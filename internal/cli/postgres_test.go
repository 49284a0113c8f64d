//go:build unix

package cli_test

import (
	"bytes"
	"database/sql"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// postgres is a PostgreSQL server that a test may kill.
type postgres struct {
	programs string // directory of the server's programs
	owner    *syscall.Credential
	dir      string
	port     string
	process  *os.Process
	ended    chan struct{}
	frozen   []int // process IDs
	log      syncBuffer
}

// syncBuffer is a buffer that is read while a process writes to it.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(text)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// newPostgres returns a server with a directory below home. It does not start it.
func newPostgres(t *testing.T, home string) *postgres {
	t.Helper()
	p := &postgres{programs: postgresPrograms(t), owner: postgresOwner(t), ended: make(chan struct{})}
	address, err := freeAddress()
	check(t, err)
	if _, p.port, err = net.SplitHostPort(address); err != nil {
		t.Fatal(err)
	}
	p.dir = filepath.Join(home, p.port)
	if p.owner != nil {
		check(t, os.Chown(home, int(p.owner.Uid), int(p.owner.Gid)))
	}
	return p
}

// postgresPrograms returns the directory of PostgreSQL's programs, which Debian does
// not put into the PATH.
func postgresPrograms(t *testing.T) string {
	t.Helper()
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); err == nil && len(found) > 0 {
		return filepath.Dir(slices.Max(found))
	}
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found)
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("PostgreSQL is not installed: with CI=true nothing may be skipped")
	}
	t.Skip("PostgreSQL is not installed")
	return ""
}

// postgresOwner returns the user that runs the server if the test runs as root, which
// PostgreSQL does not allow; otherwise nil.
func postgresOwner(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	owner, err := user.Lookup("postgres")
	check(t, err)
	uid, err := strconv.ParseUint(owner.Uid, 10, 32)
	check(t, err)
	gid, err := strconv.ParseUint(owner.Gid, 10, 32)
	check(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (p *postgres) command(program string, args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(p.programs, program), args...)
	command.Dir = filepath.Dir(p.dir)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: p.owner}
	return command
}

func (p *postgres) run(t *testing.T, program string, args ...string) {
	t.Helper()
	if output, err := p.command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, output)
	}
}

// start starts the server and stops it when the test ends.
func (p *postgres) start(t *testing.T, settings ...string) {
	t.Helper()
	args := []string{"-D", p.dir, "-p", p.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "dynamic_shared_memory_type=mmap"} // in its directory, which is deleted
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	command := p.command("postgres", args...)
	command.Stdout, command.Stderr = &p.log, &p.log
	check(t, command.Start())
	p.process = command.Process
	go func() {
		command.Wait() // most tests kill it
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("output of PostgreSQL on port %s:\n%s", p.port, p.log.String())
		}
	})
	p.wait(t, "SELECT true")
}

// stop stops the server and removes the shared memory that a killed server leaves.
func (p *postgres) stop() {
	p.process.Signal(syscall.SIGQUIT) // immediate shutdown
	for _, pid := range p.frozen {
		syscall.Kill(pid, syscall.SIGKILL) // a stopped process handles no other signal
	}
	<-p.ended
	lock, err := os.ReadFile(filepath.Join(p.dir, "postmaster.pid"))
	if err != nil {
		return // the server removed its shared memory
	}
	if lines := strings.Split(string(lock), "\n"); len(lines) > 6 {
		if keyAndID := strings.Fields(lines[6]); len(keyAndID) == 2 {
			exec.Command("ipcrm", "-m", keyAndID[1]).Run()
		}
	}
}

// wait repeats query until it returns true.
func (p *postgres) wait(t *testing.T, query string) {
	t.Helper()
	db := p.open(t)
	defer db.Close()
	for deadline := time.Now().Add(time.Minute); ; {
		var done bool
		err := db.QueryRow(query).Scan(&done)
		if err == nil && done {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: got %t, %v from PostgreSQL", query, done, err)
		}
		select {
		case <-p.ended:
			t.Fatal("PostgreSQL ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// url returns the URL of the database, with other servers as additional hosts.
func (p *postgres) url(others ...*postgres) string {
	hosts := "127.0.0.1:" + p.port
	for _, other := range others {
		hosts += ",127.0.0.1:" + other.port
	}
	return "postgres://waymark@" + hosts + "/postgres?sslmode=disable"
}

func (p *postgres) open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", p.url())
	check(t, err)
	return db
}

// signal sends a signal to all processes of the server. The postmaster is first, because
// it could restart the others.
func (p *postgres) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if signal == syscall.SIGCONT {
		for _, pid := range p.frozen {
			syscall.Kill(pid, signal)
		}
		p.frozen = nil
		return
	}
	db := p.open(t)
	defer db.Close()
	rows, err := db.Query("SELECT pid FROM pg_stat_activity")
	check(t, err)
	defer rows.Close()
	processes := []int{p.process.Pid}
	for rows.Next() {
		var pid int
		check(t, rows.Scan(&pid))
		processes = append(processes, pid)
	}
	check(t, rows.Err())
	for _, pid := range processes {
		syscall.Kill(pid, signal) // some may have ended
	}
	if signal == syscall.SIGSTOP {
		p.frozen = processes
	}
}

// single starts an empty server.
func single(t *testing.T, settings ...string) *postgres {
	t.Helper()
	home, err := os.MkdirTemp("", "waymark-postgres-") // another user needs access
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	p := newPostgres(t, home)
	p.run(t, "initdb", "-D", p.dir, "-U", "waymark", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	p.start(t, settings...)
	return p
}

// pair starts a primary and a standby with synchronous replication. fsync is on.
func pair(t *testing.T) (primary, standby *postgres) {
	t.Helper()
	// These are command-line settings, because the standby gets a copy of the
	// configuration file and must not wait for a standby after it is promoted.
	primary = single(t, "synchronous_standby_names=*", "synchronous_commit=on")
	standby = newPostgres(t, filepath.Dir(primary.dir))
	standby.run(t, "pg_basebackup", "-D", standby.dir, "-d", "host=127.0.0.1 port="+primary.port+" user=waymark",
		"--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	standby.start(t, "wal_retrieve_retry_interval=100ms") // default: 5 s
	primary.wait(t, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
	return primary, standby
}

// promote promotes a standby to primary.
func (p *postgres) promote(t *testing.T) {
	t.Helper()
	p.run(t, "pg_ctl", "promote", "-D", p.dir, "-s", "-w")
}
