package web

import (
	"strconv"
	"time"

	"waymark/internal/waymark"
)

// clock shows times in a language and a time zone.
type clock struct {
	locale *locale
	zone   *time.Location
	now    time.Time // in zone
}

// t returns a sentence in the language.
func (c clock) t(key string, pairs ...any) string { return c.locale.get(key, pairs...) }

// moment is a time as a page shows it.
type moment struct {
	ISO   string // for <time datetime>
	Short string // 14:02, yesterday, 18 Nov, 18 Nov 2025
	Full  string // 21 November 2026, 14:02
}

// moment returns a time as pages show it.
func (c clock) moment(at waymark.Time) moment {
	t := at.Time().In(c.zone)
	clock := t.Format("15:04")
	m := moment{
		ISO:  t.Format(time.RFC3339),
		Full: c.t("date.full", "date", c.date(t, "month"), "clock", clock),
	}
	switch daysBetween(t, c.now) {
	case 0:
		m.Short = clock
	case 1:
		m.Short = c.t("date.yesterday-short")
	default:
		m.Short = c.shortDate(t)
	}
	return m
}

// momentOrNever returns nil for the zero time.
func (c clock) momentOrNever(at waymark.Time) *moment {
	if at == 0 {
		return nil
	}
	m := c.moment(at)
	return &m
}

// shortDate returns 18 Nov, or 18 Nov 2025 in another year than the current one.
func (c clock) shortDate(t time.Time) string {
	if t.Year() == c.now.Year() {
		return c.t("date.day", "day", strconv.Itoa(t.Day()), "month", c.month(t, "short"))
	}
	return c.date(t, "short")
}

// date returns the day, month and year. The names of months are short or "month".
func (c clock) date(t time.Time, names string) string {
	return c.t("date.day-year", "day", strconv.Itoa(t.Day()), "month", c.month(t, names), "year", strconv.Itoa(t.Year()))
}

func (c clock) month(t time.Time, names string) string {
	return c.t("date." + names + "-" + strconv.Itoa(int(t.Month())))
}

// dayHeading returns the heading of the links that were saved at about the same time: today,
// yesterday, the last seven days, or the month.
func (c clock) dayHeading(at waymark.Time) string {
	t := at.Time().In(c.zone)
	switch days := daysBetween(t, c.now); {
	case days <= 0:
		return c.t("date.today")
	case days == 1:
		return c.t("date.yesterday")
	case days < 7:
		return c.t("date.week")
	}
	return c.t("date.heading", "month", c.month(t, "month"), "year", strconv.Itoa(t.Year()))
}

// daysBetween returns how many midnights are between two times, in their time zone.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)).Hours() / 24)
}
