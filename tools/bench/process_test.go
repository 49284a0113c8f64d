package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary builds Waymark as it is released, once.
var binary = sync.OnceValues(func() (string, error) {
	file := filepath.Join(scratch, "waymark")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "waymark") //nolint:noctx // as long as it takes
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

// process is a server of its own, whose memory can be told from ours.
type process struct {
	*collection
	command *exec.Cmd
	address string
	took    time.Duration // from the start to the first answer
}

// launch starts a server on a collection that no other uses.
func launch(b *testing.B, c *collection) *process {
	b.Helper()
	file, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	since := time.Now()
	p := &process{collection: c, command: exec.CommandContext(b.Context(), file, "serve",
		"--listen", "127.0.0.1:0", "--data", c.options.Dir, "--database", c.options.Database, "--log-level", "error")}
	p.command.Stderr = os.Stderr
	out, err := p.command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		b.Fatal(err)
	}
	for lines := bufio.NewScanner(out); p.address == ""; {
		if !lines.Scan() {
			b.Fatalf("waymark serve has not said where it listens: %v, %v", lines.Err(), p.command.Wait())
		}
		if _, at, ok := strings.Cut(lines.Text(), "http://"); ok {
			p.address = loopback(b, "http://"+at)
		}
	}
	must(b, p.dial(b, p.address), "GET", "/healthz", nil)
	p.took = time.Since(since)
	return p
}

func (p *process) stop(b *testing.B) {
	b.Helper()
	if err := errors.Join(p.command.Process.Signal(syscall.SIGTERM), p.command.Wait()); err != nil {
		b.Fatal(err)
	}
}

// memory returns how much memory the process has now, and had at most, in megabytes.
func (p *process) memory(b *testing.B) (now, most float64) {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		b.Skip("only Linux tells how much memory another process has")
	}
	return statusField(b, status, "VmRSS:"), statusField(b, status, "VmHWM:")
}

// processors returns how long the process has kept processors busy.
func (p *process) processors(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		b.Skip("only Linux tells how busy another process is")
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	ticks := 0
	for _, field := range bytes.Fields(rest)[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(string(field))
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// statusField returns what stands behind a name in /proc/PID/status, in megabytes.
func statusField(b *testing.B, status []byte, name string) float64 {
	b.Helper()
	_, rest, _ := bytes.Cut(status, []byte(name))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		b.Fatalf("no %s in the status of the process", name)
	}
	kilobytes, err := strconv.Atoi(string(fields[0]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) * 1024 / 1e6
}

// forEachProcess runs a benchmark with each number of links, on a collection for
// processes of its own.
func forEachProcess(b *testing.B, run func(b *testing.B, c *collection)) {
	b.Helper()
	stopAll()
	if _, err := binary(); err != nil {
		b.Fatal(err)
	}
	for _, links := range sizes(b) {
		b.Run("links="+strconv.Itoa(links), func(b *testing.B) {
			c := prepare(b, links)
			defer c.drop()
			run(b, &c)
		})
	}
}

// BenchmarkStart starts a server and waits for its first answer.
func BenchmarkStart(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		for b.Loop() {
			p := launch(b, c)
			b.StopTimer()
			now, _ := p.memory(b)
			b.ReportMetric(now, "idle-MB")
			p.stop(b)
			b.StartTimer()
		}
	})
}

// BenchmarkMemory lets sixteen clients look at, search and add links, and tells how
// much memory the server takes meanwhile.
func BenchmarkMemory(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		p := launch(b, c)
		defer p.stop(b)
		const clients = 16
		all := make([]*Client, clients)
		for i := range all {
			all[i] = p.dial(b, p.address)
		}
		searches := []string{"the", "guide", "программ", "zzz", "http"}
		together(b, clients, func(client int, turn int64) {
			method, path, body := "GET", "/api/v2/links", []byte(nil)
			switch turn % 8 {
			case 0, 1:
				path = fmt.Sprintf("/api/v2/links?page=%d", turn%int64(c.links/24+1))
			case 2, 3, 4:
				path = fmt.Sprintf("/api/v2/links/check?url=https://go.dev/%d", turn)
			case 5:
				path = searchAll + "&query=" + url.QueryEscape(searches[turn/8%int64(len(searches))])
			case 6:
				path = fmt.Sprintf("/api/v2/tags/%d/links?page=%d", c.common, 1+turn%100)
			case 7:
				method, path = http.MethodPost, "/api/v2/links"
				body = fmt.Appendf(nil, `{"url":"%smemory/%d/%d","title":"A fresh link","tags":"fresh, links"}`, fresh, b.N, turn)
			}
			must(b, all[client], method, path, body)
		})
		now, most := p.memory(b)
		b.ReportMetric(now, "MB")
		b.ReportMetric(most, "max-MB")
	})
}

// BenchmarkEverything reads all links on one page, and tells how much memory the
// server took for it.
func BenchmarkEverything(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		p := launch(b, c)
		defer p.stop(b)
		client := p.dial(b, p.address)
		var size int64
		for b.Loop() {
			status, n, err := client.Drain("/api/v2/links?per_page=-1")
			if err != nil || status != http.StatusOK {
				b.Fatalf("status %d, error %v after %d bytes", status, err, n)
			}
			size = n
		}
		b.SetBytes(size)
		_, most := p.memory(b)
		b.ReportMetric(most, "max-MB")
		b.ReportMetric(float64(size)*float64(b.N)/1e6/p.processors(b).Seconds(), "MB/cpu-s")
	})
}
