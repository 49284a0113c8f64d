package server_test

import (
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"waymark/internal/config"
	"waymark/internal/server"
	"waymark/internal/store/storetest"
)

// scrape returns the metrics of a server by name and labels.
func scrape(t *testing.T, ready server.Ready) map[string]float64 {
	t.Helper()
	response, err := http.Get(ready.Metrics)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("got %s, %v", response.Status, err)
	}
	values := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if !strings.Contains(line, "} ") {
			name, value, _ = strings.Cut(strings.TrimSpace(line), " ")
		} else {
			name += "}"
		}
		if number, err := strconv.ParseFloat(value, 64); err == nil && !strings.HasPrefix(line, "#") {
			values[name] = number
		}
	}
	return values
}

// request sends a request and returns the status of the response.
func request(t *testing.T, method, url, key, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	check(t, err)
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

// startWithMetrics runs a server with metrics until the test ends.
func startWithMetrics(t *testing.T, s config.Serve) server.Ready {
	t.Helper()
	s.MetricsListen = "127.0.0.1:0"
	ready, stop := start(t, s)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return ready
}

func TestMetricsCountRequestsAndWrites(t *testing.T) {
	s := settings(t)
	ready := startWithMetrics(t, s)
	key := newKey(t, s)
	api := ready.URL + "/api/v2"
	for range 3 {
		request(t, "GET", api+"/links/1", key, "")
	}
	request(t, "POST", api+"/links", key, `{"url":"https://go.dev/"}`)
	request(t, "GET", api+"/links/1", key, "")
	request(t, "GET", api+"/links/2", "unknown-key", "")
	request(t, "BREW", api+"/links/1", key, "")
	request(t, "GET", ready.URL+"/tea/1", key, "")
	request(t, "GET", ready.URL+"/tea/2", key, "")

	values := scrape(t, ready)
	for name, want := range map[string]float64{
		`waymark_http_requests_total{method="GET",route="/api/v2/links/{id}",status="404"}`:   3,
		`waymark_http_requests_total{method="GET",route="/api/v2/links/{id}",status="200"}`:   1,
		`waymark_http_requests_total{method="GET",route="/api/v2/links/{id}",status="401"}`:   1,
		`waymark_http_requests_total{method="other",route="/api/v2/links/{id}",status="405"}`: 1,
		`waymark_http_requests_total{method="POST",route="/api/v2/links",status="200"}`:       1,
		`waymark_http_requests_total{method="GET",route="unmatched",status="404"}`:            2,
		`waymark_http_request_duration_seconds_count{route="/api/v2/links/{id}"}`:             6,
		`waymark_build_info{goversion="` + runtime.Version() + `",version="v1.2.3"}`:          1,
		`waymark_http_requests_in_flight`:                                                     0,
		`go_sql_max_open_connections{db_name="write"}`:                                        1,
		`waymark_db_write_queue_length`:                                                       0,
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s: got %v, %t, want %v", name, got, ok, want)
		}
	}
	// The link, and the setup token of an empty database; the job that fetches the page of the link commits, too.
	if got := values["waymark_db_commit_duration_seconds_count"]; got < 2 {
		t.Errorf("got %v commits, want at least 2", got)
	}
	for _, name := range []string{
		"waymark_db_size_bytes", "waymark_db_wal_size_bytes", `go_sql_open_connections{db_name="read"}`,
		"waymark_http_request_duration_seconds_sum{route=\"unmatched\"}",
		"go_goroutines", "go_memstats_heap_alloc_bytes", "process_resident_memory_bytes", "process_open_fds",
	} {
		if values[name] <= 0 {
			t.Errorf("%s: got %v, want more than 0", name, values[name])
		}
	}
	if _, ok := values["waymark_search_index_bytes"]; !ok { // it is 0 until the index is built
		t.Error("waymark_search_index_bytes is missing")
	}
	raw := regexp.MustCompile(`/tea|/\d|BREW`)
	for name := range values {
		if raw.MatchString(name) {
			t.Errorf("a client created the metric %s", name)
		}
	}
}

// The linter knows the conventions of Prometheus: units, _total, help texts.
func TestMetricsFollowPrometheusConventions(t *testing.T) {
	s := settings(t)
	s.Backup.Dir = t.TempDir()
	ready := startWithMetrics(t, s)
	request(t, "POST", ready.URL+"/api/v2/links", newKey(t, s), `{"url":"https://go.dev/"}`)
	response, err := http.Get(ready.Metrics)
	check(t, err)
	defer response.Body.Close()
	problems, err := promlint.New(response.Body).Lint()
	check(t, err)
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "waymark_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func TestMetricsOfPostgreSQL(t *testing.T) {
	s := settings(t)
	s.Store = config.Store{Database: storetest.PostgresOptions(t).Database, DatabaseConnections: 5}
	ready := startWithMetrics(t, s)
	request(t, "POST", ready.URL+"/api/v2/links", newKey(t, s), `{"url":"https://go.dev/"}`)
	values := scrape(t, ready)
	for name, want := range map[string]float64{
		`waymark_http_requests_total{method="POST",route="/api/v2/links",status="200"}`: 1,
		`go_sql_max_open_connections{db_name="read"}`:                                   4, // and one for health checks
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s: got %v, %t, want %v", name, got, ok, want)
		}
	}
	// The link, and the setup token; see above.
	if got := values["waymark_db_commit_duration_seconds_count"]; got < 2 {
		t.Errorf("got %v commits, want at least 2", got)
	}
	if _, ok := values["waymark_db_wal_size_bytes"]; ok {
		t.Error("PostgreSQL has a metric for the SQLite write-ahead log")
	}
}

// Metrics reveal what the users of a server do.
func TestMetricsAreOnlyOnTheirOwnAddress(t *testing.T) {
	s := settings(t)
	for _, address := range []string{"", "127.0.0.1:0"} {
		s.MetricsListen = address
		ready, stop := start(t, s)
		if got := ready.Metrics != ""; got != (address != "") {
			t.Errorf("with --metrics-listen %q the metrics are at %q", address, ready.Metrics)
		}
		for _, path := range []string{"/metrics", "/metrics/", "/api/metrics", "/api/v2/metrics", "//metrics"} {
			if status := request(t, "GET", ready.URL+path, "", ""); status != http.StatusNotFound {
				t.Errorf("with --metrics-listen %q, GET %s on the public port: got %d, want 404", address, path, status)
			}
		}
		if address != "" {
			base := strings.TrimSuffix(ready.Metrics, "/metrics")
			for _, path := range []string{"/", "/healthz", "/api/v2/links", "/debug/pprof/"} {
				if status := request(t, "GET", base+path, "", ""); status != http.StatusNotFound {
					t.Errorf("GET %s on the metrics port: got %d, want 404", path, status)
				}
			}
		}
		http.DefaultClient.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
}

func TestMetricsOfLinkChecks(t *testing.T) {
	s := settings(t)
	s.Fetch.Check = "on"
	ready := startWithMetrics(t, s)
	key := newKey(t, s)
	request(t, "POST", ready.URL+"/api/v2/links", key, `{"url":"http://127.0.0.1/"}`)
	request(t, "POST", ready.URL+"/api/v2/links/1/check", key, "")
	values := scrape(t, ready)
	for name, want := range map[string]float64{
		"waymark_link_checks_due":                                              0,
		"waymark_link_checks_oldest_due_seconds":                               0,
		`waymark_link_checks_done_total{result="dead"}`:                        0,
		`waymark_link_checks_done_total{result="unsure"}`:                      1,
		`waymark_link_checks_failed_total{reason="forbidden",result="unsure"}`: 1,
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s: got %v, %t, want %v", name, got, ok, want)
		}
	}
}
