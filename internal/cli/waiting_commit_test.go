//go:build unix

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
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
	c := serve(t, primary.url(standby), "--request-timeout", "1s")
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
	bob := client{c.server, strings.TrimSpace(waymark(t, primary.url(), "key", "add", "bob", "test"))} // does not wait for changes of the other user
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

// list is the part of a list that the test checks.
type list struct {
	Name string `json:"name"`
}
