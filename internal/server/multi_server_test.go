package server_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/config"
	"waymark/internal/server"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// several are servers on one PostgreSQL, and somebody who calls them.
type several struct {
	place   store.Options
	urls    []string
	stop    func() // ends all servers, which happens at the end of the test at the latest
	service *service.Service
	key     string
}

// startSeveral starts n servers at the same moment, on a database with nothing in it.
func startSeveral(t *testing.T, n int) *several {
	t.Helper()
	v := &several{place: storetest.Postgres(t)}
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan string, 2*n) // one may be ready, and fail later
	var running sync.WaitGroup
	for range n {
		s := settings(t)
		s.Store = config.Store{Database: v.place.Database, DatabaseConnections: 5}
		running.Go(func() {
			err := server.Run(ctx, "v1.2.3", s, slog.New(slog.NewTextHandler(t.Output(), nil)), func(r server.Ready) { started <- r.URL })
			if err != nil {
				t.Errorf("a server: %v", err)
				started <- ""
			}
		})
	}
	v.stop = func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		running.Wait()
	}
	t.Cleanup(v.stop)
	for range n {
		url := <-started
		if url == "" {
			t.FailNow()
		}
		v.urls = append(v.urls, url)
	}
	v.service = service.New(storetest.OpenWith(t, v.place)) // beside the servers, as commands are
	if _, err := v.service.AddUser(t.Context(), "ann", ""); err != nil {
		t.Fatal(err)
	}
	v.key = v.newKey(t, "test")
	return v
}

func (v *several) newKey(t *testing.T, name string) string {
	t.Helper()
	secret, _, err := v.service.AddAPIKey(t.Context(), "ann", name, waymark.AccessFull, 0)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// call sends a request to one of the servers, counted round, and returns the
// status and the body.
func (v *several) call(t *testing.T, at int, key, method, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, v.urls[at%len(v.urls)]+"/api/v2"+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	request.Host = "links.example.org" // which stands in the pages
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(text)
}

// atOnce sends the same request n times at the same moment, to the servers in
// turn, and returns how often each status came back.
func (v *several) atOnce(t *testing.T, n int, method, path, body string) map[int]int {
	t.Helper()
	statuses := make(chan int, n)
	begin := make(chan struct{})
	for i := range n {
		go func() {
			<-begin
			status, _ := v.call(t, i, v.key, method, path, body)
			statuses <- status
		}()
	}
	close(begin)
	got := map[int]int{}
	for range n {
		got[<-statuses]++
	}
	return got
}

func TestServersThatStartTogetherMigrateOnce(t *testing.T) {
	v := startSeveral(t, 3)
	db, err := sql.Open("pgx", v.place.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var versions, rows int
	if err := db.QueryRow("SELECT count(DISTINCT version_id), count(*) FROM goose_db_version").Scan(&versions, &rows); err != nil {
		t.Fatal(err)
	}
	if versions < 2 || rows != versions {
		t.Errorf("got %d migrations in %d rows, want each once", versions, rows)
	}
}

func TestRevokedKeyStopsOnEveryServerAtOnce(t *testing.T) {
	v := startSeveral(t, 2)
	phone := v.newKey(t, "phone")
	everywhere := func(key string, want int) {
		t.Helper()
		for at := range v.urls {
			if got, _ := v.call(t, at, key, "GET", "/links", ""); got != want {
				t.Errorf("server %d: got %d, want %d", at, got, want)
			}
		}
	}
	everywhere(phone, http.StatusOK)
	if err := v.service.RevokeAPIKey(t.Context(), "ann", "phone"); err != nil {
		t.Fatal(err)
	}
	everywhere(phone, http.StatusUnauthorized)
	everywhere(v.key, http.StatusOK)
	if err := v.service.DisableUser(t.Context(), "ann", true); err != nil {
		t.Fatal(err)
	}
	everywhere(v.key, http.StatusUnauthorized)
}

func TestSameThingOnSeveralServersIsMadeOnce(t *testing.T) {
	v := startSeveral(t, 2)
	const rounds, calls = 8, 6
	want := map[int]int{http.StatusOK: 1, http.StatusUnprocessableEntity: calls - 1}
	for i := range rounds {
		for path, body := range map[string]string{
			"/links": fmt.Sprintf(`{"url":"https://example.org/%d"}`, i),
			"/tags":  fmt.Sprintf(`{"name":"made %d"}`, i),
		} {
			if diff := cmp.Diff(want, v.atOnce(t, calls, "POST", path, body)); diff != "" {
				t.Errorf("POST %s %s (-want +got):\n%s", path, body, diff)
			}
		}
	}
}

func TestNewNamesOnSeveralServersAreMadeOnce(t *testing.T) {
	v := startSeveral(t, 2)
	const rounds, calls = 8, 6
	for round := range rounds {
		var running sync.WaitGroup
		for call := range calls {
			running.Go(func() {
				body := fmt.Sprintf(`{"url":"https://example.org/%d/%d","tags":["new %[1]d","also %[1]d"],"lists":["new %[1]d"]}`, round, call)
				if status, text := v.call(t, call, v.key, "POST", "/links", body); status != http.StatusOK {
					t.Errorf("got %d %s", status, text)
				}
			})
		}
		running.Wait()
	}
	for path, want := range map[string]int{"/links": rounds * calls, "/tags": 2 * rounds, "/lists": rounds} {
		if got := v.total(t, path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}

// total returns how many entries there are, which is what the page says and what
// it has, on every server alike.
func (v *several) total(t *testing.T, path string) int {
	t.Helper()
	var first string
	for at := range v.urls {
		status, text := v.call(t, at, v.key, "GET", path+"?per_page=-1", "")
		if status != http.StatusOK {
			t.Fatalf("%s: got %d %s", path, status, text)
		}
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("%s: server %d answers\n%s\nand server 0\n%s", path, at, text, first)
		}
	}
	var page struct {
		Total int
		Data  []struct{ ID int64 }
	}
	if err := json.Unmarshal([]byte(first), &page); err != nil {
		t.Fatal(err)
	}
	if page.Total != len(page.Data) {
		t.Errorf("%s: got a total of %d for %d entries", path, page.Total, len(page.Data))
	}
	return page.Total
}

func TestTrashAndTotalsAgreeOnSeveralServers(t *testing.T) {
	v := startSeveral(t, 2)
	const n = 40
	for i := range n {
		body := fmt.Sprintf(`{"url":"https://example.org/%d","tags":["t%d"],"lists":["l%d"],"visibility":%d}`, i, i%3, i%2, 1+i%3)
		if status, text := v.call(t, i, v.key, "POST", "/links", body); status != http.StatusOK {
			t.Fatalf("got %d %s", status, text)
		}
	}
	// Four at a time trash all and bring the even ones back, each step elsewhere.
	var running sync.WaitGroup
	for worker := range 4 {
		running.Go(func() {
			for id := worker + 1; id <= n; id += 4 {
				if status, text := v.call(t, id, v.key, "DELETE", fmt.Sprintf("/links/%d", id), ""); status != http.StatusOK {
					t.Errorf("trash %d: got %d %s", id, status, text)
				}
				if id%2 != 0 {
					continue
				}
				if status, text := v.call(t, id+1, v.key, "PATCH", "/trash/restore", fmt.Sprintf(`{"model":"link","id":%d}`, id)); status != http.StatusOK {
					t.Errorf("restore %d: got %d %s", id, status, text)
				}
			}
		})
	}
	running.Wait()
	for path, want := range map[string]int{"/links": n / 2, "/tags": 3, "/lists": 2, "/tags/1/links": 7, "/lists/2/links": n / 2} {
		if got := v.total(t, path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}

func TestLastUseIsSavedByEveryServer(t *testing.T) {
	v := startSeveral(t, 2)
	keys := []string{v.newKey(t, "first"), v.newKey(t, "second")}
	for at, key := range keys { // each on another server
		v.call(t, at, key, "GET", "/links", "")
		v.call(t, at, v.key, "GET", "/links", "")
	}
	v.stop()
	saved, err := storetest.OpenWith(t, v.place).APIKeys(t.Context(), 1)
	if err != nil || len(saved) != 3 {
		t.Fatalf("got %v, %v, want 3 keys", saved, err)
	}
	for _, key := range saved {
		if key.LastUsedAt == 0 {
			t.Errorf("the last use of the key %s is not known", key.Name)
		}
	}
}
