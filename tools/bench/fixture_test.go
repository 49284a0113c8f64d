package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/server"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// The variables that say what is measured. The benchmarks never judge: they print.
const (
	// linksVariable is how many links there are: 10000, or several with commas.
	linksVariable = "WAYMARK_BENCH_LINKS"
	// wordsVariable is a file of real links to take hosts and words from.
	wordsVariable = "WAYMARK_BENCH_WORDS"
	// keepVariable is a folder in which made-up collections are kept for the next time.
	keepVariable = "WAYMARK_BENCH_KEEP"
	// databaseVariable is the postgres:// URL of a server to measure with, instead of
	// SQLite. Made-up collections are kept there in databases of their own.
	databaseVariable = "WAYMARK_BENCH_DATABASE"
)

// scratch is a folder for this run, in which all else goes.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "waymark-bench-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(scratch) //nolint:errcheck // it is the system's to clean up then
		defer stopAll()
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
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1000 {
			b.Fatalf("%s is %q: numbers from 1000 are needed, with commas between them", linksVariable, text)
		}
		all = append(all, n)
	}
	return all
}

// forEachSize runs a benchmark on a server with each number of links.
func forEachSize(b *testing.B, run func(b *testing.B, on *running)) {
	b.Helper()
	for _, links := range sizes(b) {
		b.Run("links="+strconv.Itoa(links), func(b *testing.B) {
			run(b, start(b, links))
		})
	}
}

// running is a server in this process, and its collection.
type running struct {
	collection
	address string
	stop    context.CancelFunc
	done    chan error

	sampleOnce sync.Once
	sampled    sample
}

// collection is a copy of what was made up, with a key of its first user's.
type collection struct {
	links   int
	options store.Options
	user    waymark.UserID
	key     string
	common  int64 // the tag that every tenth link bears
	drop    func() error
}

// servers are those that run, one for each number of links: writing benchmarks
// come last, so that all others find it as it was made.
var servers = map[int]*running{}

func start(b *testing.B, links int) *running {
	b.Helper()
	if on, ok := servers[links]; ok {
		return on
	}
	stopAll() // two large collections would have half of the memory each
	on := &running{collection: prepare(b, links), done: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	on.stop = stop
	settings := config.Default()
	settings.Listen = "127.0.0.1:0"
	settings.Store = config.Store{Data: on.options.Dir, Database: on.options.Database}
	ready := make(chan string, 1)
	go func() {
		log := slog.New(slog.NewTextHandler(io.Discard, nil))
		on.done <- server.Run(ctx, "bench", settings, log, func(r server.Ready) { ready <- r.URL })
	}()
	select {
	case err := <-on.done:
		b.Fatal(err)
	case at := <-ready:
		on.address = loopback(b, at)
	}
	servers[links] = on
	return on
}

func loopback(b *testing.B, at string) string {
	b.Helper()
	u, err := url.Parse(at)
	if err != nil {
		b.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", u.Port())
}

func stopAll() {
	for links, on := range servers {
		on.stop()
		if err := <-on.done; err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		if err := on.drop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		delete(servers, links)
	}
}

// prepare returns a collection that nobody uses yet.
func prepare(b *testing.B, links int) collection {
	b.Helper()
	c := copyOf(b, links)
	s, err := store.Open(b.Context(), c.options)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}()
	secret, key, err := service.New(s).AddAPIKey(b.Context(), "user1", "benchmark", waymark.AccessFull, 0)
	if err != nil {
		b.Fatal(err)
	}
	c.user, c.key = key.Owner, secret
	tags, err := s.SuggestTags(b.Context(), key.Owner, CommonTag, 0)
	if err != nil || len(tags) != 1 {
		b.Fatalf("the tag %q: %d found, error %v", CommonTag, len(tags), err)
	}
	c.common = int64(tags[0].ID)
	return c
}

// dial returns a client, closed when the benchmark ends.
func (c *collection) dial(b *testing.B, address string) *Client {
	b.Helper()
	client, err := Dial(b.Context(), address, c.key)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close() }) //nolint:errcheck // nothing is lost with it
	return client
}

// serve runs a handler as bare as it is on a port of its own.
func serve(b *testing.B, handler http.Handler) (address string) {
	b.Helper()
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	bare := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go bare.Serve(listener)            //nolint:errcheck // it ends with Close
	b.Cleanup(func() { bare.Close() }) //nolint:errcheck // nothing is lost with it
	return listener.Addr().String()
}

// bare opens the bare handlers' database, closed when the benchmark ends.
func (c *collection) bare(b *testing.B) *Bare {
	b.Helper()
	bare, err := OpenBare(b.Context(), c.options, c.key, c.user)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := bare.Close(); err != nil {
			b.Error(err)
		}
	})
	return bare
}

// must sends a request that has to work.
func must(b *testing.B, client *Client, method, path string, body []byte) []byte {
	status, answer, err := client.Do(method, path, body)
	if err != nil {
		b.Fatalf("%s %s: %v", method, path, err)
	}
	if status != http.StatusOK {
		b.Fatalf("%s %s: status %d, %s", method, path, status, answer[:min(len(answer), 300)])
	}
	return answer
}

// entries are a page as benchmarks look at it.
type entries struct {
	Total    int `json:"total"`
	LastPage int `json:"last_page"`
	Data     []struct {
		ID          int64  `json:"id"`
		UserID      int64  `json:"user_id"`
		URL         string `json:"url"`
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"data"`
}

func (e entries) ids() []int64 {
	var ids []int64
	for _, entry := range e.Data {
		ids = append(ids, entry.ID)
	}
	return ids
}

func page(b *testing.B, client *Client, path string) entries {
	b.Helper()
	var e entries
	if err := json.Unmarshal(must(b, client, "GET", path, nil), &e); err != nil {
		b.Fatal(err)
	}
	return e
}

// each measures every turn of a benchmark by itself. On a machine that is shared with
// others the metric cpu-ms says more than the time: it is what both ends of the
// connection took of the processors.
func each(b *testing.B, do func(turn int)) {
	var s Latencies
	turn := 0
	before := processors(b)
	for b.Loop() {
		since := time.Now()
		do(turn)
		s = append(s, time.Since(since))
		turn++
	}
	b.ReportMetric(milliseconds(processors(b)-before)/float64(turn), "cpu-ms")
	report(b, s)
}

// processors returns how long this process has kept processors busy.
func processors(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func report(b *testing.B, s Latencies) {
	b.Helper()
	if len(s) == 0 {
		b.Fatal("nothing was measured")
	}
	p50, p99, most := s.Percentiles()
	b.ReportMetric(milliseconds(p50), "p50-ms")
	b.ReportMetric(milliseconds(p99), "p99-ms")
	b.ReportMetric(milliseconds(most), "max-ms")
}

// together lets so many clients take b.N turns as fast as they can.
func together(b *testing.B, clients int, do func(client int, turn int64)) {
	b.Helper()
	b.ResetTimer()
	before := processors(b)
	all := race(clients, int64(b.N), do)
	b.StopTimer()
	b.ReportMetric(milliseconds(processors(b)-before)/float64(b.N), "cpu-ms")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
	report(b, all)
}

// race lets so many clients take turns, each when it is free.
func race(clients int, turns int64, do func(client int, turn int64)) Latencies {
	var mu sync.Mutex
	var all Latencies
	var next atomic.Int64
	var busy sync.WaitGroup
	for client := range clients {
		busy.Go(func() {
			var own Latencies
			for turn := next.Add(1) - 1; turn < turns; turn = next.Add(1) - 1 {
				since := time.Now()
				do(client, turn)
				own = append(own, time.Since(since))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
		})
	}
	busy.Wait()
	return all
}

// alternate lets clients take turns at one thing and at another, a little of each
// again and again, so that both have the same share of a machine that others use
// too. The metric ratio is how many of the first are done in the time of one of the
// second; cpu-ratio the same of the processors' time.
func alternate(b *testing.B, clients int, one, other func(client int, turn int64)) {
	b.Helper()
	const slice = 100
	var took, kept [2]time.Duration
	b.ResetTimer()
	for done := int64(0); done < int64(b.N); done += slice {
		for side, do := range []func(client int, turn int64){one, other} {
			since, before := time.Now(), processors(b)
			race(clients, slice, func(client int, turn int64) { do(client, done+turn) })
			took[side] += time.Since(since)
			kept[side] += processors(b) - before
		}
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
	b.ReportMetric(float64(kept[1])/float64(kept[0]), "cpu-ratio")
}
