package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/server"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// cluster is several servers on one PostgreSQL database.
type cluster struct {
	options  store.Options
	urls     []string
	stop     func() // stops all servers; runs at the end of the test at the latest
	accounts *accounts.Accounts
	key      string
}

// startCluster starts n servers at the same time on an empty database.
func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{options: storetest.PostgresOptions(t)}
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan string, 2*n) // a server may fail after it was ready
	var running sync.WaitGroup
	for range n {
		s := settings(t)
		s.Store = config.Store{Database: c.options.Database, DatabaseConnections: 5}
		running.Go(func() {
			err := server.Run(ctx, "v1.2.3", s, slog.New(slog.NewTextHandler(t.Output(), nil)), func(r server.Ready) { started <- r.URL })
			if err != nil {
				t.Errorf("server: %v", err)
				started <- ""
			}
		})
	}
	c.stop = func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		running.Wait()
	}
	t.Cleanup(c.stop)
	for range n {
		url := <-started
		if url == "" {
			t.FailNow()
		}
		c.urls = append(c.urls, url)
	}
	c.accounts = accounts.New(storetest.OpenWith(t, c.options), accounts.Options{}) // as a command does while servers are running
	if _, err := c.accounts.AddUser(t.Context(), "ann", ""); err != nil {
		t.Fatal(err)
	}
	c.key = c.newKey(t, "test")
	return c
}

func (c *cluster) newKey(t *testing.T, name string) string {
	t.Helper()
	secret, _, err := c.accounts.AddAPIKey(t.Context(), "ann", name, waymark.AccessFull, 0)
	check(t, err)
	return secret
}

// call sends a request to server number at, modulo the number of servers, and returns
// the status and the body.
func (c *cluster) call(t *testing.T, at int, key, method, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, c.urls[at%len(c.urls)]+"/api/v2"+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	request.Host = "links.example.org" // is part of the response
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(text)
}

func TestRevokedKeyStopsWorkingOnAllServers(t *testing.T) {
	c := startCluster(t, 2)
	phone := c.newKey(t, "phone")
	wantStatus := func(key string, want int) {
		t.Helper()
		for at := range c.urls {
			if got, _ := c.call(t, at, key, "GET", "/links", ""); got != want {
				t.Errorf("server %d: got %d, want %d", at, got, want)
			}
		}
	}
	wantStatus(phone, http.StatusOK)
	check(t, c.accounts.RevokeAPIKey(t.Context(), "ann", "phone"))
	wantStatus(phone, http.StatusUnauthorized)
	wantStatus(c.key, http.StatusOK)
	if _, err := c.accounts.AddAdmin(t.Context(), "root", ""); err != nil {
		t.Fatal(err)
	}
	check(t, c.accounts.SetUserDisabled(t.Context(), "ann", true))
	wantStatus(c.key, http.StatusUnauthorized)
}

// total returns the number of entities at path. It checks that the total equals the
// length of the page, and that all servers return the same page.
func (c *cluster) total(t *testing.T, path string) int {
	t.Helper()
	var first string
	for at := range c.urls {
		status, text := c.call(t, at, c.key, "GET", path+"?per_page=-1", "")
		if status != http.StatusOK {
			t.Fatalf("%s: got %d %s", path, status, text)
		}
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("%s: server %d returns\n%s\nand server 0\n%s", path, at, text, first)
		}
	}
	var page struct {
		Total int
		Data  []struct{ ID int64 }
	}
	check(t, json.Unmarshal([]byte(first), &page))
	if page.Total != len(page.Data) {
		t.Errorf("%s: got a total of %d for %d entities", path, page.Total, len(page.Data))
	}
	return page.Total
}

func TestTotalsAgreeOnAllServers(t *testing.T) {
	c := startCluster(t, 2)
	const n = 40
	for i := range n {
		body := fmt.Sprintf(`{"url":"https://example.org/%d","tags":["t%d"],"lists":["l%d"],"visibility":%d}`, i, i%3, i%2, 1+i%3)
		if status, text := c.call(t, i, c.key, "POST", "/links", body); status != http.StatusOK {
			t.Fatalf("got %d %s", status, text)
		}
	}
	// Four workers delete all links and restore those with even IDs on the other server.
	var running sync.WaitGroup
	for worker := range 4 {
		running.Go(func() {
			for id := worker + 1; id <= n; id += 4 {
				if status, text := c.call(t, id, c.key, "DELETE", fmt.Sprintf("/links/%d", id), ""); status != http.StatusOK {
					t.Errorf("delete %d: got %d %s", id, status, text)
				}
				if id%2 != 0 {
					continue
				}
				if status, text := c.call(t, id+1, c.key, "PATCH", "/trash/restore", fmt.Sprintf(`{"model":"link","id":%d}`, id)); status != http.StatusOK {
					t.Errorf("restore %d: got %d %s", id, status, text)
				}
			}
		})
	}
	running.Wait()
	for path, want := range map[string]int{"/links": n / 2, "/tags": 3, "/lists": 2, "/tags/1/links": 7, "/lists/2/links": n / 2} {
		if got := c.total(t, path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}
