package waymark_test

import (
	"testing"
	"time"

	"waymark/internal/waymark"
)

const day = 24 * time.Hour

// TestLinkStatusFollowsChecks gives a link the results of checks, each when it is due.
func TestLinkStatusFollowsChecks(t *testing.T) {
	const (
		ok, moved, dead = waymark.CheckOK, waymark.CheckMoved, waymark.CheckDead
		blocked, unsure = waymark.CheckBlocked, waymark.CheckUnsure
	)
	for name, checks := range map[string][]struct {
		result waymark.CheckResult
		status waymark.Status // 0 if it is kept
		next   time.Duration
	}{
		"an available page":       {{ok, 1, 1 * day}, {ok, 1, 30 * day}, {ok, 1, 30 * day}},
		"a page that has moved":   {{ok, 1, 1 * day}, {moved, 2, 30 * day}, {ok, 1, 30 * day}},
		"a page that is gone":     {{ok, 1, 1 * day}, {dead, 0, 1 * day}, {dead, 0, 3 * day}, {dead, 3, 7 * day}, {dead, 3, 14 * day}, {dead, 3, 30 * day}, {dead, 3, 30 * day}},
		"a page that returns":     {{dead, 0, 1 * day}, {dead, 0, 3 * day}, {dead, 3, 7 * day}, {ok, 1, 30 * day}, {dead, 0, 1 * day}},
		"a server with errors":    {{unsure, 0, 1 * day}, {unsure, 0, 3 * day}, {unsure, 0, 7 * day}, {unsure, 0, 14 * day}, {unsure, 0, 30 * day}},
		"an unsure check between": {{dead, 0, 1 * day}, {unsure, 0, 3 * day}, {dead, 0, 7 * day}, {dead, 3, 14 * day}},
		"a blocked check between": {{dead, 0, 1 * day}, {dead, 0, 3 * day}, {blocked, 1, 30 * day}, {dead, 0, 1 * day}},
		"a page not for programs": {{blocked, 1, 1 * day}, {blocked, 1, 30 * day}, {blocked, 1, 30 * day}},
		"a broken one is unsure":  {{dead, 0, 1 * day}, {dead, 0, 3 * day}, {dead, 3, 7 * day}, {unsure, 0, 14 * day}, {dead, 3, 30 * day}},
	} {
		var health waymark.LinkChecks
		at := waymark.Time(0).Add(1000 * day)
		for i, check := range checks {
			status := health.Add(waymark.LastCheck{Check: waymark.Check{At: at, Result: check.result}}, 0)
			if status != check.status || health.DueAt != at.Add(check.next) {
				t.Errorf("%s, check %d: got status %d, next after %s; want %d, %s", name, i+1, status, health.DueAt.Time().Sub(at.Time()), check.status, check.next)
			}
			at = health.DueAt
		}
	}
}

func TestChecksOfOneDayCountOnce(t *testing.T) {
	var health waymark.LinkChecks
	midnight := waymark.Time(0).Add(1000 * day)
	for _, hour := range []int{1, 2, 3, 23, 24, 47} {
		if status := health.Add(waymark.LastCheck{Check: waymark.Check{At: midnight.Add(time.Duration(hour) * time.Hour), Result: waymark.CheckDead}}, 0); status != 0 {
			t.Errorf("hour %d: got status %d, want that it is kept on the first two days", hour, status)
		}
	}
	if status := health.Add(waymark.LastCheck{Check: waymark.Check{At: midnight.Add(48 * time.Hour), Result: waymark.CheckDead}}, 0); status != waymark.StatusBroken {
		t.Errorf("third day: got status %d, want %d", status, waymark.StatusBroken)
	}
}

func TestSecondChecksAreSpread(t *testing.T) {
	for spread, want := range map[float64]time.Duration{0: day, 0.5: 15*day + 12*time.Hour, 1: 30 * day} {
		var health waymark.LinkChecks
		health.Add(waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckOK}}, spread)
		if got := health.DueAt.Time().Sub(waymark.Time(0).Time()); got != want {
			t.Errorf("spread %g: got the second check after %s, want %s", spread, got, want)
		}
	}
}

func TestRetryAfterDelaysTheNextCheck(t *testing.T) {
	var health waymark.LinkChecks
	health.Add(waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckUnsure}, RetryAfter: 2 * day}, 0)
	if want := waymark.Time(0).Add(2 * day); health.DueAt != want {
		t.Errorf("got %s, want %s", health.DueAt, want)
	}
}

func TestTheLastChecksAreKept(t *testing.T) {
	var health waymark.LinkChecks
	for i := range waymark.Time(waymark.MaxChecks + 5) {
		health.Add(waymark.LastCheck{Check: waymark.Check{At: i, Result: waymark.CheckOK}}, 0)
	}
	if len(health.Checks) != waymark.MaxChecks || health.Checks[0].At != 5 {
		t.Errorf("got %d checks from %d, want %d from 5", len(health.Checks), health.Checks[0].At, waymark.MaxChecks)
	}
}
