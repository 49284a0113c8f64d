package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/tools/bench"
)

// compare sends single operations to the server and to the baseline, alternately for a
// second each, and prints both.
func (t *target) compare(ctx context.Context, options store.Options, connections int, duration time.Duration) (err error) {
	baseline, err := bench.OpenBaseline(ctx, options, t.address, t.key, waymark.UserID(t.user))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, baseline.Close()) }()
	client, err := bench.Dial(ctx, t.address, t.key)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // all responses are complete
	responseOf := func(method, path string, body []byte) ([]byte, error) {
		status, response, err := client.Do(method, path, body)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s %s: status %d, %.300s", method, path, status, response)
		}
		return slices.Clone(response), err
	}

	var rows []string
	run := func(operation, method, path string, body func(n int64) []byte, handler http.Handler) error {
		server, base, err := t.alternate(ctx, connections, duration, handler, method, path, body)
		if err != nil {
			return err
		}
		rows = append(rows, operation+"\twaymark\t"+server.row(duration/2), "\tbaseline\t"+base.row(duration/2),
			fmt.Sprintf("\tratio\t\t%.2f", float64(len(server.latencies))/float64(len(base.latencies))))
		return nil
	}

	path := fmt.Sprintf("/api/v2/links/%d", t.links[0])
	response, err := responseOf("GET", path, nil)
	if err != nil {
		return err
	}
	handler, err := baseline.LinkHandler(ctx, response)
	if err != nil {
		return err
	}
	if err := run("link", "GET", path, nil, handler); err != nil {
		return err
	}

	path = "/api/v2/links"
	if response, err = responseOf("GET", path, nil); err != nil {
		return err
	}
	if handler, err = baseline.PageHandler(ctx, response); err != nil {
		return err
	}
	if err := run("page 1", "GET", path, nil, handler); err != nil {
		return err
	}

	prefix := time.Now().UnixNano()
	body := func(n int64) []byte {
		return fmt.Appendf(nil, `{"url":"https://%d.compare.example/%d","title":"A new link"}`, prefix, n)
	}
	if response, err = responseOf("POST", path, body(0)); err != nil {
		return err
	}
	if handler, err = baseline.CreateHandler(ctx, response); err != nil {
		return err
	}
	if err := run("create", "POST", path, body, handler); err != nil {
		return err
	}
	printTable(fmt.Sprintf("%d connections, one operation\tserver\trequests\tper second\tp50\tp99\tmax\terrors", connections), rows)
	return nil
}

// alternate sends one request again and again: for a second to the server, for a
// second to a baseline handler, and so on.
func (t *target) alternate(ctx context.Context, connections int, duration time.Duration, handler http.Handler, method, path string, body func(n int64) []byte) (server, baseline *count, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	s := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go s.Serve(listener) //nolint:errcheck // Close ends it
	defer s.Close()      //nolint:errcheck // all responses are complete

	sides := []*side{{address: t.address}, {address: listener.Addr().String()}}
	for _, side := range sides {
		defer side.close()
		if err := side.dial(ctx, t.key, connections); err != nil {
			return nil, nil, err
		}
	}
	for end := time.Now().Add(duration); time.Now().Before(end) && ctx.Err() == nil; {
		for _, side := range sides {
			side.send(time.Second, method, path, body)
		}
	}
	return sides[0].total(), sides[1].total(), errors.Join(ctx.Err(), sides[0].err, sides[1].err)
}

// side is one of two servers that are compared, and the connections to it.
type side struct {
	address string
	clients []*bench.Client
	counts  []counts // of each connection
	sent    []int64  // requests of each connection
	mu      sync.Mutex
	err     error
}

func (s *side) dial(ctx context.Context, key string, connections int) error {
	for range connections {
		client, err := bench.Dial(ctx, s.address, key)
		if err != nil {
			return err
		}
		s.clients = append(s.clients, client)
		s.counts = append(s.counts, counts{})
	}
	s.sent = make([]int64, connections)
	return nil
}

// send sends requests over all connections for a duration.
func (s *side) send(duration time.Duration, method, path string, body func(n int64) []byte) {
	end := time.Now().Add(duration)
	var running sync.WaitGroup
	for i, client := range s.clients {
		running.Go(func() {
			for time.Now().Before(end) {
				s.sent[i]++
				var text []byte
				if body != nil {
					text = body(1 + int64(i) + int64(len(s.clients))*s.sent[i])
				}
				since := time.Now()
				status, _, err := client.Do(method, path, text)
				if err != nil {
					s.mu.Lock()
					s.err = err
					s.mu.Unlock()
					return
				}
				s.counts[i].record("", time.Since(since), status)
			}
		})
	}
	running.Wait()
}

func (s *side) total() *count {
	sum := counts{"": {statuses: map[int]int{}}}
	for _, of := range s.counts {
		sum.merge(of)
	}
	return sum[""]
}

func (s *side) close() {
	for _, client := range s.clients {
		client.Close() //nolint:errcheck // all responses are complete
	}
}
