package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"waymark/tools/bench"
)

// searchedTexts are texts that people type; the last one is in no link.
var searchedTexts = []string{"github", "kubernetes", "https:", "py", "python", "中文", "zzqqxx"}

var (
	errNothingLeft = errors.New("nothing left to update or delete")
	errStatus      = errors.New("status")
)

// operation is a kind of request, with what it asks for.
type operation struct {
	name string
	kind kind
	text string                           // of a search
	next func(s *server) (request, error) // errNothingLeft if there is nothing to do
}

// operations returns the operations in the order in which a round measures them. The
// deletes come last and remove what the creates of the round created.
func operations(tags []string) []*operation {
	operations := []*operation{
		{"get one", getKind, "", func(s *server) (request, error) {
			return s.get(s.loaded[rand.IntN(len(s.loaded))]), nil
		}},
		{"page 1", pageKind, "", func(s *server) (request, error) { return s.page(1), nil }},
		{"page in the middle", pageKind, "", func(s *server) (request, error) {
			return s.page(len(s.loaded)/pageSize/2 + 1), nil
		}},
	}
	for _, text := range searchedTexts {
		operations = append(operations, &operation{"search " + text, searchKind, text, func(s *server) (request, error) {
			return s.search(text), nil
		}})
	}
	for i, tag := range tags {
		name := []string{"tag of many links", "tag of few links"}[i]
		operations = append(operations, &operation{name, tagKind, "", func(s *server) (request, error) { return s.tagPage(tag), nil }})
	}
	return append(operations,
		&operation{"create", createKind, "", func(s *server) (request, error) {
			return s.create(newLink(s.nextChange(), newTags(tags))), nil
		}},
		&operation{"update", updateKind, "", func(s *server) (request, error) {
			n := s.nextChange()
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.created) == 0 {
				return request{}, errNothingLeft
			}
			return s.update(s.created[int(n)%len(s.created)], newLink(n, newTags(tags))), nil
		}},
		&operation{"delete", deleteKind, "", func(s *server) (request, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			last := len(s.created) - 1
			if last < 0 {
				return request{}, errNothingLeft
			}
			id := s.created[last]
			s.created = s.created[:last]
			return s.remove(id), nil
		}})
}

// newTags returns the three tags of links that are created. They exist already.
func newTags(tags []string) []string { return []string{tags[0], tags[1], "u7"} }

// nextChange numbers creates and updates.
func (s *server) nextChange() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed++
	return s.changed
}

// cellKey names a cell of the tables.
type cellKey struct {
	operation   string
	connections int
}

// cell has the measurements of an operation on a server.
type cell struct {
	latencies bench.Latencies
	rates     []float64 // requests per second, of each round
	elapsed   time.Duration
	cpu       time.Duration
	memory    int64 // highest resident memory, in bytes
	failed    int   // requests without a successful response
	failure   error // of the first of them
}

// rate returns the median of the rounds.
func (c *cell) rate() float64 {
	sorted := slices.Sorted(slices.Values(c.rates))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// measure measures all operations on all servers. A peer whose server fails is not
// measured further; the report says so.
func (r *report) measure(ctx context.Context, tags []string) error {
	r.operations = operations(tags)
	attempt := func(s *server, do func() error) (err error) {
		if s.broken == nil {
			s.broken = do()
		}
		if s.broken != nil && (s == r.servers[0] || ctx.Err() != nil) {
			err = fmt.Errorf("%s: %w", s.about.name, s.broken)
		}
		return err
	}
	for _, s := range r.servers {
		if err := attempt(s, func() error { return s.warmUp(ctx, r.operations) }); err != nil {
			return err
		}
	}
	for round := range r.rounds {
		for _, connections := range r.connections {
			for i, o := range r.operations {
				for k := range r.servers { // each round starts with another server
					s := r.servers[(round+i+k)%len(r.servers)]
					if err := attempt(s, func() error {
						return s.measure(ctx, o, connections, r.duration, time.Duration(r.rounds)*r.duration)
					}); err != nil {
						return err
					}
				}
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, r.rounds)
	}
	return nil
}

// warmUp sends each request once, and reads the totals of the searches.
func (s *server) warmUp(ctx context.Context, operations []*operation) error {
	client, err := bench.Dial(ctx, s.address, s.key)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // all responses are complete
	for _, o := range operations {
		response, err := s.request(client, o)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		if o.kind == searchKind {
			total, err := s.total(response)
			if err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			s.totals[o.text] = total
		}
	}
	return nil
}

// request sends the next request of an operation.
func (s *server) request(client *bench.Client, o *operation) ([]byte, error) {
	r, err := o.next(s)
	if err != nil {
		return nil, err
	}
	status, response, err := client.Do(r.method, r.path, r.body)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK && status != http.StatusNoContent {
		return nil, fmt.Errorf("%s %s: %w %d, %.300s", r.method, r.path, errStatus, status, response)
	}
	if o.kind == createKind {
		id, err := s.program.created(response)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.created = append(s.created, id)
		s.mu.Unlock()
	}
	return response, nil
}

// measure measures an operation for a duration, unless slow responses have already
// taken the time of all rounds.
func (s *server) measure(ctx context.Context, o *operation, connections int, duration, most time.Duration) error {
	key := cellKey{o.name, connections}
	c := s.cells[key]
	if c == nil {
		c = &cell{}
		s.cells[key] = c
	}
	if c.elapsed < most {
		if err := s.measureFor(ctx, o, connections, duration, c); err != nil {
			return fmt.Errorf("%s: %w", title(o.name, connections), err)
		}
	}
	if o.kind == deleteKind { // what is left, so that the next round finds the same links
		return s.measureFor(ctx, o, connections, time.Minute, &cell{})
	}
	return ctx.Err()
}

func (s *server) measureFor(ctx context.Context, o *operation, connections int, duration time.Duration, c *cell) error {
	// Connections are opened here because servers close idle ones.
	clients := make([]*bench.Client, connections)
	for i := range clients {
		client, err := bench.Dial(ctx, s.address, s.key)
		if err != nil {
			return err
		}
		defer client.Close() //nolint:errcheck // all responses are complete
		clients[i] = client
	}
	if err := bench.ResetProcessMemory(s.process.Pid); err != nil {
		return err
	}
	before, err := bench.ProcessCPUTime(s.process.Pid)
	if err != nil {
		return err
	}
	latencies := make([]bench.Latencies, connections)
	errs := make([]error, connections) // the last one of each connection
	var failed atomic.Int64
	since := time.Now()
	var running sync.WaitGroup
	for i, client := range clients {
		running.Go(func() {
			for time.Since(since) < duration && ctx.Err() == nil {
				sent := time.Now()
				switch _, err := s.request(client, o); {
				case err == nil:
					latencies[i] = append(latencies[i], time.Since(sent))
				case errors.Is(err, errNothingLeft):
					return
				default:
					failed.Add(1)
					errs[i] = err
					if !errors.Is(err, errStatus) {
						return // the connection is broken
					}
				}
			}
		})
	}
	running.Wait()
	elapsed := time.Since(since)
	if err := ctx.Err(); err != nil {
		return err
	}
	c.failed += int(failed.Load())
	c.failure = cmp.Or(append([]error{c.failure}, errs...)...)
	after, err := bench.ProcessCPUTime(s.process.Pid)
	if err != nil {
		return err
	}
	_, memory, err := bench.ProcessMemory(s.process.Pid)
	if err != nil {
		return err
	}
	c.elapsed += elapsed
	all := slices.Concat(latencies...)
	if len(all) == 0 {
		return nil
	}
	c.latencies = append(c.latencies, all...)
	c.rates = append(c.rates, float64(len(all))/elapsed.Seconds())
	c.cpu += after - before
	c.memory = max(c.memory, memory)
	return nil
}
