//go:build unix

package cli_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/store"
	domain "waymark/internal/waymark"
)

// Servers fetch pages and visit links, each of which is requested once. One server is killed in
// the middle of its requests: exactly these are made again, and everything is done in the end.
func TestKilledServerLeavesNothingOwed(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		dir := t.TempDir()
		o := &owed{t: t, options: store.Options{Dir: dir}, driver: "sqlite", source: filepath.Join(dir, "waymark.db") + "?_pragma=busy_timeout(10000)"}
		o.run(1)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		if testing.Short() {
			t.Skip("starts a PostgreSQL server")
		}
		url := single(t).url()
		o := &owed{t: t, options: store.Options{Database: url}, driver: "pgx", source: url}
		o.run(2)
	})
}

const (
	owedLinks       = 40
	owedBefore      = 10 // requests that are answered before the others are held up
	owedConnections = 3  // of each server, for pages and again for visits
)

// owed is a site with pages, and the servers that owe their links something.
type owed struct {
	t              *testing.T
	options        store.Options
	driver, source string
	db             *sql.DB

	mu          sync.Mutex
	requests    map[string]int  // by method and path
	interrupted map[string]bool // those whose client was killed
	waiting     int             // requests that are held up
	held        chan struct{}   // closed when they go on
}

func (o *owed) run(servers int) {
	t := o.t
	o.requests, o.interrupted, o.held = map[string]int{}, map[string]bool{}, make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(o.respond))
	t.Cleanup(site.Close)
	createStore(t, o.options)
	var err error
	if o.db, err = sql.Open(o.driver, o.source); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.db.Close() })

	o.command("", "user", "add", "ann", "--no-password")
	file := "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>\n"
	for i := range owedLinks {
		file += fmt.Sprintf("<DT><A HREF=\"%s/%d\"></A>\n", site.URL, i)
	}
	o.command(file, "import", "--user", "ann", "-")

	o.requestVisits()
	var started []*exec.Cmd
	for range servers {
		started = append(started, o.serve())
	}
	o.wait("all servers to request pages and visits", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.waiting == 2*owedConnections*servers
	})
	if err := started[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	o.wait("the requests of the killed server to end", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return len(o.interrupted) == 2*owedConnections
	})
	close(o.held)
	if servers == 1 {
		o.serve()
	}
	o.wait("all that the killed server had not begun", func() bool { return o.owed() == 2*owedConnections })
	// So much time passes that all claims have ended.
	for _, statement := range []string{"UPDATE page_fetches SET due_at = 1", "UPDATE link_checks SET due_at = 1 WHERE checked_at = 0"} {
		if _, err := o.db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	o.wait("what the killed server had begun", func() bool { return o.owed() == 0 })

	o.mu.Lock()
	defer o.mu.Unlock()
	want := map[string]int{}
	for i := range owedLinks {
		for _, method := range []string{"GET", "HEAD"} {
			request := fmt.Sprintf("%s /%d", method, i)
			want[request] = 1
			if o.interrupted[request] {
				want[request] = 2
			}
		}
	}
	if !maps.Equal(o.requests, want) {
		t.Errorf("got the requests %v, want %v", o.requests, want)
	}
	if n := o.count("SELECT count(*) FROM links WHERE title = 'A page' AND verdict = " + fmt.Sprint(int(domain.VerdictOK))); n != owedLinks {
		t.Errorf("%d links have the title of their page and a visit, want %d", n, owedLinks)
	}
}

// respond answers some requests, and holds up those that follow until the channel held is closed.
func (o *owed) respond(w http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + r.URL.Path
	o.mu.Lock()
	o.requests[request]++
	hold := len(o.requests) > owedBefore
	if hold {
		o.waiting++
	}
	o.mu.Unlock()
	if hold {
		select {
		case <-o.held:
		case <-r.Context().Done():
			o.mu.Lock()
			o.interrupted[request] = true
			o.mu.Unlock()
			return
		}
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<title>A page</title>")
}

// flags returns the flags that name the database.
func (o *owed) flags() []string {
	if o.options.Database != "" {
		return []string{"--database", o.options.Database, "--database-connections", "5"}
	}
	return []string{"--data", o.options.Dir}
}

func (o *owed) command(in string, args ...string) {
	o.t.Helper()
	command := exec.Command("waymark", append(args, o.flags()...)...)
	command.Stdin = strings.NewReader(in)
	command.Env = append(os.Environ(), "WAYMARK_PICTURES=off", "WAYMARK_ARCHIVE=off") // links want nothing but texts
	if out, err := command.CombinedOutput(); err != nil {
		o.t.Fatalf("waymark %v: %v\n%s", args, err, out)
	}
}

// serve starts a server that is killed at the end of the test at the latest.
func (o *owed) serve() *exec.Cmd {
	o.t.Helper()
	address, err := freeAddress()
	if err != nil {
		o.t.Fatal(err)
	}
	server := exec.Command("waymark", append([]string{
		"serve", "--listen", address, "--metadata=on", "--archive=off", "--pictures=off", "--check=on", "--fetch-allow=127.0.0.1", "--fetch-host-pause=0s",
		"--fetch-timeout=1m", fmt.Sprint("--fetch-connections=", owedConnections), fmt.Sprint("--check-connections=", owedConnections),
	}, o.flags()...)...)
	server.Dir = o.t.TempDir()
	var output bytes.Buffer
	server.Stdout, server.Stderr = &output, &output
	if err := server.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() {
		server.Process.Kill() //nolint:errcheck // it was killed already, or is now
		server.Wait()         //nolint:errcheck // it was killed
		if o.t.Failed() {
			o.t.Logf("output of the server on %s:\n%s", address, &output)
		}
	})
	return server
}

// requestVisits lets all links be visited as soon as a server runs.
func (o *owed) requestVisits() {
	t := o.t
	s, err := store.Open(t.Context(), o.options)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ann, err := s.UserByName(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	links, err := s.CheckableLinks(t.Context(), ann.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, link := range links {
		ids = append(ids, int64(link.ID))
	}
	requested, err := s.RequestChecks(t.Context(), ann.ID, ids, func(domain.UserID) error { return nil })
	if err != nil || len(requested) != owedLinks {
		t.Fatalf("got %d links, %v, want %d", len(requested), err, owedLinks)
	}
}

// owed counts the pages and visits that are not done.
func (o *owed) owed() int {
	return o.count("SELECT (SELECT count(*) FROM page_fetches) + (SELECT count(*) FROM link_checks WHERE checked_at = 0)")
}

func (o *owed) count(query string) (n int) {
	o.t.Helper()
	if err := o.db.QueryRow(query).Scan(&n); err != nil {
		o.t.Fatal(err)
	}
	return n
}

// wait waits until done.
func (o *owed) wait(what string, done func() bool) {
	o.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.t.Fatalf("waited a minute for %s; got the requests %v, %d held up, %d interrupted, %d owed", what, o.requests, o.waiting, len(o.interrupted), o.owed())
		}
	}
}
