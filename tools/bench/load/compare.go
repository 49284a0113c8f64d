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

// beside runs single operations on the server and on a bare handler, over so many
// connections, a second here and a second there, and prints them side by side.
func (s *scene) beside(ctx context.Context, options store.Options, connections int, long time.Duration) (err error) {
	bare, err := bench.OpenBare(ctx, options, s.key, waymark.UserID(s.user))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.Close()) }()
	client, err := bench.Dial(ctx, s.address, s.key)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // nothing is lost with it
	answerTo := func(method, path string, body []byte) ([]byte, error) {
		status, answer, err := client.Do(method, path, body)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s %s: status %d, %.300s", method, path, status, answer)
		}
		return slices.Clone(answer), err
	}

	var rows []string
	run := func(operation, method, path string, body func(n int64) []byte, handler http.Handler) error {
		ours, theirs, err := s.alternate(ctx, connections, long, handler, method, path, body)
		rows = append(rows, operation+"\twaymark\t"+ours.row(long/2), "\tbare\t"+theirs.row(long/2),
			fmt.Sprintf("\tratio\t\t%.2f", float64(len(ours.took))/float64(len(theirs.took))))
		return err
	}

	path := fmt.Sprintf("/api/v2/links/%d", s.links[0])
	answer, err := answerTo("GET", path, nil)
	if err != nil {
		return err
	}
	handler, err := bare.LinkHandler(ctx, s.links[0], answer)
	if err != nil {
		return err
	}
	if err := run("link", "GET", path, nil, handler); err != nil {
		return err
	}

	path = "/api/v2/links"
	if answer, err = answerTo("GET", path, nil); err != nil {
		return err
	}
	if handler, err = bare.PageHandler(ctx, s.links[:min(24, len(s.links))], answer); err != nil {
		return err
	}
	if err := run("first page", "GET", path, nil, handler); err != nil {
		return err
	}

	fresh := time.Now().UnixNano()
	body := func(n int64) []byte {
		return fmt.Appendf(nil, `{"url":"https://%d.beside.example/%d","title":"A fresh link"}`, fresh, n)
	}
	if answer, err = answerTo("POST", path, body(0)); err != nil {
		return err
	}
	if handler, err = bare.AddHandler(ctx, answer); err != nil {
		return err
	}
	if err := run("create", "POST", path, body, handler); err != nil {
		return err
	}
	table(fmt.Sprintf("%d connections, alone\ton\trequests\ta second\tp50\tp99\tmax\terrors", connections), rows)
	return nil
}

// alternate sends one request again and again, a second long to the server, then as
// long to a bare handler, and so on.
func (s *scene) alternate(ctx context.Context, connections int, long time.Duration, handler http.Handler, method, path string, body func(n int64) []byte) (ours, theirs *tally, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go server.Serve(listener) //nolint:errcheck // it ends with Close
	defer server.Close()      //nolint:errcheck // nothing is lost with it

	sides := []*side{{address: s.address}, {address: listener.Addr().String()}}
	for _, one := range sides {
		defer one.hangUp()
		if err := one.dial(ctx, s.key, connections); err != nil {
			return nil, nil, err
		}
	}
	for end := time.Now().Add(long); time.Now().Before(end) && ctx.Err() == nil; {
		for _, one := range sides {
			one.send(time.Second, method, path, body)
		}
	}
	return sides[0].sum(), sides[1].sum(), errors.Join(ctx.Err(), sides[0].err, sides[1].err)
}

// side is one of two servers that are compared, and the connections to it.
type side struct {
	address string
	clients []*bench.Client
	tallies []tallies // of each connection
	turns   []int64   // of each connection
	mu      sync.Mutex
	err     error
}

func (d *side) dial(ctx context.Context, key string, connections int) error {
	for range connections {
		client, err := bench.Dial(ctx, d.address, key)
		if err != nil {
			return err
		}
		d.clients = append(d.clients, client)
		d.tallies = append(d.tallies, tallies{})
	}
	d.turns = make([]int64, connections)
	return nil
}

// send keeps all connections busy for that long.
func (d *side) send(long time.Duration, method, path string, body func(n int64) []byte) {
	end := time.Now().Add(long)
	var busy sync.WaitGroup
	for i, client := range d.clients {
		busy.Go(func() {
			for time.Now().Before(end) {
				d.turns[i]++
				var sent []byte
				if body != nil {
					sent = body(1 + int64(i) + int64(len(d.clients))*d.turns[i])
				}
				since := time.Now()
				status, _, err := client.Do(method, path, sent)
				if err != nil {
					d.mu.Lock()
					d.err = err
					d.mu.Unlock()
					return
				}
				d.tallies[i].note("", time.Since(since), status)
			}
		})
	}
	busy.Wait()
}

func (d *side) sum() *tally {
	sum := tallies{"": {answers: map[int]int{}}}
	for _, some := range d.tallies {
		sum.add(some)
	}
	return sum[""]
}

func (d *side) hangUp() {
	for _, client := range d.clients {
		client.Close() //nolint:errcheck // nothing is lost with it
	}
}
