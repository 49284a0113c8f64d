package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// polledMetrics are the metrics that are shown, with their names in the output. All are
// in bytes.
var polledMetrics = map[string]string{
	"process_resident_memory_bytes": "resident memory",
	"waymark_db_wal_size_bytes":     "write-ahead log",
}

// poller reads a server's metrics every second.
type poller struct {
	cancel  context.CancelFunc
	done    chan struct{}
	highest map[string]float64
	last    map[string]float64
}

// startPolling starts a poller. Without a URL it polls nothing.
func startPolling(ctx context.Context, url string) (*poller, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &poller{cancel: cancel, done: make(chan struct{}), highest: map[string]float64{}, last: map[string]float64{}}
	if url == "" {
		close(p.done)
		return p, nil
	}
	if err := p.poll(ctx, url); err != nil {
		cancel()
		return nil, fmt.Errorf("metrics: %w", err)
	}
	go func() {
		defer close(p.done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				_ = p.poll(ctx, url) // the next poll may succeed
			}
		}
	}()
	return p, nil
}

func (p *poller) poll(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); err == nil && polledMetrics[name] != "" {
			p.last[name] = value
			p.highest[name] = max(p.highest[name], value)
		}
	}
	return lines.Err()
}

// stop ends polling and prints the highest and the last value of each metric.
func (p *poller) stop() {
	p.cancel()
	<-p.done
	for _, name := range slices.Sorted(maps.Keys(p.highest)) {
		fmt.Printf("%s: at most %.0f MB, %.0f MB at the end\n", polledMetrics[name], p.highest[name]/1e6, p.last[name]/1e6)
	}
}
