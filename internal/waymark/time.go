package waymark

import (
	"math"
	"time"
)

// Time is a time in microseconds since 1970 UTC. Zero means never: an entity whose
// DeletedAt is zero is not in the trash. Databases store it as an integer, so that all of
// them compute and sort it in the same way.
type Time int64

// The first and the last time.
const (
	MinTime Time = math.MinInt64
	MaxTime Time = math.MaxInt64
)

// FromTime returns t, truncated to the microsecond.
func FromTime(t time.Time) Time { return Time(t.UnixMicro()) }

// Time returns t as a time.Time in UTC.
func (t Time) Time() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add returns t+d.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Microseconds()) }

// Append appends t in the format 2020-03-09T19:33:23.000000Z.
func (t Time) Append(b []byte) []byte {
	at := t.Time()
	b = at.AppendFormat(b, time.RFC3339) // this layout is not parsed, which takes half of the time
	b = append(b[:len(b)-len("Z")], '.')
	micros := at.Nanosecond() / int(time.Microsecond)
	for unit := 100_000; unit > 0; unit /= 10 {
		b = append(b, '0'+byte(micros/unit%10))
	}
	return append(b, 'Z')
}

// String returns t in the format 2020-03-09T19:33:23.000000Z.
func (t Time) String() string {
	var b [len("2020-03-09T19:33:23.000000Z")]byte // Append would allocate four times without it
	return string(t.Append(b[:0]))
}
