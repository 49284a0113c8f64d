package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Size is a number of bytes, written as 1048576, 1MiB or 1MB.
type Size int64

var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

// UnmarshalText understands a size of at least one byte.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := splitUnit(string(text))
	n, err := strconv.ParseInt(number, 10, 64)
	factor, known := sizeUnits[strings.ToLower(unit)]
	if err != nil || !known || n < 1 || n > math.MaxInt64/factor {
		return fmt.Errorf("size %q is not understood: write it as 512KiB or 32MiB", text)
	}
	*s = Size(n * factor)
	return nil
}

// Rate is how many of something may happen in a stretch of time, written as
// 60/min. Zero is no limit.
type Rate struct {
	Count int
	Per   time.Duration
}

var ratePeriods = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hour": time.Hour,
	"d": day, "day": day,
}

// UnmarshalText understands 10/s, 60/min, 1000/h and 5000/day, and an empty text
// as no limit.
func (r *Rate) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*r = Rate{}
		return nil
	}
	count, period, _ := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	per, known := ratePeriods[strings.ToLower(strings.TrimSpace(period))]
	if err != nil || !known || n < 1 {
		return fmt.Errorf("rate %q is not understood: write it as 10/s, 60/min or 1000/h", text)
	}
	*r = Rate{Count: n, Per: per}
	return nil
}

// Duration is a stretch of time that may be written in days and weeks: 90d, 2w, 12h.
// Zero, an empty text, is none.
type Duration time.Duration

const day = 24 * time.Hour

// UnmarshalText understands whole days and weeks, and whatever time.ParseDuration
// does, above zero.
func (s *Duration) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = 0
		return nil
	}
	d, err := parseSpan(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("time %q is not understood: write it as 90d, 2w or 12h", text)
	}
	*s = Duration(d)
	return nil
}

func parseSpan(text string) (time.Duration, error) {
	number, unit := splitUnit(text)
	length := map[string]time.Duration{"d": day, "w": 7 * day}[unit]
	if length == 0 {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > int64(math.MaxInt64/length) {
		return 0, strconv.ErrRange
	}
	return time.Duration(n) * length, nil
}

// splitUnit parts the digits that text begins with from what follows them.
func splitUnit(text string) (number, unit string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}
