package cli

import (
	"errors"
	"fmt"
	"time"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// expiry is when a key expires: after a time span, at a point in time, or never (zero).
type expiry struct {
	after config.Duration
	at    time.Time
}

// UnmarshalText parses a time span such as 90d, a date, or a time in RFC 3339. A key with
// a date works until the end of that day, UTC. RFC 3339 cannot express later years than 9999.
func (e *expiry) UnmarshalText(text []byte) error {
	*e = expiry{}
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil {
		e.at = day.AddDate(0, 0, 1).Add(-time.Microsecond)
		return nil
	}
	if at, err := time.Parse(time.RFC3339, string(text)); err == nil && at.UTC().Year() <= 9999 {
		e.at = at
		return nil
	}
	if err := e.after.UnmarshalText(text); err != nil {
		return fmt.Errorf("invalid expiry %q: use a time span such as 90d, 2w or 12h, or a date such as 2027-01-31", text)
	}
	return nil
}

// time returns when a key that is created now expires, zero for never, or an error for the past.
func (e expiry) time(now time.Time) (waymark.Time, error) {
	switch {
	case e.after != 0:
		return waymark.FromTime(now.Add(time.Duration(e.after))), nil
	case e.at.IsZero():
		return 0, nil
	case !e.at.After(now):
		return 0, usageError{errors.New("--expires: " + e.at.UTC().Format(time.RFC3339) + " is in the past")}
	}
	return waymark.FromTime(e.at), nil
}
