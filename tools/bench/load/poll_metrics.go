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

// watched are the metrics whose highest values are told, all in bytes.
var watched = map[string]string{
	"process_resident_memory_bytes": "resident memory",
	"waymark_db_wal_size_bytes":     "write-ahead log",
}

// watch looks at a server's metrics every second.
type watch struct {
	stop    context.CancelFunc
	done    chan struct{}
	highest map[string]float64
	last    map[string]float64
}

// startWatch returns a watch that sees nothing where at is "".
func startWatch(ctx context.Context, at string) (*watch, error) {
	ctx, stop := context.WithCancel(ctx)
	w := &watch{stop: stop, done: make(chan struct{}), highest: map[string]float64{}, last: map[string]float64{}}
	if at == "" {
		close(w.done)
		return w, nil
	}
	if err := w.look(ctx, at); err != nil {
		stop()
		return nil, fmt.Errorf("metrics: %w", err)
	}
	go func() {
		defer close(w.done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				_ = w.look(ctx, at) // the next one may see more
			}
		}
	}()
	return w, nil
}

func (w *watch) look(ctx context.Context, at string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", at, response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); err == nil && watched[name] != "" {
			w.last[name] = value
			w.highest[name] = max(w.highest[name], value)
		}
	}
	return lines.Err()
}

// end prints what was seen.
func (w *watch) end() {
	w.stop()
	<-w.done
	for _, name := range slices.Sorted(maps.Keys(w.highest)) {
		fmt.Printf("%s: %.0f MB at most, %.0f MB at the end\n", watched[name], w.highest[name]/1e6, w.last[name]/1e6)
	}
}
