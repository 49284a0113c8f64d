package waymark_test

import (
	"testing"
	"time"

	"waymark/internal/waymark"
)

const day = 24 * time.Hour

// TestLinkStatusFollowsVisits gives a link the verdicts of visits, each when it is due.
func TestLinkStatusFollowsVisits(t *testing.T) {
	const (
		ok, moved, dead = waymark.VerdictOK, waymark.VerdictMoved, waymark.VerdictDead
		blocked, unsure = waymark.VerdictBlocked, waymark.VerdictUnsure
	)
	for name, visits := range map[string][]struct {
		verdict waymark.Verdict
		status  waymark.Status // 0 if it is kept
		next    time.Duration
	}{
		"an available page":       {{ok, 1, 1 * day}, {ok, 1, 30 * day}, {ok, 1, 30 * day}},
		"a page that has moved":   {{ok, 1, 1 * day}, {moved, 2, 30 * day}, {ok, 1, 30 * day}},
		"a page that is gone":     {{ok, 1, 1 * day}, {dead, 0, 1 * day}, {dead, 0, 3 * day}, {dead, 3, 7 * day}, {dead, 3, 14 * day}, {dead, 3, 30 * day}, {dead, 3, 30 * day}},
		"a page that returns":     {{dead, 0, 1 * day}, {dead, 0, 3 * day}, {dead, 3, 7 * day}, {ok, 1, 30 * day}, {dead, 0, 1 * day}},
		"a server with errors":    {{unsure, 0, 1 * day}, {unsure, 0, 3 * day}, {unsure, 0, 7 * day}, {unsure, 0, 14 * day}, {unsure, 0, 30 * day}},
		"an unsure visit between": {{dead, 0, 1 * day}, {unsure, 0, 3 * day}, {dead, 0, 7 * day}, {dead, 3, 14 * day}},
		"a blocked visit between": {{dead, 0, 1 * day}, {dead, 0, 3 * day}, {blocked, 1, 30 * day}, {dead, 0, 1 * day}},
		"a page not for programs": {{blocked, 1, 1 * day}, {blocked, 1, 30 * day}, {blocked, 1, 30 * day}},
		"a broken one is unsure":  {{dead, 0, 1 * day}, {dead, 0, 3 * day}, {dead, 3, 7 * day}, {unsure, 0, 14 * day}, {dead, 3, 30 * day}},
	} {
		var health waymark.LinkHealth
		at := waymark.Time(0).Add(1000 * day)
		for i, visit := range visits {
			status := health.Add(waymark.VisitResult{Visit: waymark.Visit{At: at, Verdict: visit.verdict}}, 0)
			if status != visit.status || health.DueAt != at.Add(visit.next) {
				t.Errorf("%s, visit %d: got status %d, next after %s; want %d, %s", name, i+1, status, health.DueAt.Time().Sub(at.Time()), visit.status, visit.next)
			}
			at = health.DueAt
		}
	}
}

func TestVisitsOfOneDayCountOnce(t *testing.T) {
	var health waymark.LinkHealth
	midnight := waymark.Time(0).Add(1000 * day)
	for _, hour := range []int{1, 2, 3, 23, 24, 47} {
		if status := health.Add(waymark.VisitResult{Visit: waymark.Visit{At: midnight.Add(time.Duration(hour) * time.Hour), Verdict: waymark.VerdictDead}}, 0); status != 0 {
			t.Errorf("hour %d: got status %d, want that it is kept on the first two days", hour, status)
		}
	}
	if status := health.Add(waymark.VisitResult{Visit: waymark.Visit{At: midnight.Add(48 * time.Hour), Verdict: waymark.VerdictDead}}, 0); status != waymark.StatusBroken {
		t.Errorf("third day: got status %d, want %d", status, waymark.StatusBroken)
	}
}

func TestSecondVisitsAreSpread(t *testing.T) {
	for spread, want := range map[float64]time.Duration{0: day, 0.5: 15*day + 12*time.Hour, 1: 30 * day} {
		var health waymark.LinkHealth
		health.Add(waymark.VisitResult{Visit: waymark.Visit{Verdict: waymark.VerdictOK}}, spread)
		if got := health.DueAt.Time().Sub(waymark.Time(0).Time()); got != want {
			t.Errorf("spread %g: got the second visit after %s, want %s", spread, got, want)
		}
	}
}

func TestRetryAfterDelaysTheNextVisit(t *testing.T) {
	var health waymark.LinkHealth
	health.Add(waymark.VisitResult{Visit: waymark.Visit{Verdict: waymark.VerdictUnsure}, RetryAfter: 2 * day}, 0)
	if want := waymark.Time(0).Add(2 * day); health.DueAt != want {
		t.Errorf("got %s, want %s", health.DueAt, want)
	}
}

func TestTheLastVisitsAreKept(t *testing.T) {
	var health waymark.LinkHealth
	for i := range waymark.Time(waymark.MaxVisits + 5) {
		health.Add(waymark.VisitResult{Visit: waymark.Visit{At: i, Verdict: waymark.VerdictOK}}, 0)
	}
	if len(health.Visits) != waymark.MaxVisits || health.Visits[0].At != 5 {
		t.Errorf("got %d visits from %d, want %d from 5", len(health.Visits), health.Visits[0].At, waymark.MaxVisits)
	}
}
