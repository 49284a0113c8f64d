package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/server"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Environment variables that configure the benchmarks; README.md describes them too. The
// benchmarks only measure; none of them fails because it is slow.
const (
	// linksVariable is the number of links, 10000 by default, or several numbers
	// separated by commas.
	linksVariable = "WAYMARK_BENCH_LINKS"
	// usersVariable is the number of users with a thousand links each, 20 by default.
	usersVariable = "WAYMARK_BENCH_USERS"
	// wordsVariable is a file of real links, whose hosts and words the generated links
	// have.
	wordsVariable = "WAYMARK_BENCH_WORDS"
	// keepVariable is a folder where generated collections are kept for the next run.
	keepVariable = "WAYMARK_BENCH_KEEP"
	// databaseVariable is the postgres:// URL of a server to use instead of SQLite.
	// Generated collections are kept there, each in a database of its own.
	databaseVariable = "WAYMARK_BENCH_DATABASE"
)

// scratch is a temporary folder for this run.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "waymark-bench-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(scratch) //nolint:errcheck // the system cleans it up later
		defer stopServers()
		return m.Run()
	}())
}

// sizes are the numbers of links to measure with.
func sizes(b *testing.B) []int {
	b.Helper()
	text := os.Getenv(linksVariable)
	if text == "" {
		return []int{10_000}
	}
	var numbers []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1000 {
			b.Fatalf("%s is %q: use numbers of at least 1000, separated by commas", linksVariable, text)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// forEachSize runs a benchmark on a server with each number of links.
func forEachSize(b *testing.B, run func(b *testing.B, s *testServer)) {
	b.Helper()
	for _, links := range sizes(b) {
		b.Run("links="+strconv.Itoa(links), func(b *testing.B) {
			run(b, startServer(b, links))
		})
	}
}

// testServer is a server in this process, and its collection.
type testServer struct {
	collection
	address string
	stop    context.CancelFunc
	done    chan error
}

// collection is a copy of a generated collection, with API keys of its first users.
type collection struct {
	links     int
	options   store.Options
	user      waymark.UserID // the first one
	key       string         // of the first user
	keys      []string       // of the first ten users
	session   string         // the secret of a session of the first user
	commonTag int64
	drop      func() error
}

// servers are the running servers by the name of their collection. Benchmarks share them:
// those that write are in the last file, so that the others find the collection as it was
// generated.
var servers = map[string]*testServer{}

// startServer starts a server with the default plan for that number of links.
func startServer(b testing.TB, links int) *testServer {
	b.Helper()
	return startPlan(b, NewPlan(links))
}

// startPlan starts a server with the collection that the plan generates.
func startPlan(b testing.TB, plan Plan) *testServer {
	b.Helper()
	if s, ok := servers[nameOf(plan)]; ok {
		return s
	}
	stopServers() // two large collections would compete for memory
	s := &testServer{collection: prepare(b, plan), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	settings := config.Default()
	settings.Listen, settings.MetricsListen = "127.0.0.1:0", "127.0.0.1:0"
	settings.Fetch.Metadata.Metadata, settings.Fetch.Pictures.Pictures, settings.Fetch.Check = "off", "off", "off"
	settings.Store = config.Store{Data: s.options.Dir, Database: s.options.Database}
	ready := make(chan server.Ready, 1)
	go func() {
		log := slog.New(slog.NewTextHandler(io.Discard, nil))
		s.done <- server.Run(ctx, "bench", settings, log, func(r server.Ready) { ready <- r })
	}()
	select {
	case err := <-s.done:
		b.Fatal(err)
	case r := <-ready:
		s.address = loopback(b, r.URL)
		waitForIndex(b, r.Metrics)
	}
	servers[nameOf(plan)] = s
	return s
}

// waitForIndex waits until the search index of a server is built, and what follows in the
// background is done: titles are sorted, and the database is checked for damage.
func waitForIndex(b testing.TB, metricsURL string) {
	b.Helper()
	const interval = 100 * time.Millisecond
	for before := -1.0; ; time.Sleep(interval) {
		response, err := http.Get(metricsURL)
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			b.Fatal(err)
		}
		seconds := metric(b, string(text), "process_cpu_seconds_total")
		built := metric(b, string(text), "waymark_search_index_bytes") > 0
		if built && seconds-before < interval.Seconds()/4 {
			return
		}
		before = seconds
	}
}

// metric returns the value of a metric in the text format of Prometheus.
func metric(b testing.TB, text, name string) float64 {
	b.Helper()
	_, line, found := strings.Cut(text, "\n"+name+" ")
	line, _, _ = strings.Cut(line, "\n")
	value, err := strconv.ParseFloat(line, 64)
	if !found || err != nil {
		b.Fatalf("no metric %s: %v", name, err)
	}
	return value
}

func loopback(b testing.TB, rawURL string) string {
	b.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		b.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", u.Port())
}

func stopServers() {
	for name, s := range servers {
		s.stop()
		if err := <-s.done; err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		if err := s.drop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		delete(servers, name)
	}
}

// prepare returns a copy of the collection that the plan generates.
func prepare(b testing.TB, plan Plan) collection {
	b.Helper()
	c := copyOf(b, plan)
	s, err := store.Open(b.Context(), c.options)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}()
	for i := range min(plan.Users, 10) {
		secret, key, err := accounts.New(s, accounts.Options{}).AddAPIKey(b.Context(), fmt.Sprintf("user%d", i+1), "benchmark", waymark.AccessFull, 0)
		if err != nil {
			b.Fatal(err)
		}
		if i == 0 {
			c.user, c.key = key.Owner, secret
		}
		c.keys = append(c.keys, secret)
	}
	const password = "correct horse battery"
	if err := accounts.New(s, accounts.Options{}).SetPassword(b.Context(), "user1", password, false); err != nil {
		b.Fatal(err)
	}
	if c.session, err = accounts.New(s, accounts.Options{}).SignIn(b.Context(), "user1", password, true, accounts.Client{}); err != nil {
		b.Fatal(err)
	}
	tags, err := s.SuggestTags(c.user, CommonTag, waymark.NoLimit).Page(b.Context())
	if err != nil || tags.Total != 1 {
		b.Fatalf("tag %q: got %d, error %v, want 1", CommonTag, tags.Total, err)
	}
	c.commonTag = int64(tags.Entities[0].ID)
	return c
}

// dial returns a client of the first user, which is closed when the benchmark ends.
func (c *collection) dial(b testing.TB, address string) *Client {
	b.Helper()
	return dialAs(b, address, c.key)
}

// dialAs returns a client with an API key, which is closed when the benchmark ends.
func dialAs(b testing.TB, address, key string) *Client {
	b.Helper()
	client, err := Dial(b.Context(), address, key)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close() }) //nolint:errcheck // all responses are complete
	return client
}

// dialMany returns several clients.
func (c *collection) dialMany(b testing.TB, address string, n int) []*Client {
	b.Helper()
	clients := make([]*Client, n)
	for i := range clients {
		clients[i] = c.dial(b, address)
	}
	return clients
}

// mustDo sends a request. A status other than 200 ends the benchmark.
func mustDo(b testing.TB, client *Client, method, path string, body []byte) []byte {
	status, response, err := client.Do(method, path, body)
	if err != nil {
		b.Fatalf("%s %s: %v", method, path, err)
	}
	if status != http.StatusOK {
		b.Fatalf("%s %s: status %d, %s", method, path, status, response[:min(len(response), 300)])
	}
	return response
}

// page has the fields of a page of links that the benchmarks read.
type page struct {
	Total int `json:"total"`
	Data  []struct {
		ID int64 `json:"id"`
	} `json:"data"`
}

func getPage(b testing.TB, client *Client, path string) page {
	b.Helper()
	var p page
	if err := json.Unmarshal(mustDo(b, client, "GET", path, nil), &p); err != nil {
		b.Fatal(err)
	}
	return p
}
