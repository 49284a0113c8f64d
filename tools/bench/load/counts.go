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

// tally is what became of the requests of one kind.
type tally struct {
	took    bench.Latencies
	answers map[int]int // by status; broken for those that came to none
}

// broken stands for a connection that ended before its answer.
const broken = 0

// tallies are by operation.
type tallies map[string]*tally

func (t tallies) note(operation string, took time.Duration, status int) {
	one := t[operation]
	if one == nil {
		one = &tally{answers: map[int]int{}}
		t[operation] = one
	}
	one.took = append(one.took, took)
	one.answers[status]++
}

func (t tallies) add(other tallies) {
	for operation, some := range other {
		one := t[operation]
		if one == nil {
			t[operation] = some
			continue
		}
		one.took = append(one.took, some.took...)
		for status, n := range some.answers {
			one.answers[status] += n
		}
	}
}

// all is the tally of all operations together.
func (t tallies) all() *tally {
	sum := tallies{}
	for _, one := range t {
		sum.add(tallies{"": {slices.Clone(one.took), maps.Clone(one.answers)}})
	}
	return sum[""]
}

// errors tells what was answered other than 200, "0" for nothing.
func (t *tally) errors() string {
	var some []string
	for _, status := range slices.Sorted(maps.Keys(t.answers)) {
		switch n := t.answers[status]; status {
		case http.StatusOK:
		case broken:
			some = append(some, fmt.Sprintf("%d broken off", n))
		default:
			some = append(some, fmt.Sprintf("%d × %d", n, status))
		}
	}
	if len(some) == 0 {
		return "0"
	}
	return strings.Join(some, ", ")
}

// row is what stands behind a name in a table.
func (t *tally) row(spent time.Duration) string {
	p50, p99, most := t.took.Percentiles()
	return fmt.Sprintf("%d\t%.0f\t%s\t%s\t%s\t%s", len(t.took), float64(len(t.took))/spent.Seconds(), short(p50), short(p99), short(most), t.errors())
}

func short(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// table prints a table, its columns under each other.
func table(head string, rows []string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, row := range rows {
		fmt.Fprintln(w, row)
	}
	w.Flush() //nolint:errcheck // nobody is left to tell
	fmt.Println()
}
