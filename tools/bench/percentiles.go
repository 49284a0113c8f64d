package bench

import (
	"slices"
	"time"
)

// Spread collects how long each of many requests took.
type Spread []time.Duration

// Percentiles returns the time within which half of them ended, and 99 of a hundred,
// and all. It sorts them. Of none all three are 0.
func (s Spread) Percentiles() (p50, p99, most time.Duration) {
	if len(s) == 0 {
		return 0, 0, 0
	}
	slices.Sort(s)
	return s[len(s)/2], s[len(s)*99/100], s[len(s)-1]
}
