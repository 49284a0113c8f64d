package page

import (
	"strconv"
	"time"

	"waymark/internal/waymark"
)

// Clock shows times in a language and a time zone.
type Clock struct {
	Locale *Locale
	Zone   *time.Location
	Now    time.Time // in zone
}

// T returns a sentence in the language.
func (c Clock) T(key string, pairs ...any) string { return c.Locale.Get(key, pairs...) }

// Moment is a time as a page shows it.
type Moment struct {
	ISO   string // for <time datetime>
	Short string // 14:02, yesterday, 18 Nov, 18 Nov 2025
	Full  string // 21 November 2026, 14:02
}

// Moment returns a time as pages show it.
func (c Clock) Moment(at waymark.Time) Moment {
	t := at.Time().In(c.Zone)
	clock := t.Format("15:04")
	m := Moment{
		ISO:  t.Format(time.RFC3339),
		Full: c.T("date.full", "date", c.Date(t, "month"), "clock", clock),
	}
	switch daysBetween(t, c.Now) {
	case 0:
		m.Short = clock
	case 1:
		m.Short = c.T("date.yesterday-short")
	default:
		m.Short = c.Date(t, "short")
		if t.Year() == c.Now.Year() {
			m.Short = c.T("date.day", "day", strconv.Itoa(t.Day()), "month", c.month(t, "short"))
		}
	}
	return m
}

// MomentOrNever returns nil for the zero time.
func (c Clock) MomentOrNever(at waymark.Time) *Moment {
	if at == 0 {
		return nil
	}
	m := c.Moment(at)
	return &m
}

// Date returns the day, month and year. The names of months are short or "month".
func (c Clock) Date(t time.Time, names string) string {
	return c.T("date.day-year", "day", strconv.Itoa(t.Day()), "month", c.month(t, names), "year", strconv.Itoa(t.Year()))
}

func (c Clock) month(t time.Time, names string, pairs ...any) string {
	return c.T("date."+names+"-"+strconv.Itoa(int(t.Month())), pairs...)
}

// DayHeading returns the heading of the links that were saved at about the same time: today,
// yesterday, the last seven days, or the month.
func (c Clock) DayHeading(at waymark.Time) string {
	t := at.Time().In(c.Zone)
	switch days := daysBetween(t, c.Now); {
	case days <= 0:
		return c.T("date.today")
	case days == 1:
		return c.T("date.yesterday")
	case days < 7:
		return c.T("date.week")
	}
	return c.month(t, "heading", "year", strconv.Itoa(t.Year()))
}

// daysBetween returns how many midnights are between two times, in their time zone.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)).Hours() / 24)
}
