package bench

import (
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// searcherCount is the number of clients of one user that search at the same time in
// BenchmarkSearchers.
const searcherCount = 100

// BenchmarkSearchers measures what a person waits for while another user sends a hundred
// searches for a common text at a time. The person rests for a moment after each response.
// The server is a process of its own. The metric p99-ratio is the 99th percentile relative to
// the one without searchers; it needs a few hundred requests, so use -benchtime 5s or more.
func BenchmarkSearchers(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		p := startProcess(b, c)
		defer p.stop(b)
		waitForIndex(b, p.metrics)
		reader := dialAs(b, p.address, p.keys[1])
		id := getPage(b, reader, "/api/v2/links").Data[0].ID
		for _, read := range []struct{ name, path string }{
			{"link", fmt.Sprintf("/api/v2/links/%d", id)},
			{"page-1", "/api/v2/links"},
			{"search-kubernetes", searchPath + "&query=kubernetes"},
		} {
			var quiet time.Duration
			for _, text := range []string{"", "github", "e"} {
				name := "do=" + read.name + "/searched=" + text
				if text == "" {
					name += "nothing"
				}
				b.Run(name, func(b *testing.B) {
					searches := startSearchers(b, p, text)
					var latencies Latencies
					for b.Loop() {
						since := time.Now()
						mustDo(b, reader, "GET", read.path, nil)
						latencies = append(latencies, time.Since(since))
						time.Sleep(2 * time.Millisecond)
					}
					elapsed := b.Elapsed()
					report(b, latencies)
					_, p99, _ := latencies.Percentiles()
					if text == "" {
						quiet = p99
						return
					}
					b.ReportMetric(float64(searches.Load())/elapsed.Seconds(), "searches/s")
					if quiet > 0 {
						b.ReportMetric(float64(p99)/float64(quiet), "p99-ratio")
					}
				})
			}
		}
	})
}

// startSearchers searches for a text with several clients of the first user until the
// benchmark ends, unless the text is empty. It counts the responses.
func startSearchers(b *testing.B, p *process, text string) *atomic.Int64 {
	b.Helper()
	var searches atomic.Int64
	if text == "" {
		return &searches
	}
	done := make(chan struct{})
	var running sync.WaitGroup
	for range searcherCount {
		client := p.dial(b, p.address)
		running.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, _, err := client.Do("GET", searchPath+"&query="+url.QueryEscape(text), nil); err != nil {
					b.Errorf("search for %q: %v", text, err)
					return
				}
				searches.Add(1)
			}
		})
	}
	b.Cleanup(func() {
		close(done)
		running.Wait()
	})
	return &searches
}
