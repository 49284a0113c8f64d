//go:build unix

package cli_test

import (
	"bytes"
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
)

const (
	requestLimit = 3 * time.Second // what the server is told
	grace        = 5 * time.Second // how much longer a busy machine may take
	connections  = 10
	writers      = 16 // more than there are connections
	readers      = 4
)

// A primary that waits for its standby dies under load, the standby becomes the
// primary, and a running server goes on with it: nothing that it has acknowledged
// is lost, and whoever asks meanwhile is told so in time.
func TestFailOverLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts four PostgreSQL servers")
	}
	for _, test := range []struct {
		name   string
		signal syscall.Signal
	}{
		{"the primary is killed", syscall.SIGKILL},
		{"the primary freezes, and its connections with it", syscall.SIGSTOP},
	} {
		t.Run(test.name, func(t *testing.T) {
			primary, standby := pair(t)
			l := startLoad(t, serve(t, primary.url(standby)))
			l.waitFor(t, 200)

			primary.signal(t, test.signal)
			died := time.Now()
			standby.promote(t)
			promoted := time.Since(died)

			l.waitFor(t, 200)
			gap := l.gap()
			acknowledged, found, others := l.end(t)
			t.Logf("acknowledged %d, found %d, lost %d, gap %.1f s (promoted after %.1f s); %d refused, the slowest answer took %.1f s; %d more are there whose answer was lost",
				acknowledged, found, acknowledged-found, gap.Seconds(), promoted.Seconds(), l.refused, l.slowest.Seconds(), others)
			if found < acknowledged {
				t.Errorf("%d acknowledged links are lost", acknowledged-found)
			}
		})
	}
}

func TestServerStopsThoughItsDatabaseIsFrozen(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a PostgreSQL server")
	}
	database := single(t)
	c := serve(t, database.url())
	var page struct{ Data []link }
	if answer, err := c.call(http.MethodGet, "/api/v2/links", nil, &page); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal("read:", errors.Join(err, fmt.Errorf("got %v", answer)))
	}
	database.signal(t, syscall.SIGSTOP) // and now the server stops, with the last use of a key to save
}

// client is somebody with a key for a server.
type client struct {
	server, key string
}

// serve runs `waymark serve` on a database until the test ends.
func serve(t *testing.T, database string) client {
	t.Helper()
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	waymark(t, database, "user", "add", "ann", "--no-password")
	key := waymark(t, database, "key", "add", "ann", "test")

	server := exec.Command("waymark", "serve", "--database", database, "--database-connections", strconv.Itoa(connections),
		"--listen", address, "--request-timeout", requestLimit.String(), "--shutdown-timeout", requestLimit.String(), "--log-level", "error")
	server.Dir = t.TempDir()
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(2*requestLimit + 2*grace): // for requests, and for what is saved at the end
			t.Error("the server does not stop")
			server.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("the server said:\n%.10000s", said.String())
		}
	})
	c := client{"http://" + address, strings.TrimSpace(key)}
	for deadline := time.Now().Add(time.Minute); ; {
		if answer, err := http.Get(c.server + "/healthz"); err == nil {
			answer.Body.Close()
			return c
		}
		if time.Now().After(deadline) {
			t.Fatal("the server does not become ready")
		}
		<-time.After(20 * time.Millisecond)
	}
}

// waymark runs a command to its end, and returns what it prints.
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

// call sends a request and reads the answer into value, where it is a 200.
func (c client) call(method, path string, body, value any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(method, c.server+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: requestLimit + grace}).Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	return answer, checkAnswer(answer, text, value)
}

// checkAnswer returns an error for what no client should ever see: anything but
// the answer, and a 503 that says what is wrong and when to come back.
func checkAnswer(answer *http.Response, text []byte, value any) error {
	switch answer.StatusCode {
	case http.StatusOK:
		return json.Unmarshal(text, value)
	case http.StatusServiceUnavailable:
		var refusal struct{ Message string }
		if err := json.Unmarshal(text, &refusal); err != nil || refusal.Message == "" || answer.Header.Get("Retry-After") == "" {
			return fmt.Errorf("got a 503 with %q and Retry-After %q, want a message and a time", text, answer.Header.Get("Retry-After"))
		}
		return nil
	}
	return fmt.Errorf("got %s %s", answer.Status, text)
}

// load is what many clients do at the same time, and what came of it.
type load struct {
	client
	stop    chan struct{}
	running sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[string]int64 // the ids of links that were saved, by address
	last         time.Time        // the last time that one was
	longest      time.Duration    // the longest time that none was
	refused      int
	slowest      time.Duration
	problems     []error
}

// link is what the test wants to know of one.
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
			address := fmt.Sprintf("https://example.org/%d/%d", writer, i)
			answer, err := l.call(http.MethodPost, "/api/v2/links", map[string]any{"url": address, "tags": []string{"load"}}, &saved)
			if err == nil && saved.ID != 0 {
				l.note(address, saved.ID)
			}
			return answer, err
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

// repeat does one thing again and again until the load ends.
func (l *load) repeat(do func(i int) (*http.Response, error)) {
	l.running.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-l.stop:
				return
			default:
			}
			began := time.Now()
			answer, err := do(i)
			l.judge(answer, err, time.Since(began))
			if answer == nil || answer.StatusCode != http.StatusOK {
				<-time.After(20 * time.Millisecond)
			}
		}
	})
}

func (l *load) judge(answer *http.Response, err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.problems = append(l.problems, err)
	} else if answer.StatusCode != http.StatusOK {
		l.refused++
	}
	l.slowest = max(l.slowest, took)
}

// note remembers a link that was acknowledged.
func (l *load) note(address string, id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged[address] = id
	l.longest = max(l.longest, time.Since(l.last))
	l.last = time.Now()
}

// gap is the longest time in which nothing was acknowledged.
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

// waitFor waits until so many more links are acknowledged.
func (l *load) waitFor(t *testing.T, more int) {
	t.Helper()
	want := l.count() + more
	for deadline := time.Now().Add(time.Minute); l.count() < want; <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the server does not save links any more")
			return
		}
	}
}

// end ends the load, and returns how many links were acknowledged, how many of
// those are there, and how many others are.
func (l *load) end(t *testing.T) (acknowledged, found, others int) {
	t.Helper()
	close(l.stop)
	l.running.Wait()
	for _, problem := range l.problems {
		t.Error(problem)
	}
	if l.slowest > requestLimit+grace/2 {
		t.Errorf("a request took %s, want no more than %s", l.slowest, requestLimit)
	}
	var all struct {
		Total int
		Data  []link
	}
	answer, err := l.call(http.MethodGet, "/api/v2/links?per_page=-1", nil, &all)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal("read all links:", errors.Join(err, fmt.Errorf("got %v", answer)))
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
