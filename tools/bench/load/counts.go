package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"waymark/tools/bench"
)

// count has the latencies and the statuses of requests of one kind.
type count struct {
	latencies bench.Latencies
	statuses  map[int]int // how many responses had each status; connectionError for no response
}

// connectionError counts requests whose connection failed before the response.
const connectionError = 0

// counts are by operation.
type counts map[string]*count

func (c counts) record(operation string, latency time.Duration, status int) {
	of := c[operation]
	if of == nil {
		of = &count{statuses: map[int]int{}}
		c[operation] = of
	}
	of.latencies = append(of.latencies, latency)
	of.statuses[status]++
}

// merge adds other counts to these.
func (c counts) merge(other counts) {
	for operation, more := range other {
		of := c[operation]
		if of == nil {
			c[operation] = more
			continue
		}
		of.latencies = append(of.latencies, more.latencies...)
		for status, n := range more.statuses {
			of.statuses[status] += n
		}
	}
}

// total is the count of all operations together.
func (c counts) total() *count {
	sum := counts{}
	for _, of := range c {
		sum.merge(counts{"": {slices.Clone(of.latencies), maps.Clone(of.statuses)}})
	}
	return sum[""]
}

// errors lists the statuses other than 200. It is "0" if there are none.
func (c *count) errors() string {
	var texts []string
	for _, status := range slices.Sorted(maps.Keys(c.statuses)) {
		switch n := c.statuses[status]; status {
		case http.StatusOK:
		case connectionError:
			texts = append(texts, fmt.Sprintf("%d connection errors", n))
		default:
			texts = append(texts, fmt.Sprintf("%d × %d", n, status))
		}
	}
	if len(texts) == 0 {
		return "0"
	}
	return strings.Join(texts, ", ")
}

// row returns the cells of a table row, after the name of the operation.
func (c *count) row(elapsed time.Duration) string {
	p50, p99, max := c.latencies.Percentiles()
	return fmt.Sprintf("%d\t%.0f\t%s\t%s\t%s\t%s", len(c.latencies), float64(len(c.latencies))/elapsed.Seconds(),
		milliseconds(p50), milliseconds(p99), milliseconds(max), c.errors())
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", bench.Milliseconds(d)) }

// printTable prints rows of cells that are separated by tabs.
func printTable(head string, rows []string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, row := range rows {
		fmt.Fprintln(w, row)
	}
	w.Flush() //nolint:errcheck // an error on standard output cannot be reported
	fmt.Println()
}
