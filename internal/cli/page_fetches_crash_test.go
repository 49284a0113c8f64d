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

// Servers fetch pages and check links. Each URL is requested once for each of both. One server is killed in the
// middle of its requests: exactly these are made again, and everything is done in the end.
func TestRequestsOfKilledServerAreMadeAgain(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		dir := t.TempDir()
		c := &fetchCrash{t: t, options: store.Options{Dir: dir}, driver: "sqlite", source: filepath.Join(dir, "waymark.db") + "?_pragma=busy_timeout(10000)"}
		c.run(1)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		if testing.Short() {
			t.Skip("starts a PostgreSQL server")
		}
		url := single(t).url()
		c := &fetchCrash{t: t, options: store.Options{Database: url}, driver: "pgx", source: url}
		c.run(2)
	})
}

const (
	crashLinks       = 60
	crashAnswered    = 10 // requests that are answered before the others are held up
	crashConnections = 8  // of each server, for pages and again for checks
)

// fetchCrash is a site with pages, and the servers that fetch them and check their links.
type fetchCrash struct {
	t              *testing.T
	options        store.Options
	driver, source string
	db             *sql.DB

	mu          sync.Mutex
	requests    map[string]int // by path
	begun       int
	interrupted map[string]int // those whose client was killed
	waiting     int            // requests that are held up
	held        chan struct{}  // closed when they go on
}

func (c *fetchCrash) run(servers int) {
	t := c.t
	c.requests, c.interrupted, c.held = map[string]int{}, map[string]int{}, make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(c.respond))
	t.Cleanup(site.Close)
	createStore(t, c.options)
	var err error
	if c.db, err = sql.Open(c.driver, c.source); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.db.Close() })

	c.command("", "user", "add", "ann", "--no-password")
	file := "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>\n"
	for i := range crashLinks {
		file += fmt.Sprintf("<DT><A HREF=\"%s/%d\"></A>\n", site.URL, i)
	}
	c.command(file, "import", "--user", "ann", "-")

	c.requestChecks()
	var started []*exec.Cmd
	for range servers {
		started = append(started, c.serve())
	}
	c.wait("all servers to request pages and check links", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.waiting == 2*crashConnections*servers
	})
	check(t, started[0].Process.Kill())
	c.wait("the requests of the killed server to end", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		interrupted := 0
		for _, n := range c.interrupted {
			interrupted += n
		}
		return interrupted == 2*crashConnections
	})
	close(c.held)
	if servers == 1 {
		c.serve()
	}
	c.wait("all that the killed server had not begun", func() bool { return c.left() == 2*crashConnections })
	// So much time passes that all claims have ended.
	for _, statement := range []string{"UPDATE page_fetches SET due_at = 1", "UPDATE link_checks SET due_at = 1 WHERE checked_at = 0"} {
		if _, err := c.db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	c.wait("what the killed server had begun", func() bool { return c.left() == 0 })

	c.mu.Lock()
	defer c.mu.Unlock()
	want := map[string]int{}
	for i := range crashLinks {
		path := fmt.Sprintf("/%d", i)
		want[path] = 2 + c.interrupted[path]
	}
	if !maps.Equal(c.requests, want) {
		t.Errorf("got the requests %v, want %v", c.requests, want)
	}
	if n := c.count("SELECT count(*) FROM links WHERE title = 'A page' AND check_result = " + fmt.Sprint(int(domain.CheckOK))); n != crashLinks {
		t.Errorf("%d links have the title of their page and were checked, want %d", n, crashLinks)
	}
}

// respond answers some requests, and holds up those that follow until the channel held is closed.
func (c *fetchCrash) respond(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.requests[r.URL.Path]++
	c.begun++
	hold := c.begun > crashAnswered
	if hold {
		c.waiting++
	}
	c.mu.Unlock()
	if hold {
		select {
		case <-c.held:
		case <-r.Context().Done():
			c.mu.Lock()
			c.interrupted[r.URL.Path]++
			c.mu.Unlock()
			return
		}
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<title>A page</title>")
}

// flags returns the flags that name the database.
func (c *fetchCrash) flags() []string {
	if c.options.Database != "" {
		return []string{"--database", c.options.Database, "--database-connections", "5"}
	}
	return []string{"--data", c.options.Dir}
}

func (c *fetchCrash) command(in string, args ...string) {
	c.t.Helper()
	command := exec.Command("waymark", append(args, c.flags()...)...)
	command.Stdin = strings.NewReader(in)
	command.Env = append(os.Environ(), "WAYMARK_PICTURES=off", "WAYMARK_SNAPSHOTS=off") // links want nothing but texts
	if out, err := command.CombinedOutput(); err != nil {
		c.t.Fatalf("waymark %v: %v\n%s", args, err, out)
	}
}

// serve starts a server that is killed at the end of the test at the latest.
func (c *fetchCrash) serve() *exec.Cmd {
	c.t.Helper()
	address, err := freeAddress()
	if err != nil {
		c.t.Fatal(err)
	}
	server := exec.Command("waymark", append([]string{
		"serve", "--listen", address, "--metadata=on", "--snapshots=off", "--pictures=off", "--check=on", "--fetch-allow=127.0.0.1", "--fetch-host-pause=0s",
		"--fetch-timeout=1m",
	}, c.flags()...)...)
	server.Dir = c.t.TempDir()
	var output bytes.Buffer
	server.Stdout, server.Stderr = &output, &output
	if err := server.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		server.Process.Kill() //nolint:errcheck // it was killed already, or is now
		server.Wait()         //nolint:errcheck // it was killed
		if c.t.Failed() {
			c.t.Logf("output of the server on %s:\n%s", address, &output)
		}
	})
	return server
}

// requestChecks makes all links due to be checked as soon as a server runs.
func (c *fetchCrash) requestChecks() {
	t := c.t
	s, err := store.Open(t.Context(), c.options)
	check(t, err)
	defer s.Close()
	ann, err := s.Accounts.UserByName(t.Context(), "ann")
	check(t, err)
	links, err := s.Queue.CheckableLinks(t.Context(), ann.ID, true)
	check(t, err)
	var ids []int64
	for _, link := range links {
		ids = append(ids, int64(link.ID))
	}
	requested, err := s.Queue.RequestChecks(t.Context(), ann.ID, ids, func(domain.UserID) error { return nil })
	if err != nil || len(requested) != crashLinks {
		t.Fatalf("got %d links, %v, want %d", len(requested), err, crashLinks)
	}
}

// left counts the pages to be fetched and the links to be checked.
func (c *fetchCrash) left() int {
	return c.count("SELECT (SELECT count(*) FROM page_fetches) + (SELECT count(*) FROM link_checks WHERE checked_at = 0)")
}

func (c *fetchCrash) count(query string) (n int) {
	c.t.Helper()
	if err := c.db.QueryRow(query).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// wait waits until done.
func (c *fetchCrash) wait(what string, done func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.t.Fatalf("waited a minute for %s; got the requests %v, %d held up, %d interrupted, %d left to do", what, c.requests, c.waiting, len(c.interrupted), c.left())
		}
	}
}
