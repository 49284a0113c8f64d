//go:build unix

package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"waymark/internal/store"
)

const (
	requestTimeout = 3 * time.Second  // setting of the server
	grace          = 10 * time.Second // extra time for a busy machine
	connections    = 10
	writers        = 16 // more than connections
	readers        = 4
)

// A primary with synchronous replication fails under load and its standby is promoted.
// A running server must continue with the new primary, keep all acknowledged writes,
// and respond to other requests in time.
func TestFailOverKeepsAcknowledgedWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("starts four PostgreSQL servers")
	}
	for _, test := range []struct {
		name   string
		signal syscall.Signal
	}{
		{"killed primary", syscall.SIGKILL},
		{"frozen primary", syscall.SIGSTOP},
	} {
		t.Run(test.name, func(t *testing.T) {
			primary, standby := pair(t)
			l := startLoad(t, serve(t, primary.url(standby)))
			l.waitFor(t, 200)

			primary.signal(t, test.signal)
			failed := time.Now()
			standby.promote(t)
			promoted := time.Since(failed)

			l.waitFor(t, 200)
			gap := l.gap()
			acknowledged, found, others := l.end(t)
			t.Logf("acknowledged %d, found %d, lost %d, gap %.1f s (promoted after %.1f s); %d responses with 503, slowest response %.1f s; %d unacknowledged links were saved",
				acknowledged, found, acknowledged-found, gap.Seconds(), promoted.Seconds(), l.unavailable, l.slowest.Seconds(), others)
			if found < acknowledged {
				t.Errorf("%d acknowledged links are missing", acknowledged-found)
			}
		})
	}
}

func TestServerStopsWhileItsDatabaseIsFrozen(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a PostgreSQL server")
	}
	database := single(t)
	c := serve(t, database.url())
	var page struct{ Data []link }
	if response, err := c.call(http.MethodGet, "/api/v2/links", nil, &page); err != nil || response.StatusCode != http.StatusOK {
		t.Fatal("read:", errors.Join(err, fmt.Errorf("got %v", response)))
	}
	database.signal(t, syscall.SIGSTOP) // the cleanup stops the server, which has the last use of a key to save
}

// client calls a server with an API key.
type client struct {
	server, key string
	timeout     time.Duration // of a request; 0 for that of launch, and a grace period
}

// serve runs `waymark serve` with further flags on a database until the test ends.
func serve(t *testing.T, database string, flags ...string) client {
	t.Helper()
	createStore(t, store.Options{Database: database})
	waymark(t, database, "user", "add", "ann", "--no-password")
	key := waymark(t, database, "key", "add", "--user", "ann", "test")
	c := client{server: launch(t, database, flags...), key: strings.TrimSpace(key)}
	c.waitUntilReady(t)
	return c
}

// launch runs `waymark serve` until the test ends. It returns its URL, and does not wait
// until it is ready.
func launch(t *testing.T, database string, flags ...string) string {
	t.Helper()
	address, err := freeAddress()
	check(t, err)
	flags = append([]string{
		"serve", "--database", database, "--database-connections", strconv.Itoa(connections),
		"--listen", address, "--request-timeout", requestTimeout.String(), "--log-level", "error", "--metadata=off", "--pictures=off", "--check=off",
	}, flags...)
	server := exec.Command("waymark", flags...)
	server.Dir = t.TempDir()
	var output bytes.Buffer
	server.Stdout, server.Stderr = &output, &output
	check(t, server.Start())
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(time.Minute): // 20 seconds for requests, and 20 for jobs that run at the end
			t.Error("the server did not stop")
			server.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("output of the server:\n%.10000s", output.String())
		}
	})
	return "http://" + address
}

func (c client) waitUntilReady(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		if response, err := http.Get(c.server + "/healthz"); err == nil {
			response.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the server did not become ready")
		}
		<-time.After(20 * time.Millisecond)
	}
}

// waymark runs a command and returns its standard output.
func waymark(t *testing.T, database string, args ...string) string {
	t.Helper()
	command := exec.Command("waymark", append(args, "--database", database)...)
	var output, warnings bytes.Buffer
	command.Stdout, command.Stderr = &output, &warnings
	if err := command.Run(); err != nil {
		t.Fatalf("waymark %s: %v\n%s", strings.Join(args, " "), err, warnings.String())
	}
	return output.String()
}

// call sends a request and decodes a 200 response into value.
func (c client) call(method, path string, body, value any) (*http.Response, error) {
	return c.callContext(context.Background(), method, path, body, value)
}

func (c client) callContext(ctx context.Context, method, path string, body, value any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: cmp.Or(c.timeout, requestTimeout+grace)}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return response, checkResponse(response, text, value)
}

// checkResponse decodes a 200 response into value, unless that is nil. It returns an error
// for other responses, except for a 503 with a message and a Retry-After header.
func checkResponse(response *http.Response, text []byte, value any) error {
	switch response.StatusCode {
	case http.StatusOK:
		if value == nil {
			return nil
		}
		return json.Unmarshal(text, value)
	case http.StatusServiceUnavailable:
		var unavailable struct{ Message string }
		if err := json.Unmarshal(text, &unavailable); err != nil || unavailable.Message == "" || response.Header.Get("Retry-After") == "" {
			return fmt.Errorf("got a 503 with %q and Retry-After %q, want both", text, response.Header.Get("Retry-After"))
		}
		return nil
	}
	return fmt.Errorf("got %s %s", response.Status, text)
}

// load is concurrent clients and their results.
type load struct {
	client
	stop    chan struct{}
	running sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[string]int64 // IDs of created links by URL
	last         time.Time        // time of the last acknowledgement
	longest      time.Duration    // longest time between acknowledgements
	unavailable  int              // responses with 503
	slowest      time.Duration
	problems     []error
}

// link is the part of a link that the test checks.
type link struct {
	ID  int64  `json:"id"`
	URL string `json:"url"`
}

func startLoad(t *testing.T, c client) *load {
	t.Helper()
	l := &load{client: c, stop: make(chan struct{}), acknowledged: map[string]int64{}, last: time.Now()}
	for writer := range writers {
		l.repeat(func(i int) (*http.Response, error) {
			var saved link
			url := fmt.Sprintf("https://example.org/%d/%d", writer, i)
			response, err := l.call(http.MethodPost, "/api/v2/links", map[string]any{"url": url, "tags": []string{"load"}}, &saved)
			if err == nil && saved.ID != 0 {
				l.acknowledge(url, saved.ID)
			}
			return response, err
		})
	}
	for range readers {
		l.repeat(func(int) (*http.Response, error) {
			var page struct{ Data []link }
			return l.call(http.MethodGet, "/api/v2/links", nil, &page)
		})
	}
	return l
}

// repeat calls do until the load ends.
func (l *load) repeat(do func(i int) (*http.Response, error)) {
	l.running.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-l.stop:
				return
			default:
			}
			started := time.Now()
			response, err := do(i)
			l.record(response, err, time.Since(started))
			if response == nil || response.StatusCode != http.StatusOK {
				<-time.After(20 * time.Millisecond)
			}
		}
	})
}

// record records the outcome of a request.
func (l *load) record(response *http.Response, err error, duration time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.problems = append(l.problems, err)
	} else if response.StatusCode != http.StatusOK {
		l.unavailable++
	}
	l.slowest = max(l.slowest, duration)
}

// acknowledge records a link that was acknowledged.
func (l *load) acknowledge(url string, id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged[url] = id
	l.longest = max(l.longest, time.Since(l.last))
	l.last = time.Now()
}

// gap returns the longest time between two acknowledgements.
func (l *load) gap() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.longest
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acknowledged)
}

// waitFor waits until n more links are acknowledged.
func (l *load) waitFor(t *testing.T, n int) {
	t.Helper()
	want := l.count() + n
	for deadline := time.Now().Add(time.Minute); l.count() < want; <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the server stopped saving links")
			return
		}
	}
}

// end stops the load. It returns the number of acknowledged links, how many of them
// exist, and how many other links exist.
func (l *load) end(t *testing.T) (acknowledged, found, others int) {
	t.Helper()
	close(l.stop)
	l.running.Wait()
	for _, problem := range l.problems {
		t.Error(problem)
	}
	if l.slowest > requestTimeout+grace/2 {
		t.Errorf("the slowest request took %s, want at most %s", l.slowest, requestTimeout)
	}
	var all struct {
		Total int
		Data  []link
	}
	response, err := l.call(http.MethodGet, "/api/v2/links?per_page=-1", nil, &all)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal("read all links:", errors.Join(err, fmt.Errorf("got %v", response)))
	}
	if all.Total != len(all.Data) {
		t.Errorf("got a total of %d for %d links", all.Total, len(all.Data))
	}
	for _, link := range all.Data {
		if id, ok := l.acknowledged[link.URL]; ok && id == link.ID {
			found++
		} else {
			others++
		}
	}
	return len(l.acknowledged), found, others
}
