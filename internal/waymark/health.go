package waymark

import "time"

// Verdict is what a visit has found about the URL of a link.
type Verdict int

// The verdicts. The database uses the same numbers.
const (
	VerdictNone    Verdict = iota // not visited yet
	VerdictOK                     // the page is there
	VerdictMoved                  // a permanent redirect leads to the page
	VerdictDead                   // the server says that there is no such page, or there is no server
	VerdictBlocked                // the server responds, but not to programs, or not without signing in
	VerdictUnsure                 // the visit failed in a way that says nothing about the page
)

// String returns the name of the verdict, "" for none.
func (v Verdict) String() string {
	switch v {
	case VerdictOK:
		return "ok"
	case VerdictMoved:
		return "moved"
	case VerdictDead:
		return "dead"
	case VerdictBlocked:
		return "blocked"
	case VerdictUnsure:
		return "unsure"
	}
	return ""
}

// ParseVerdict returns the verdict with a name. ok is false if there is none.
func ParseVerdict(name string) (v Verdict, ok bool) {
	for v := VerdictOK; v <= VerdictUnsure; v++ {
		if v.String() == name {
			return v, true
		}
	}
	return VerdictNone, false
}

// Visit is the result of a visit to the URL of a link.
type Visit struct {
	At      Time
	Verdict Verdict
	Code    int // the HTTP status of the response, 0 if there was none
}

// VisitResult is a Visit, and what is kept of the last visit only.
type VisitResult struct {
	Visit
	// Reason is a word for the cause of the verdict, "" if it is OK: "status" for the HTTP
	// status, "challenge", "redirect", or a fetch.Reason.
	Reason string
	// Address is the URL to which the page has moved, "" if it has not.
	Address string
	// RetryAfter is how long the server wants not to be visited, 0 if it does not say.
	RetryAfter time.Duration
}

// LinkHealth is what the visits to the URL of a link have found.
type LinkHealth struct {
	VisitResult      // of the last visit
	DueAt       Time // of the next visit; 0 if none is planned
	// Doubts is the number of visits since the last one with another verdict than dead and
	// unsure, and DeadDays the number of days (UTC) with a verdict dead among them.
	Doubts, DeadDays int
	// LastDead is when the last verdict dead was found, which DeadDays counts.
	LastDead Time
	// BrokenAt is when the visits have made the link broken, 0 if it is not.
	BrokenAt Time
	// Visits are the last visits, the newest last, at most MaxVisits.
	Visits []Visit
}

// MaxVisits is the number of visits of a link that are remembered.
const MaxVisits = 30

// deadDaysUntilBroken is on how many days a page must be dead until its link is broken.
const deadDaysUntilBroken = 3

const day = 24 * time.Hour

// checkInterval is the time between two visits that find the page.
const checkInterval = 30 * day

// doubtInterval returns the time to the next visit after this number of visits in a row whose
// verdict was dead or unsure.
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

// FirstCheckWithin is the time within which the first visit to a new link begins, unless too many
// links are due. The first visits to new links are spread over it.
const FirstCheckWithin = day

// Add adds a visit and plans the next one. It returns the status that the link gets, or 0 if it
// keeps the one it has. spread is a random number from 0 to 1, by which the second visits of links
// that were added together are spread.
func (h *LinkHealth) Add(result VisitResult, spread float64) Status {
	first := len(h.Visits) == 0
	h.VisitResult = result
	h.Visits = append(h.Visits, result.Visit)
	h.Visits = h.Visits[max(len(h.Visits)-MaxVisits, 0):]
	pause := checkInterval
	var status Status
	switch result.Verdict {
	case VerdictDead, VerdictUnsure:
		h.Doubts++
		pause = doubtInterval(h.Doubts)
		if result.Verdict == VerdictDead && !sameDay(result.At, h.LastDead) {
			h.DeadDays++
			h.LastDead = result.At
		}
		if h.DeadDays >= deadDaysUntilBroken && result.Verdict == VerdictDead {
			status = StatusBroken
			if h.BrokenAt == 0 {
				h.BrokenAt = result.At
			}
		}
	default:
		h.forgetDoubts()
		status = StatusOK
		if result.Verdict == VerdictMoved {
			status = StatusMoved
		}
		if first {
			pause = day + time.Duration(spread*float64(checkInterval-day))
		}
	}
	h.DueAt = result.At.Add(max(pause, result.RetryAfter))
	return status
}

// Confirm records that a user says that the page is there. The doubts are forgotten, and the next
// visit is planned as after one that has found the page.
func (h *LinkHealth) Confirm(at Time) {
	h.forgetDoubts()
	h.DueAt = at.Add(checkInterval)
}

func (h *LinkHealth) forgetDoubts() { h.Doubts, h.DeadDays, h.LastDead, h.BrokenAt = 0, 0, 0, 0 }

func sameDay(a, b Time) bool {
	return a.Time().UTC().Truncate(day).Equal(b.Time().UTC().Truncate(day))
}
