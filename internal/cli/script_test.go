package cli_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"

	"waymark/internal/cli"
	"waymark/internal/store"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"waymark": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestCommands runs the scripts in testdata. Besides the commands of testscript they
// can use:
//
//	newstore DIR               create an empty store, as a server does that starts
//	exits CODE PROGRAM ARGS…   run a program and check its exit code
//	nobody CODE PROGRAM ARGS…  the same as the user nobody; for tests that run as root
//	ready URL                  wait until a server responds
//	get STATUS KEYFILE URL     call the API with the key in a file and check the status
//	terminate                  send SIGTERM to the background programs
//	hangup                     send SIGHUP to the background programs
//	query FILE SQL             execute SQL on a SQLite database
func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			address, err := freeAddress()
			env.Setenv("ADDRESS", address)
			env.Setenv("WAYMARK_DATA", env.WorkDir+"/data")
			env.Setenv("WAYMARK_LISTEN", address)
			env.Setenv("WAYMARK_METADATA", "off") // no test connects to another server
			env.Setenv("WAYMARK_PICTURES", "off")
			env.Setenv("WAYMARK_CHECK", "off")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector waits a second at every exit
			return err
		},
		Condition: func(condition string) (bool, error) {
			if condition != "root" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"newstore":  newStore,
			"exits":     exits,
			"nobody":    nobody,
			"ready":     ready,
			"get":       get,
			"terminate": terminate,
			"hangup":    hangup,
			"query":     query,
		},
	})
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func newStore(ts *testscript.TestScript, _ bool, args []string) {
	s, err := store.Open(context.Background(), store.Options{Dir: ts.MkAbs(args[0])})
	ts.Check(err)
	ts.Check(s.Close())
}

// createStore creates an empty store, as a server does that starts.
func createStore(t *testing.T, o store.Options) {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	check(t, err)
	check(t, s.Close())
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("got exit code %d, want %d", got, want)
	}
}

// nobody runs a program as a user who may search the directories of the test, and nothing
// else.
func nobody(ts *testscript.TestScript, neg bool, args []string) {
	program, err := exec.LookPath(args[1])
	ts.Check(err)
	for _, dir := range []string{filepath.Dir(program), ts.Getenv("WORK")} {
		for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
			ts.Check(os.Chmod(dir, 0o755))
		}
	}
	exits(ts, neg, append([]string{args[0], "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}, args[1:]...))
}

func ready(ts *testscript.TestScript, _ bool, args []string) {
	for range 6000 { // a minute
		if response, err := http.Get(args[0] + "/healthz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("no server at %s", args[0])
}

func get(ts *testscript.TestScript, _ bool, args []string) {
	request, err := http.NewRequest(http.MethodGet, args[2], nil)
	ts.Check(err)
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(ts.ReadFile(args[1])))
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	if got := strconv.Itoa(response.StatusCode); got != args[0] {
		ts.Fatalf("got %s %s, want %s", response.Status, body, args[0])
	}
}

func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, command := range ts.BackgroundCmds() {
		ts.Check(command.Process.Signal(syscall.SIGTERM))
	}
}

func hangup(ts *testscript.TestScript, _ bool, _ []string) {
	for _, command := range ts.BackgroundCmds() {
		ts.Check(command.Process.Signal(syscall.SIGHUP))
	}
}

func query(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	_, err = db.Exec(args[1])
	ts.Check(err)
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
