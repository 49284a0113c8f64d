package waymark

import "time"

// Time is a moment in microseconds since 1970, UTC. Zero means never: an entry
// whose DeletedAt is zero is not in the trash. Databases keep it as an integer,
// so that both compute and order it alike.
type Time int64

// FromTime cuts t to the microsecond.
func FromTime(t time.Time) Time { return Time(t.UnixMicro()) }

// Time returns t as the standard library's time, in UTC.
func (t Time) Time() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add returns the moment d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Microseconds()) }

// Append appends t as 2020-03-09T19:33:23.000000Z.
func (t Time) Append(b []byte) []byte {
	return t.Time().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
}

// String returns t as 2020-03-09T19:33:23.000000Z.
func (t Time) String() string { return string(t.Append(nil)) }
