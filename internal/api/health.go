package api

import (
	"errors"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// healthResponse is the JSON of the results of link checks. LinkAce has no such operation.
type healthResponse struct {
	Verdict     *string         `json:"verdict"`
	Reason      *string         `json:"reason"`
	Code        *int            `json:"code"`
	NewURL      *string         `json:"new_url"`
	ArchiveURL  *string         `json:"archive_url"`
	CheckedAt   *string         `json:"checked_at"`
	NextCheckAt *string         `json:"next_check_at"`
	DeadDays    int             `json:"dead_days"`
	Visits      []visitResponse `json:"visits"`
}

type visitResponse struct {
	At      string `json:"at"`
	Verdict string `json:"verdict"`
	Code    *int   `json:"code"`
}

func (a *API) getLinkHealth(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	id, err := pathID[waymark.LinkID](r)
	if err != nil {
		return err
	}
	return a.writeHealth(w, r, user, id)
}

// writeHealth writes the results of the checks of a link.
func (a *API) writeHealth(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	link, err := a.store.Link(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	health, err := a.store.LinkHealth(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	response := healthResponse{
		Verdict: optional(health.Verdict.String()), Reason: optional(health.Reason), Code: optional(health.Code),
		NewURL: optional(health.Address), CheckedAt: optionalTime(health.At),
		DeadDays: health.DeadDays, Visits: make([]visitResponse, len(health.Visits)),
	}
	if !link.CheckDisabled {
		response.NextCheckAt = optionalTime(health.DueAt)
	}
	if health.Verdict == waymark.VerdictDead {
		response.ArchiveURL = optional(link.WaybackURL())
	}
	for i, v := range health.Visits {
		response.Visits[i] = visitResponse{At: v.At.String(), Verdict: v.Verdict.String(), Code: optional(v.Code)}
	}
	return writeJSON(w, response)
}

// checkLinkNow visits a link now.
func (a *API) checkLinkNow(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	id, err := pathID[waymark.LinkID](r)
	if err != nil {
		return err
	}
	if err := a.service.CheckNow(r.Context(), user, id, !prefersAsync(r)); err != nil {
		return actionError(err)
	}
	return a.writeHealth(w, r, user, id)
}

// confirmLink records that the page of a link exists.
func (a *API) confirmLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	id, err := pathID[waymark.LinkID](r)
	if err != nil {
		return err
	}
	if err := a.service.ConfirmLink(r.Context(), user, id); err != nil {
		return err
	}
	return a.writeHealth(w, r, user, id)
}

// acceptNewURL replaces the URL of a link with the URL to which its page has moved.
func (a *API) acceptNewURL(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	id, err := pathID[waymark.LinkID](r)
	if err != nil {
		return err
	}
	link, err := a.service.AcceptMove(r.Context(), user, id)
	if err != nil {
		return actionError(err)
	}
	return a.writeLink(w, r, &link)
}

// actionErrors are the messages for fetches, checks and moves that are not possible.
var actionErrors = map[error]string{
	service.ErrNoPages:    "This server does not fetch pages.",
	service.ErrNoChecks:   "This server does not check links.",
	service.ErrNotChecked: "This link is not checked: its check_disabled is set.",
	service.ErrChecksOff:  "You have turned off that links are checked.",
	service.ErrNotMoved:   "No new URL of this link is known.",
}

// actionError returns the statusError for an error in actionErrors, and other errors unchanged.
func actionError(err error) error {
	for known, message := range actionErrors {
		if errors.Is(err, known) {
			return statusError{http.StatusConflict, message}
		}
	}
	return err
}
