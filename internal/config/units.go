package config

import (
	"fmt"
	"log/slog"
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

// UnmarshalText parses a size of at least one byte.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := splitUnit(string(text))
	n, err := strconv.ParseInt(number, 10, 64)
	factor, known := sizeUnits[strings.ToLower(unit)]
	if err != nil || !known || n < 1 || n > math.MaxInt64/factor {
		return fmt.Errorf("invalid size %q: use for example 512KiB or 32MiB", text)
	}
	*s = Size(n * factor)
	return nil
}

// String returns a text that UnmarshalText parses, such as 512KiB.
func (s Size) String() string {
	n, unit := int64(s), ""
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return strconv.FormatInt(n, 10) + unit
}

// Rate is a maximum number of events in a period, written as 60/min. Zero is no limit.
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

// UnmarshalText parses 10/s, 60/min, 1000/h and 5000/day. An empty text and 0 are no limit.
func (r *Rate) UnmarshalText(text []byte) error {
	if len(text) == 0 || string(text) == "0" {
		*r = Rate{}
		return nil
	}
	count, period, _ := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	per, known := ratePeriods[strings.ToLower(strings.TrimSpace(period))]
	if err != nil || !known || n < 1 {
		return fmt.Errorf("invalid rate %q: use for example 10/s, 60/min or 1000/h", text)
	}
	*r = Rate{Count: n, Per: per}
	return nil
}

// Duration is a time.Duration that can also be written in days and weeks: 90d, 2w.
// The zero value is written as an empty text.
type Duration time.Duration

const day = 24 * time.Hour

// UnmarshalText parses a positive number of whole days or weeks, or what
// time.ParseDuration accepts.
func (d *Duration) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = 0
		return nil
	}
	parsed, err := parseDuration(string(text))
	if err != nil || parsed <= 0 {
		return fmt.Errorf("invalid duration %q: use for example 90d, 2w or 12h", text)
	}
	*d = Duration(parsed)
	return nil
}

func parseDuration(text string) (time.Duration, error) {
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

// splitUnit separates the leading digits of text from the unit that follows.
func splitUnit(text string) (number, unit string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// Level is a minimum log level.
type Level slog.Level

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// UnmarshalText parses the name of a level.
func (l *Level) UnmarshalText(text []byte) error {
	level, known := levels[strings.ToLower(string(text))]
	if !known {
		return fmt.Errorf("invalid log level %q: use debug, info, warn or error", text)
	}
	*l = Level(level)
	return nil
}

// Level implements slog.Leveler.
func (l Level) Level() slog.Level { return slog.Level(l) }
