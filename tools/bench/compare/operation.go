package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"waymark/tools/bench"
)

// operation is a kind of request, and its measurements.
type operation struct {
	name        string
	method      string
	path        string
	body        func(n int64) []byte // nil for none
	connections int

	perSlice int // requests per slice, the same for both servers
	results  [2]result
	ratios   []float64 // of each round: the new server's median latency divided by the old one's
}

// result has the measurements of one server.
type result struct {
	latencies bench.Latencies
	cpu       time.Duration
}

// measure measures both servers for one round. The first round warms up and chooses
// the number of requests per slice. The servers alternate in being first.
func (o *operation) measure(ctx context.Context, servers [2]*server, round int, slice time.Duration) error {
	if o.perSlice == 0 {
		if err := o.warmUp(ctx, servers, slice); err != nil {
			return err
		}
	}
	order := []int{0, 1}
	if round%2 == 1 {
		order = []int{1, 0}
	}
	var medians [2]time.Duration
	for _, i := range order {
		latencies, cpu, err := o.send(ctx, servers[i], o.perSlice)
		if err != nil {
			return fmt.Errorf("%s server: %w", servers[i].name, err)
		}
		medians[i], _, _ = latencies.Percentiles()
		o.results[i].latencies = append(o.results[i].latencies, latencies...)
		o.results[i].cpu += cpu
	}
	o.ratios = append(o.ratios, float64(medians[1])/float64(medians[0]))
	return nil
}

// warmUp sends a few requests to both servers. As many requests as the old server
// answers in the duration of a slice make a slice.
func (o *operation) warmUp(ctx context.Context, servers [2]*server, slice time.Duration) error {
	for _, s := range slices.Backward(servers[:]) { // the old one last
		if err := s.connect(ctx, o.connections); err != nil {
			return fmt.Errorf("%s server: %w", s.name, err)
		}
		since := time.Now()
		n := 0
		for time.Since(since) < slice/2 {
			if _, _, err := o.send(ctx, s, o.connections); err != nil {
				return fmt.Errorf("%s server: %w", s.name, err)
			}
			n += o.connections
		}
		o.perSlice = max(o.connections, int(float64(n)*slice.Seconds()/time.Since(since).Seconds()))
	}
	return nil
}

// send sends n requests over the operation's connections, each as soon as its
// connection is free.
func (o *operation) send(ctx context.Context, s *server, n int) (bench.Latencies, time.Duration, error) {
	before, err := s.cpuTime()
	if err != nil {
		return nil, 0, err
	}
	base := s.requests
	s.requests += int64(n)
	var next atomic.Int64
	latencies := make([]bench.Latencies, o.connections)
	errs := make([]error, o.connections)
	var running sync.WaitGroup
	for i, client := range s.clients[:o.connections] {
		running.Go(func() {
			for k := next.Add(1); k <= int64(n) && errs[i] == nil && ctx.Err() == nil; k = next.Add(1) {
				since := time.Now()
				errs[i] = o.request(client, base+k)
				latencies[i] = append(latencies[i], time.Since(since))
			}
		})
	}
	running.Wait()
	after, err := s.cpuTime()
	return slices.Concat(latencies...), after - before, errors.Join(append(errs, err, ctx.Err())...)
}

// request sends one request. Its body is discarded while it is read, since a stream
// may be large.
func (o *operation) request(client *bench.Client, n int64) error {
	var status int
	var err error
	if o.body == nil {
		status, _, err = client.Drain(o.path)
	} else {
		status, _, err = client.Do(o.method, o.path, o.body(n))
	}
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", o.method, o.path, err)
	}
	return err
}

// printTable prints a row per operation. The ratio is the median of the rounds'
// ratios, which a disturbance of some rounds does not change; the range has the middle
// half of them.
func printTable(operations []*operation) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	const name = "%-36s\t" // aligned left, unlike the numbers
	fmt.Fprintf(w, name+"requests\told p50\tnew p50\told p99\tnew p99\tnew/old p50\tmiddle half of rounds\told CPU\tnew CPU\tnew/old CPU\t\n", "")
	for _, o := range operations {
		before, after := &o.results[0], &o.results[1]
		oldP50, oldP99, _ := before.latencies.Percentiles()
		newP50, newP99, _ := after.latencies.Percentiles()
		slices.Sort(o.ratios)
		n := len(o.ratios)
		median := (o.ratios[(n-1)/2] + o.ratios[n/2]) / 2
		fmt.Fprintf(w, name+"%d\t%s\t%s\t%s\t%s\t%.2f\t%.2f to %.2f\t", o.name, len(after.latencies),
			milliseconds(oldP50), milliseconds(newP50), milliseconds(oldP99), milliseconds(newP99),
			median, o.ratios[n/4], o.ratios[n-1-n/4])
		if before.cpu > 0 && after.cpu > 0 {
			fmt.Fprintf(w, "%s\t%s\t%.2f\t", milliseconds(before.cpuPerRequest()), milliseconds(after.cpuPerRequest()), float64(after.cpu)/float64(before.cpu))
		} else {
			fmt.Fprintf(w, "-\t-\t-\t")
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

func (r *result) cpuPerRequest() time.Duration {
	return r.cpu / time.Duration(len(r.latencies))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", bench.Milliseconds(d)) }
