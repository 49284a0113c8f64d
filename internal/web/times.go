package web

import (
	"strconv"
	"time"

	"waymark/internal/waymark"
)

// moment is a time as a page shows it.
type moment struct {
	ISO   string // for <time datetime>
	Short string // 14:02, yesterday, 18 Nov, 18 Nov 2025
	Full  string // 21 November 2026, 14:02
}

// moment returns a time in the visitor's time zone and language.
func (v *visit) moment(at waymark.Time) moment {
	t := at.Time().In(v.zone)
	clock := t.Format("15:04")
	m := moment{
		ISO:  t.Format(time.RFC3339),
		Full: v.t("date.full", "date", v.date(t, "month"), "clock", clock),
	}
	switch daysBetween(t, v.now) {
	case 0:
		m.Short = clock
	case 1:
		m.Short = v.t("date.yesterday-short")
	default:
		m.Short = v.shortDate(t)
	}
	return m
}

// momentOrNever returns nil for the zero time.
func (v *visit) momentOrNever(at waymark.Time) *moment {
	if at == 0 {
		return nil
	}
	m := v.moment(at)
	return &m
}

// shortDate returns 18 Nov, or 18 Nov 2025 in another year than the current one.
func (v *visit) shortDate(t time.Time) string {
	if t.Year() == v.now.Year() {
		return v.t("date.day", "day", strconv.Itoa(t.Day()), "month", v.month(t, "short"))
	}
	return v.date(t, "short")
}

// date returns the day, month and year. The names of months are short or "month".
func (v *visit) date(t time.Time, names string) string {
	return v.t("date.day-year", "day", strconv.Itoa(t.Day()), "month", v.month(t, names), "year", strconv.Itoa(t.Year()))
}

func (v *visit) month(t time.Time, names string) string {
	return v.t("date." + names + "-" + strconv.Itoa(int(t.Month())))
}

// dayHeading returns the heading of the links that were saved at about the same time: today,
// yesterday, the last seven days, or the month.
func (v *visit) dayHeading(at waymark.Time) string {
	t := at.Time().In(v.zone)
	switch days := daysBetween(t, v.now); {
	case days <= 0:
		return v.t("date.today")
	case days == 1:
		return v.t("date.yesterday")
	case days < 7:
		return v.t("date.week")
	}
	return v.t("date.heading", "month", v.month(t, "month"), "year", strconv.Itoa(t.Year()))
}

// daysBetween returns how many midnights are between two times, in their time zone.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)).Hours() / 24)
}
