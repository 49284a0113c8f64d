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
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// postgres is a PostgreSQL server of the test's own, which it may kill.
type postgres struct {
	programs string // the folder with the server's programs
	owner    *syscall.Credential
	dir      string
	port     string
	process  *os.Process
	ended    chan struct{}
	frozen   []int // processes
}

// newPostgres makes a server in a folder below home. It does not run yet.
func newPostgres(t *testing.T, home string) *postgres {
	t.Helper()
	p := &postgres{programs: postgresPrograms(t), owner: postgresOwner(t), ended: make(chan struct{})}
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	if _, p.port, err = net.SplitHostPort(address); err != nil {
		t.Fatal(err)
	}
	p.dir = filepath.Join(home, p.port)
	if p.owner != nil {
		if err := os.Chown(home, int(p.owner.Uid), int(p.owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// postgresPrograms is where PostgreSQL's programs are. Debian keeps them out of the PATH.
func postgresPrograms(t *testing.T) string {
	t.Helper()
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); err == nil && len(found) > 0 {
		return filepath.Dir(slices.Max(found))
	}
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found)
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("PostgreSQL is not installed, and with CI=true nothing is skipped")
	}
	t.Skip("PostgreSQL is not installed")
	return ""
}

// postgresOwner is whose the server must be where the test runs as root, which
// PostgreSQL refuses to do; else nil.
func postgresOwner(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(owner.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(owner.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
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

// start runs the server until the test ends.
func (p *postgres) start(t *testing.T, settings ...string) {
	t.Helper()
	args := []string{"-D", p.dir, "-p", p.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "dynamic_shared_memory_type=mmap"} // in its folder, which is taken away
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	command := p.command("postgres", args...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p.process = command.Process
	go func() {
		command.Wait() // it is killed more often than not
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("PostgreSQL on port %s said:\n%s", p.port, said.String())
		}
	})
	p.wait(t, "SELECT true")
}

// stop ends the server, and takes away what one that was killed has left in the
// system's memory.
func (p *postgres) stop() {
	p.process.Signal(syscall.SIGQUIT) // the server's word for at once
	for _, pid := range p.frozen {
		syscall.Kill(pid, syscall.SIGKILL) // they hear nothing else
	}
	<-p.ended
	lock, err := os.ReadFile(filepath.Join(p.dir, "postmaster.pid"))
	if err != nil {
		return // it has cleaned up itself
	}
	if lines := strings.Split(string(lock), "\n"); len(lines) > 6 {
		if keyAndID := strings.Fields(lines[6]); len(keyAndID) == 2 {
			exec.Command("ipcrm", "-m", keyAndID[1]).Run()
		}
	}
}

// wait asks again and again until the server answers with true.
func (p *postgres) wait(t *testing.T, question string) {
	t.Helper()
	db := p.open(t)
	defer db.Close()
	for deadline := time.Now().Add(time.Minute); ; {
		var yes bool
		err := db.QueryRow(question).Scan(&yes)
		if err == nil && yes {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: got %t, %v from PostgreSQL", question, yes, err)
		}
		select {
		case <-p.ended:
			t.Fatal("PostgreSQL has ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// url is the URL of the server's database, and of the same on other hosts.
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
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// signal sends a signal to all processes of the server, beginning with the one
// that could clean up after the others, or start new ones.
func (p *postgres) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	db := p.open(t)
	defer db.Close()
	rows, err := db.Query("SELECT pid FROM pg_stat_activity")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	processes := []int{p.process.Pid}
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, pid)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range processes {
		syscall.Kill(pid, signal) // some may have ended by themselves
	}
	if signal == syscall.SIGSTOP {
		p.frozen = processes
	}
}

// single starts a server with nothing in it.
func single(t *testing.T, settings ...string) *postgres {
	t.Helper()
	home, err := os.MkdirTemp("", "waymark-postgres-") // another user must reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	p := newPostgres(t, home)
	p.run(t, "initdb", "-D", p.dir, "-U", "waymark", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	p.start(t, settings...)
	return p
}

// pair starts a primary and a standby, without which the primary acknowledges
// nothing. Both keep their data safe (fsync is on, which is the default).
func pair(t *testing.T) (primary, standby *postgres) {
	t.Helper()
	// That it waits for a standby is said here and not in the folder, which the
	// standby gets a copy of: once it is promoted, it waits for nobody.
	primary = single(t, "synchronous_standby_names=*", "synchronous_commit=on")
	standby = newPostgres(t, filepath.Dir(primary.dir))
	standby.run(t, "pg_basebackup", "-D", standby.dir, "-d", "host=127.0.0.1 port="+primary.port+" user=waymark",
		"--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	standby.start(t, "wal_retrieve_retry_interval=100ms") // or it may look for the dead primary for 5 s first
	primary.wait(t, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
	return primary, standby
}

// promote makes a standby the primary.
func (p *postgres) promote(t *testing.T) {
	t.Helper()
	p.run(t, "pg_ctl", "promote", "-D", p.dir, "-s", "-w")
}
