package page

import (
	"testing"
	"time"

	"waymark/internal/waymark"
)

func TestLinksAreGroupedByDay(t *testing.T) {
	english := &Locale{texts: load(t, "en")}
	berlin, err := time.LoadLocation("Europe/Berlin")
	check(t, err)
	for _, test := range []struct{ now, saved, want string }{
		{"2026-11-23 00:30", "2026-11-23 00:10", "Today"}, // a Monday
		{"2026-11-23 00:30", "2026-11-22 23:50", "Yesterday"},
		{"2026-11-23 00:30", "2026-11-21 23:50", "Last 7 days"},
		{"2026-11-23 00:30", "2026-11-17 00:00", "Last 7 days"},
		{"2026-11-23 00:30", "2026-11-16 23:59", "November 2026"},
		{"2026-10-26 00:00", "2026-10-25 00:00", "Yesterday"}, // a day of 25 hours
		{"2026-03-30 00:00", "2026-03-29 23:59", "Yesterday"}, // a day of 23 hours
		{"2026-03-30 00:00", "2026-03-28 23:59", "Last 7 days"},
	} {
		at := func(text string) time.Time {
			found, err := time.ParseInLocation("2006-01-02 15:04", text, berlin)
			check(t, err)
			return found
		}
		c := Clock{Locale: english, Zone: berlin, Now: at(test.now)}
		if got := c.DayHeading(waymark.FromTime(at(test.saved))); got != test.want {
			t.Errorf("saved %s, shown %s: got %q, want %q", test.saved, test.now, got, test.want)
		}
	}
}
