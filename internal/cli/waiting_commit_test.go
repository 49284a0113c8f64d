//go:build unix

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The standby disappears while lists are created, and then the primary. What a reader saw,
// or what was acknowledged, must still be there.
func TestWaitingCommitIsNotCanceled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two PostgreSQL servers")
	}
	primary, standby := pair(t)
	c := serve(t, primary.url(standby), "--request-timeout", "5s") // enough for what does not wait, also on a busy machine
	seen := map[string]bool{}
	look := func() {
		t.Helper()
		for range 20 {
			var page struct{ Data []list }
			if response, err := c.call(http.MethodGet, "/api/v2/lists", nil, &page); err != nil || response.StatusCode != http.StatusOK {
				t.Fatal("read the lists:", errors.Join(err, fmt.Errorf("got %v", response)))
			}
			for _, list := range page.Data {
				seen[list.Name] = true
			}
		}
	}
	waymark(t, primary.url(), "user", "add", "bob", "--no-password")
	// Bob's changes do not wait for those of the other user.
	bob := client{server: c.server, key: strings.TrimSpace(waymark(t, primary.url(), "key", "add", "--user", "bob", "test"))}
	create := func(ctx context.Context, c client, name string) (*http.Response, error) {
		return c.callContext(ctx, http.MethodPost, "/api/v2/lists", map[string]any{"name": name, "visibility": 1}, nil)
	}

	if response, err := create(t.Context(), c, "1"); err != nil || response.StatusCode != http.StatusOK {
		t.Fatal("create a list:", errors.Join(err, fmt.Errorf("got %v", response)))
	}
	standby.signal(t, syscall.SIGSTOP)
	if response, err := create(t.Context(), c, "2"); err != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Error("create a list that runs out of time:", errors.Join(err, fmt.Errorf("got %v, want a 503", response)))
	}
	look()
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := create(leaving, bob, "3")
		left <- err
	}()
	primary.wait(t, "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("create a list with a client that leaves: got error %v", err)
	}
	look()
	primary.wait(t, "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")

	primary.signal(t, syscall.SIGKILL)
	standby.signal(t, syscall.SIGCONT)
	standby.promote(t)
	var after struct{ Data []list }
	for deadline := time.Now().Add(time.Minute); after.Data == nil; {
		response, err := c.call(http.MethodGet, "/api/v2/lists?per_page=-1", nil, &after)
		if err != nil || time.Now().After(deadline) {
			t.Fatal("read the lists after the fail-over:", errors.Join(err, fmt.Errorf("got %v", response)))
		}
	}
	if !slices.Contains(after.Data, list{"1"}) {
		t.Errorf("got %v, want the acknowledged list", after.Data)
	}
	for _, list := range after.Data {
		delete(seen, list.Name)
	}
	if len(seen) > 0 {
		t.Errorf("a reader saw lists that are gone: %v", seen)
	}
}

// While no standby is there, changes wait. Reads, health checks and commands do not.
func TestWaitingChangesLeaveConnectionsToOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a PostgreSQL server")
	}
	database := single(t)
	c := serve(t, database.url(), "--request-timeout", "1m")
	db := database.open(t)
	defer db.Close()
	setStandbys := func(names string) {
		t.Helper()
		for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + names + "'", "SELECT pg_reload_conf()"} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		database.wait(t, "SELECT current_setting('synchronous_standby_names') = '"+names+"'")
	}
	setStandbys("missing")
	const creates = 30
	var ended atomic.Int64
	var running sync.WaitGroup
	for i := range creates {
		running.Go(func() {
			response, err := c.call(http.MethodPost, "/api/v2/lists", map[string]any{"name": fmt.Sprint(i)}, nil)
			if err == nil && response.StatusCode == http.StatusOK { // the client may give up
				ended.Add(1)
			}
		})
	}
	database.wait(t, "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	for range 50 {
		for _, path := range []string{"/api/v2/links", "/healthz"} {
			if response, err := c.call(http.MethodGet, path, nil, nil); err != nil || response.StatusCode != http.StatusOK {
				t.Errorf("GET %s: got %v, error %v", path, response, err)
			}
		}
	}
	if got := waymark(t, database.url(), "user", "list"); !strings.Contains(got, "ann") {
		t.Errorf("user list: got %s", got)
	}
	if n := ended.Load(); n > 0 {
		t.Errorf("%d of %d creates did not wait", n, creates)
	}
	setStandbys("")
	running.Wait()
}

// list is the part of a list that the test checks.
type list struct {
	Name string `json:"name"`
}
