//go:build unix

package cli_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Changes of the same rows, sent by many clients, must wait for each other in one order:
// PostgreSQL reports no deadlock, and every request gets its response.
func TestParallelChangesDoNotDeadlock(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two PostgreSQL servers")
	}
	t.Run("direct", func(t *testing.T) {
		database := single(t, "deadlock_timeout=10ms", "fsync=off")
		changeInParallel(t, database, database.url())
	})
	t.Run("through PgBouncer", func(t *testing.T) {
		database := single(t, "deadlock_timeout=10ms", "fsync=off")
		changeInParallel(t, database, pgbouncer(t, database, "transaction", 40))
	})
}

// changeInParallel sends changes to a server on the database with that URL.
func changeInParallel(t *testing.T, database *postgres, url string) {
	t.Helper()
	const (
		clients = 40
		each    = 8 // requests of a client
	)
	c := serve(t, url, "--request-timeout", "30s", "--database-connections", "60")
	c.timeout = 30*time.Second + grace
	for _, test := range []struct {
		name string
		send func(r *rand.Rand, links, lists []int64) (method, path string, body any)
	}{
		{"bulk edits and deletes", func(r *rand.Rand, links, lists []int64) (string, string, any) {
			switch r.IntN(4) {
			case 0:
				return http.MethodDelete, "/api/v2/bulk/delete", map[string]any{"type": "links", "models": sample(r, links, 3)}
			case 1:
				return http.MethodDelete, "/api/v2/bulk/delete", map[string]any{"type": "lists", "models": sample(r, lists, 1)}
			}
			return http.MethodPatch, "/api/v2/bulk/links", map[string]any{
				"models": sample(r, links, 50), "visibility": 1 + r.IntN(3),
				"tags": []string{fmt.Sprint("tag ", r.IntN(20)), fmt.Sprint("tag ", r.IntN(20))}, "tags_mode": "replace",
				"lists": sample(r, lists, 3), "lists_mode": []string{"append", "replace"}[r.IntN(2)],
			}
		}},
		{"restores and deletes", func(r *rand.Rand, links, lists []int64) (string, string, any) {
			switch r.IntN(4) {
			case 0:
				return http.MethodDelete, "/api/v2/bulk/delete", map[string]any{"type": "links", "models": sample(r, links, 50)}
			case 1:
				return http.MethodPatch, "/api/v2/trash/restore", map[string]any{"model": "list", "id": lists[r.IntN(len(lists))]}
			}
			return http.MethodPatch, "/api/v2/trash/restore", map[string]any{"model": "link", "id": links[r.IntN(len(links))]}
		}},
		{"list edits and creates", func(r *rand.Rand, _, lists []int64) (string, string, any) {
			if r.IntN(2) == 0 {
				return http.MethodPatch, fmt.Sprint("/api/v2/lists/", lists[r.IntN(len(lists))]), map[string]any{"name": "List", "visibility": 1 + r.IntN(3)}
			}
			return http.MethodPost, "/api/v2/links", map[string]any{
				"url": fmt.Sprintf("https://example.org/%d", r.Uint64()), "visibility": 1 + r.IntN(3),
				"lists": append(sample(r, lists, 5), fmt.Sprint("List ", r.Uint64())), "tags": []string{fmt.Sprint("tag ", r.IntN(1000))},
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			links, lists := c.fill(t, 100, 10)
			var running sync.WaitGroup
			slowest := make([]time.Duration, clients)
			for i := range clients {
				running.Go(func() {
					r := rand.New(rand.NewPCG(uint64(i), 0))
					for range each {
						method, path, body := test.send(r, links, lists)
						began := time.Now()
						response, err := c.call(method, path, body, nil)
						slowest[i] = max(slowest[i], time.Since(began))
						// An entity may be in the trash by then, and so be not found or unusable.
						rejected := response != nil && (response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusUnprocessableEntity)
						if !rejected && (err != nil || response.StatusCode != http.StatusOK) {
							t.Errorf("%s %s: got %v, error %v", method, path, response, err)
						}
					}
				})
			}
			running.Wait()
			t.Logf("slowest response %v", slices.Max(slowest))
		})
	}
	if n := strings.Count(database.log.String(), "deadlock detected"); n > 0 {
		t.Errorf("PostgreSQL reports %d deadlocks", n)
	}
}

// sample returns n of the ids, in any order.
func sample(r *rand.Rand, ids []int64, n int) []any {
	chosen := make([]any, n)
	for i, j := range r.Perm(len(ids))[:n] {
		chosen[i] = ids[j]
	}
	return chosen
}

// fill creates links and lists, and returns their ids.
func (c client) fill(t *testing.T, links, lists int) (linkIDs, listIDs []int64) {
	t.Helper()
	create := func(path string, n int, model func() map[string]any) (ids []int64) {
		models := make([]map[string]any, n)
		for i := range models {
			models[i] = model()
		}
		var created []link
		if response, err := c.call(http.MethodPost, path, map[string]any{"models": models}, &created); err != nil || len(created) != n {
			t.Fatalf("create %d at %s: got %v, error %v", n, path, response, err)
		}
		for _, entity := range created {
			ids = append(ids, entity.ID)
		}
		return ids
	}
	return create("/api/v2/bulk/links", links, func() map[string]any {
			return map[string]any{"url": fmt.Sprintf("https://example.org/%d", rand.Uint64())}
		}),
		create("/api/v2/bulk/lists", lists, func() map[string]any { return map[string]any{"name": "List"} })
}
