package waymark

import (
	"strconv"
	"time"
)

// Dated is the Condition that a link was saved, edited or seen in a period.
type Dated struct {
	Field  DateField
	Period string // see Bounds
}

func (Dated) isCondition() {}

// DateField says how the time of a link and a period must relate.
type DateField string

// The relations. A link that was saved after a period was saved at its beginning or later, as the one
// saved before it was saved before its beginning.
const (
	SavedBefore DateField = "before"
	SavedAfter  DateField = "after"
	SavedOn     DateField = "on"
	EditedOn    DateField = "changed"
	SeenOn      DateField = "seen" // of the own links of who asks
)

// MaxAge is the largest number in the age of a Dated condition.
const MaxAge = 9999

// ValidPeriod reports whether a text is the period of a Dated condition: a year (2026), a month
// (2026-11), a day (2026-11-26, today or yesterday), or an age in days, weeks, months or years (30d, 6w, 3m, 1y).
func ValidPeriod(period string) bool {
	_, _, ok := periodOf(period, time.Unix(0, 0).UTC())
	return ok
}

// Bounds returns the times between which a link must have been saved, edited or seen: at from or later, and
// before before. They are MinTime and MaxTime if there is no bound. The days are those of the time zone
// of now. An age means the day that is so long ago; for EditedOn and SeenOn it means that day and all after it. No
// time is in a period that is not valid.
func (d Dated) Bounds(now time.Time) (from, before Time) {
	begin, end, ok := periodOf(d.Period, now)
	if !ok {
		return MaxTime, MinTime
	}
	switch last := len(d.Period) - 1; {
	case d.Field == SavedBefore:
		return MinTime, FromTime(begin)
	case d.Field == SavedAfter, (d.Field == EditedOn || d.Field == SeenOn) && d.Period[0] <= '9' && d.Period[last] > '9':
		return FromTime(begin), MaxTime
	}
	return FromTime(begin), FromTime(end)
}

// periodOf returns when a period begins, and when it has ended.
func periodOf(period string, now time.Time) (begin, end time.Time, ok bool) {
	for _, p := range []struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {time.DateOnly, 0, 0, 1}} {
		if day, err := time.Parse(p.layout, period); err == nil && day.Year() > 0 {
			return StartOfDay(day, now.Location()), StartOfDay(day.AddDate(p.years, p.months, p.days), now.Location()), true
		}
	}
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if period == "today" || period == "yesterday" {
		if period == "yesterday" {
			day = day.AddDate(0, 0, -1)
		}
		return StartOfDay(day, now.Location()), StartOfDay(day.AddDate(0, 0, 1), now.Location()), true
	}
	if len(period) < 2 || period[0] < '1' || period[0] > '9' {
		return begin, end, false
	}
	n, err := strconv.Atoi(period[:len(period)-1])
	if err != nil || n > MaxAge {
		return begin, end, false
	}
	switch period[len(period)-1] {
	case 'd':
		day = day.AddDate(0, 0, -n)
	case 'w':
		day = day.AddDate(0, 0, -7*n)
	case 'm':
		day = day.AddDate(0, -n, 0)
	case 'y':
		day = day.AddDate(-n, 0, 0)
	default:
		return begin, end, false
	}
	return StartOfDay(day, now.Location()), StartOfDay(day.AddDate(0, 0, 1), now.Location()), true
}

// StartOfDay returns the first moment of the date of day in a time zone. If the clocks are set forward
// at midnight, the day begins at one o'clock; time.Date can return a time before that. If they are set
// back to midnight, it can return the second midnight of the day.
func StartOfDay(day time.Time, zone *time.Location) time.Time {
	start := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	date := day.Format(time.DateOnly)
	if earlier := start.Add(-time.Hour); earlier.Format(time.DateOnly) == date {
		return earlier
	}
	if start.Format(time.DateOnly) < date {
		start = start.Add(time.Hour)
	}
	return start
}

// Since is satisfied by the links saved or edited after a time. The query language has Dated.
type Since struct {
	Edited bool // otherwise saved
	After  Time
}

func (Since) isCondition() {}

// Following is satisfied by the links that come after one in an order SortByRandom, whether or not that link exists. The
// query language cannot say so.
type Following struct {
	Seed int64 // of the order
	Link LinkID
}

func (Following) isCondition() {}
