package waymark_test

import (
	"testing"
	"time"

	"waymark/internal/waymark"
)

func TestPeriodsHaveBounds(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 27, 0, 30, 0, 0, berlin) // still the 26th in UTC
	const open = "open"
	for _, test := range []struct {
		field        waymark.DateField
		period       string
		from, before string
	}{
		{waymark.SavedBefore, "2026", open, "2025-12-31T23:00:00.000000Z"},
		{waymark.SavedAfter, "2026-07", "2026-06-30T22:00:00.000000Z", open},
		{waymark.SavedOn, "2026-11-26", "2026-11-25T23:00:00.000000Z", "2026-11-26T23:00:00.000000Z"},
		{waymark.SavedOn, "2026-12", "2026-11-30T23:00:00.000000Z", "2026-12-31T23:00:00.000000Z"},
		{waymark.SavedOn, "1d", "2026-11-25T23:00:00.000000Z", "2026-11-26T23:00:00.000000Z"},
		{waymark.SavedAfter, "today", "2026-11-26T23:00:00.000000Z", open},
		{waymark.SavedBefore, "yesterday", open, "2026-11-25T23:00:00.000000Z"},
		{waymark.EditedOn, "yesterday", "2026-11-25T23:00:00.000000Z", "2026-11-26T23:00:00.000000Z"},
		{waymark.SavedAfter, "2w", "2026-11-12T23:00:00.000000Z", open},
		{waymark.SavedBefore, "3m", open, "2026-08-26T22:00:00.000000Z"},
		{waymark.EditedOn, "1y", "2025-11-26T23:00:00.000000Z", open},
		{waymark.EditedOn, "2025", "2024-12-31T23:00:00.000000Z", "2025-12-31T23:00:00.000000Z"},
		{waymark.SavedBefore, "1970-01-01", open, "1969-12-31T23:00:00.000000Z"},
	} {
		from, before := waymark.Dated{Field: test.field, Period: test.period}.Bounds(now)
		text := func(at waymark.Time) string {
			if at == waymark.MinTime || at == waymark.MaxTime {
				return open
			}
			return at.String()
		}
		if got, want := text(from)+" "+text(before), test.from+" "+test.before; got != want {
			t.Errorf("%s:%s: got %s, want %s", test.field, test.period, got, want)
		}
	}
}

func TestPeriodsAreValidated(t *testing.T) {
	for period, want := range map[string]bool{
		"2026": true, "2026-02": true, "2026-02-28": true, "1d": true, "9999y": true, "today": true, "yesterday": true,
		"": false, "d": false, "0d": false, "-1d": false, "10000d": false, "7h": false, "2026-13": false, "2026-02-30": false, "26": false, "0000": false, "+1d": false, "2026-1-1": false,
	} {
		if got := waymark.ValidPeriod(period); got != want {
			t.Errorf("%q: got %v, want %v", period, got, want)
		}
	}
}

func TestDaysWithoutMidnightOrWithTwo(t *testing.T) {
	for _, test := range []struct{ zone, day, want string }{
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"}, // the clocks are set forward at midnight
		{"Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00Z"},
		{"Asia/Beirut", "2024-03-31", "2024-03-30T22:00:00Z"},
		{"America/Havana", "2024-03-10", "2024-03-10T05:00:00Z"},
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"}, // the clocks are set back to midnight
		{"Asia/Amman", "2021-10-29", "2021-10-28T21:00:00Z"},
		{"America/Sao_Paulo", "2018-11-03", "2018-11-03T03:00:00Z"},
		{"UTC", "2024-03-10", "2024-03-10T00:00:00Z"},
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		from, _ := waymark.Dated{Field: waymark.SavedOn, Period: test.day}.Bounds(time.Unix(0, 0).In(zone))
		if got := from.Time().Format(time.RFC3339); got != test.want {
			t.Errorf("%s in %s: got %s, want %s", test.day, test.zone, got, test.want)
		}
	}
}
