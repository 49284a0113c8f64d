package bench

import (
	"slices"
	"time"
)

// Latencies are the durations of requests.
type Latencies []time.Duration

// Percentiles sorts the latencies and returns the median, the 99th percentile and the
// maximum. All are 0 for no latencies.
func (l Latencies) Percentiles() (p50, p99, max time.Duration) {
	if len(l) == 0 {
		return 0, 0, 0
	}
	slices.Sort(l)
	return l[len(l)/2], l[len(l)*99/100], l[len(l)-1]
}

// Milliseconds returns a duration in milliseconds, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
