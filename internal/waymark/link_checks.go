package waymark

import "time"

// CheckResult is what a check has found about the URL of a link.
type CheckResult int

// The results. The database uses the same numbers.
const (
	CheckNone    CheckResult = iota // not checked yet
	CheckOK                         // the page is there
	CheckMoved                      // a permanent redirect leads to the page
	CheckDead                       // the server says that there is no such page, or there is no server
	CheckBlocked                    // the server responds, but not to programs, or not without signing in
	CheckUnsure                     // the check failed in a way that says nothing about the page
)

// String returns the name of the result, "" for none.
func (r CheckResult) String() string {
	return [...]string{"", "ok", "moved", "dead", "blocked", "unsure"}[r]
}

// ParseCheckResult returns the result with a name. ok is false if there is none.
func ParseCheckResult(name string) (r CheckResult, ok bool) {
	for r := CheckOK; r <= CheckUnsure; r++ {
		if r.String() == name {
			return r, true
		}
	}
	return CheckNone, false
}

// Check is one check of the URL of a link.
type Check struct {
	At     Time
	Result CheckResult
	Code   int // the HTTP status of the response, 0 if there was none
}

// LastCheck is a Check, and what is kept of the last check only.
type LastCheck struct {
	Check
	// Reason is a word for the cause of the result, "" if it is OK: "status" for the HTTP
	// status, "challenge", "redirect", or a fetch.Reason.
	Reason string
	// NewURL is the URL to which the page has moved, "" if it has not.
	NewURL string
	// RetryAfter is how long the server wants not to be checked, 0 if it does not say.
	RetryAfter time.Duration
}

// LinkChecks is what the checks of the URL of a link have found.
type LinkChecks struct {
	LastCheck      // of the last check
	DueAt     Time // of the next check; 0 if none is planned
	// Doubts is the number of checks since the last one with another result than dead and
	// unsure, and DeadDays the number of days (UTC) with a result dead among them.
	Doubts, DeadDays int
	// LastDead is when the last result dead was found, which DeadDays counts.
	LastDead Time
	// BrokenAt is when the checks have made the link broken, 0 if it is not.
	BrokenAt Time
	// Checks are the last checks, the newest last, at most MaxChecks.
	Checks []Check
}

// MaxChecks is the number of checks of a link that are remembered.
const MaxChecks = 30

// deadDaysUntilBroken is on how many days a page must be dead until its link is broken.
const deadDaysUntilBroken = 3

const day = 24 * time.Hour

// checkInterval is the time between two checks that find the page.
const checkInterval = 30 * day

// doubtInterval returns the time to the next check after some dead or unsure ones.
func doubtInterval(doubts int) time.Duration {
	switch doubts {
	case 1:
		return day
	case 2:
		return 3 * day
	case 3:
		return 7 * day
	case 4:
		return 14 * day
	}
	return checkInterval
}

// FirstCheckWithin is the time within which the first check of a new link begins, unless too many
// links are due. The first checks of new links are spread over it.
const FirstCheckWithin = day

// Add adds a check and plans the next one. It returns the status that the link gets, or 0 if it
// keeps the one it has. spread is a random number from 0 to 1. It spreads the second checks of
// links that were added together.
func (h *LinkChecks) Add(found LastCheck, spread float64) Status {
	first := len(h.Checks) == 0
	h.LastCheck = found
	h.Checks = append(h.Checks, found.Check)
	h.Checks = h.Checks[max(len(h.Checks)-MaxChecks, 0):]
	pause := checkInterval
	var status Status
	switch found.Result {
	case CheckDead, CheckUnsure:
		h.Doubts++
		pause = doubtInterval(h.Doubts)
		if found.Result == CheckDead && !sameDay(found.At, h.LastDead) {
			h.DeadDays++
			h.LastDead = found.At
		}
		if h.DeadDays >= deadDaysUntilBroken && found.Result == CheckDead {
			status = StatusBroken
			if h.BrokenAt == 0 {
				h.BrokenAt = found.At
			}
		}
	default:
		h.forgetDoubts()
		status = StatusOK
		if found.Result == CheckMoved {
			status = StatusMoved
		}
		if first {
			pause = day + time.Duration(spread*float64(checkInterval-day))
		}
	}
	h.DueAt = found.At.Add(max(pause, found.RetryAfter))
	return status
}

// Confirm records that the page exists, as a user says. The doubts are forgotten, and the next
// check is planned as after one that has found the page.
func (h *LinkChecks) Confirm(at Time) {
	h.forgetDoubts()
	h.DueAt = at.Add(checkInterval)
}

func (h *LinkChecks) forgetDoubts() { h.Doubts, h.DeadDays, h.LastDead, h.BrokenAt = 0, 0, 0, 0 }

func sameDay(a, b Time) bool {
	return a.Time().UTC().Truncate(day).Equal(b.Time().UTC().Truncate(day))
}
