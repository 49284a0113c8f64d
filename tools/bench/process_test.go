package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary builds Waymark once, with the flags of a release.
var binary = sync.OnceValues(func() (string, error) {
	file := filepath.Join(scratch, "waymark")
	return file, BuildWaymark(context.Background(), "", file)
})

// process is a server in a process of its own, whose memory is measured.
type process struct {
	*collection
	command *exec.Cmd
	address string
	metrics string // the URL
}

// startProcess starts a server with further flags and waits for its first response.
func startProcess(b *testing.B, c *collection, flags ...string) *process {
	b.Helper()
	file, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	listen, metricsListen := freeAddress(b), freeAddress(b)
	p := &process{collection: c, address: listen, metrics: "http://" + metricsListen + "/metrics"}
	p.command = exec.CommandContext(b.Context(), file, append([]string{
		"serve",
		"--listen", listen, "--metrics-listen", metricsListen, "--data", c.options.Dir, "--database", c.options.Database, "--log-level", "error",
	}, flags...)...)
	p.command.Env = append(os.Environ(), "WAYMARK_METADATA=off", "WAYMARK_PICTURES=off", "WAYMARK_CHECK=off") // older versions do not know the flag
	p.command.Stderr = os.Stderr
	if err := p.command.Start(); err != nil {
		b.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("tcp", listen)
		if err == nil {
			conn.Close() //nolint:errcheck // nothing was sent
			break
		}
		if time.Now().After(end) {
			b.Fatalf("waymark serve does not listen: %v", err)
		}
	}
	mustDo(b, p.dial(b, p.address), "GET", "/healthz", nil)
	return p
}

// freeAddress returns an address on which nothing listens.
func freeAddress(b *testing.B) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // nothing was accepted
	return listener.Addr().String()
}

func (p *process) stop(b *testing.B) {
	b.Helper()
	if err := errors.Join(p.command.Process.Signal(syscall.SIGTERM), p.command.Wait()); err != nil {
		b.Fatal(err)
	}
}

// memory returns the resident memory of the process and its maximum so far, in
// megabytes.
func (p *process) memory(b *testing.B) (now, max float64) {
	b.Helper()
	nowBytes, maxBytes, err := ProcessMemory(p.command.Process.Pid)
	if err != nil {
		b.Skip("memory is measured on Linux only")
	}
	return float64(nowBytes) / 1e6, float64(maxBytes) / 1e6
}

// forEachProcess runs a benchmark with each number of links, on a collection that only
// its own processes use.
func forEachProcess(b *testing.B, run func(b *testing.B, c *collection)) {
	b.Helper()
	stopServers()
	if _, err := binary(); err != nil {
		b.Fatal(err)
	}
	for _, links := range sizes(b) {
		b.Run("links="+strconv.Itoa(links), func(b *testing.B) {
			c := prepare(b, NewPlan(links))
			defer c.drop() //nolint:errcheck // the scratch folder is removed later
			run(b, &c)
		})
	}
}

// BenchmarkStart measures the time from the start of a server to its first response.
func BenchmarkStart(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		for b.Loop() {
			p := startProcess(b, c)
			b.StopTimer()
			waitForIndex(b, p.metrics)
			now, _ := p.memory(b)
			b.ReportMetric(now, "idle-MB")
			p.stop(b)
			b.StartTimer()
		}
	})
}

// BenchmarkMemory measures the server's memory while sixteen clients read, search and
// create links.
func BenchmarkMemory(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		p := startProcess(b, c)
		defer p.stop(b)
		waitForIndex(b, p.metrics)
		const connections = 16
		clients := p.dialMany(b, p.address, connections)
		searches := []string{"the", "guide", "программ", "zzz", "http"}
		measureConcurrently(b, connections, func(client int, i int64) {
			method, path, body := http.MethodGet, "/api/v2/links", []byte(nil)
			switch i % 8 {
			case 0, 1:
				path = fmt.Sprintf("/api/v2/links?page=%d", i%int64(c.links/24+1))
			case 2, 3, 4:
				path = fmt.Sprintf("/api/v2/links/check?url=https://go.dev/%d", i)
			case 5:
				path = searchPath + "&query=" + url.QueryEscape(searches[i/8%int64(len(searches))])
			case 6:
				path = fmt.Sprintf("/api/v2/tags/%d/links?page=%d", c.commonTag, 1+i%100)
			case 7:
				method, path = http.MethodPost, "/api/v2/links"
				body = fmt.Appendf(nil, `{"url":"%smemory/%d/%d","title":"A new link","tags":"new, links"}`, newURL, b.N, i)
			}
			mustDo(b, clients[client], method, path, body)
		})
		now, max := p.memory(b)
		b.ReportMetric(now, "MB")
		b.ReportMetric(max, "max-MB")
	})
}

// BenchmarkStream reads all links on one page, with each API, and measures the server's memory.
func BenchmarkStream(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		for name, path := range map[string]string{"linkace": "/api/v2/links?per_page=-1", "linkding": "/api/bookmarks/?limit=20000000"} {
			b.Run("api="+name, func(b *testing.B) { measureStream(b, c, path) })
		}
	})
}

func measureStream(b *testing.B, c *collection, path string) {
	b.Helper()
	p := startProcess(b, c)
	defer p.stop(b)
	waitForIndex(b, p.metrics)
	client := p.dial(b, p.address)
	var size int64
	before := p.cpuTime(b)
	for b.Loop() {
		status, n, err := client.Drain(path)
		if err != nil || status != http.StatusOK {
			b.Fatalf("status %d, error %v after %d bytes", status, err, n)
		}
		size = n
	}
	b.SetBytes(size)
	_, max := p.memory(b)
	b.ReportMetric(max, "max-MB")
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(p.cpuTime(b)-before).Seconds(), "MB/cpu-s")
}

func (p *process) cpuTime(b *testing.B) time.Duration {
	b.Helper()
	spent, err := ProcessCPUTime(p.command.Process.Pid)
	if err != nil {
		b.Skip("the CPU time of a process is measured on Linux only")
	}
	return spent
}
