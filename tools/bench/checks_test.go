package bench

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

const (
	checkedLinks = 2000             // each on a host of its own
	visitsTime   = 45 * time.Second // the maximum time of a measurement
	pagesTime    = 5 * time.Second  // the time in which pages are requested without checks
	warmUpTime   = time.Second
)

// BenchmarkChecks measures checks of links by a server with default settings: on sites that respond
// at once, which shows what the processor allows, and on sites where nine in ten respond after 0.3
// seconds and one does not. Beside, another user requests the page of links 20 times a second:
// p99-ms is its 99th percentile, idle-p99-ms that without checks.
func BenchmarkChecks(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		for _, sites := range []struct {
			name    string
			settle  time.Duration // before the measurement: until the first checks without a response have ended
			respond http.HandlerFunc
		}{
			{"immediate", 0, func(http.ResponseWriter, *http.Request) {}},
			{"realistic", 35 * time.Second, func(_ http.ResponseWriter, r *http.Request) {
				var n int
				if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err == nil && n%10 == 9 {
					<-r.Context().Done()
				}
				time.Sleep(300 * time.Millisecond)
			}},
		} {
			b.Run("sites="+sites.name, func(b *testing.B) {
				for b.Loop() {
					measureVisits(b, c, sites.settle, sites.respond)
				}
			})
		}
	})
}

// measureVisits measures the checks of a server to the links of a new user. Those of the other users
// are not checked.
func measureVisits(b *testing.B, c *collection, settle time.Duration, respond http.HandlerFunc) {
	b.Helper()
	db, _ := openDatabase(b, c)
	if _, err := db.ExecContext(b.Context(), "UPDATE users SET no_checks = TRUE"); err != nil {
		b.Fatal(err)
	}
	p := startProcess(b, c, "--check=on", "--fetch-allow=127.0.0.0/8")
	defer p.stop(b)
	waitForIndex(b, p.metrics)
	browser := c.dial(b, p.address)
	browser.AddHeader("Cookie: waymark=" + c.session)
	s, err := store.Open(b.Context(), c.options)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // everything is committed
	owner, ids := addCheckedLinks(b, s, startSites(b, respond))

	readPages(b, browser, warmUpTime, nil)
	before := p.cpuTime(b)
	pages := readPages(b, browser, pagesTime, nil)
	_, idle, _ := pages.Percentiles()
	cpuOfPage := (p.cpuTime(b) - before) / time.Duration(len(pages))

	checks := func() (n int) {
		if err := db.QueryRowContext(b.Context(), "SELECT count(*) FROM link_checks WHERE checked_at > 0 AND user_id = $1", owner).Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	requested, err := s.Queue.RequestChecks(b.Context(), owner, ids)
	if err != nil || len(requested) != checkedLinks {
		b.Fatalf("got %d links to check, %v, want %d", len(requested), err, checkedLinks)
	}
	for checks() == 0 { // the server looks for them once a second
		time.Sleep(time.Millisecond)
	}
	readPages(b, browser, settle, nil)
	since, before, first := time.Now(), p.cpuTime(b), checks()
	pages = readPages(b, browser, visitsTime, func() bool { return checks() == checkedLinks })
	elapsed, n := time.Since(since).Seconds(), float64(checks()-first)
	_, p99, _ := pages.Percentiles()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(n, "checks")
	b.ReportMetric(n/elapsed, "checks/s")
	b.ReportMetric(n/elapsed*86_400, "checks/day")
	b.ReportMetric(Milliseconds(p.cpuTime(b)-before-cpuOfPage*time.Duration(len(pages)))/n, "server-cpu-ms/check")
	b.ReportMetric(Milliseconds(idle), "idle-p99-ms")
	b.ReportMetric(Milliseconds(p99), "p99-ms")
}

// readPages requests the page of links 20 times a second, for a time or until done, which is called
// five times a second.
func readPages(b *testing.B, browser *Client, limit time.Duration, done func() bool) (pages Latencies) {
	b.Helper()
	tick := time.NewTicker(time.Second / 20)
	defer tick.Stop()
	for end := time.Now().Add(limit); time.Now().Before(end); <-tick.C {
		before := time.Now()
		mustDo(b, browser, "GET", "/links", nil)
		pages = append(pages, time.Since(before))
		if done != nil && len(pages)%4 == 0 && done() {
			break
		}
	}
	return pages
}

// startSites starts a site on each of as many addresses of this machine as there are links, until the
// benchmark ends. It returns the URLs of the sites.
func startSites(b *testing.B, respond http.HandlerFunc) (urls []string) {
	b.Helper()
	sites := &http.Server{Handler: respond, ReadHeaderTimeout: time.Minute}
	b.Cleanup(func() { sites.Close() }) //nolint:errcheck // the server does not wait for responses any more
	port := "0"
	for i := range checkedLinks {
		listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", fmt.Sprintf("127.1.%d.%d:%s", i/250, 1+i%250, port))
		if err != nil {
			b.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(listener.Addr().String()) //nolint:errcheck // of our own listener
		urls = append(urls, fmt.Sprintf("http://%s/%d", listener.Addr(), i))
		go sites.Serve(listener) //nolint:errcheck // Close ends it
	}
	return urls
}

// addCheckedLinks adds links of a new user.
func addCheckedLinks(b *testing.B, s *store.Store, urls []string) (owner waymark.UserID, ids []int64) {
	b.Helper()
	svc := service.New(s)
	user, err := accounts.New(s, accounts.Options{}).AddUser(b.Context(), fmt.Sprint("checked", time.Now().UnixNano()), "")
	if err != nil {
		b.Fatal(err)
	}
	inputs := make([]waymark.LinkInput, len(urls))
	for i, url := range urls {
		inputs[i].URL = url
	}
	added, err := svc.AddLinks(b.Context(), user, inputs)
	if err != nil {
		b.Fatal(err)
	}
	links, err := storetest.All(b.Context(), svc.Store, added)
	if err != nil {
		b.Fatal(err)
	}
	for _, link := range links {
		ids = append(ids, int64(link.ID))
	}
	return user.ID, ids
}
