//go:build unix

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The standby disappears while links are created, and then the primary. What a reader saw,
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
			var page struct{ Data []link }
			if response, err := c.call(http.MethodGet, "/api/v2/links", nil, &page); err != nil || response.StatusCode != http.StatusOK {
				t.Fatal("read the links:", errors.Join(err, fmt.Errorf("got %v", response)))
			}
			for _, link := range page.Data {
				seen[link.URL] = true
			}
		}
	}
	// The links have counters of their own, and so do not wait for each other.
	create := func(ctx context.Context, visibility int) (*http.Response, error) {
		body := map[string]any{"url": fmt.Sprintf("https://example.org/%d", visibility), "visibility": visibility}
		return c.callContext(ctx, http.MethodPost, "/api/v2/links", body, &link{})
	}

	if response, err := create(t.Context(), 1); err != nil || response.StatusCode != http.StatusOK {
		t.Fatal("create a link:", errors.Join(err, fmt.Errorf("got %v", response)))
	}
	standby.signal(t, syscall.SIGSTOP)
	if response, err := create(t.Context(), 2); err != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Error("create a link that runs out of time:", errors.Join(err, fmt.Errorf("got %v, want a 503", response)))
	}
	look()
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := create(leaving, 3)
		left <- err
	}()
	primary.wait(t, "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("create a link with a client that leaves: got error %v", err)
	}
	look()
	primary.wait(t, "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")

	primary.signal(t, syscall.SIGKILL)
	standby.signal(t, syscall.SIGCONT)
	standby.promote(t)
	var after struct{ Data []link }
	for deadline := time.Now().Add(time.Minute); after.Data == nil; {
		response, err := c.call(http.MethodGet, "/api/v2/links?per_page=-1", nil, &after)
		if err != nil || time.Now().After(deadline) {
			t.Fatal("read the links after the fail-over:", errors.Join(err, fmt.Errorf("got %v", response)))
		}
	}
	for _, link := range after.Data {
		delete(seen, link.URL)
	}
	if len(seen) > 0 {
		t.Errorf("a reader saw links that are gone: %v", seen)
	}
	if !strings.HasSuffix(after.Data[len(after.Data)-1].URL, "/1") {
		t.Errorf("got %v, want the acknowledged link", after.Data)
	}
}
