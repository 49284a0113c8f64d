package api

import (
	"context"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// checksResponse is the JSON of the results of link checks. LinkAce has no such operation.
type checksResponse struct {
	Result      *string         `json:"result"`
	Reason      *string         `json:"reason"`
	Code        *int            `json:"code"`
	NewURL      *string         `json:"new_url"`
	ArchiveURL  *string         `json:"archive_url"`
	CheckedAt   *string         `json:"checked_at"`
	NextCheckAt *string         `json:"next_check_at"`
	DeadDays    int             `json:"dead_days"`
	Checks      []checkResponse `json:"checks"`
}

type checkResponse struct {
	At     string `json:"at"`
	Result string `json:"result"`
	Code   *int   `json:"code"`
}

// writeChecks writes the results of the checks of a link.
func (a *API) writeChecks(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	link, err := a.Store.Link(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	checks, err := a.Store.Queue.LinkChecks(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	response := checksResponse{
		Result: optional(checks.Result.String()), Reason: optional(checks.Reason), Code: optional(checks.Code),
		NewURL: optional(checks.NewURL), CheckedAt: optionalTime(checks.At),
		DeadDays: checks.DeadDays, Checks: make([]checkResponse, len(checks.Checks)),
	}
	if !link.CheckDisabled {
		response.NextCheckAt = optionalTime(checks.DueAt)
	}
	if checks.Result == waymark.CheckDead {
		response.ArchiveURL = optional(link.WaybackURL())
	}
	for i, v := range checks.Checks {
		response.Checks[i] = checkResponse{At: v.At.String(), Result: v.Result.String(), Code: optional(v.Code)}
	}
	return writeJSON(w, response)
}

func (a *API) checkLinkNow(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	if err := a.Crawler.CheckNow(r.Context(), user, id, !prefersAsync(r)); err != nil {
		return actionError(err)
	}
	return a.writeChecks(w, r, user, id)
}

// confirmLink records that the page of a link exists.
func (a *API) confirmLink(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	if err := a.Crawler.ConfirmLink(r.Context(), user, id); err != nil {
		return err
	}
	return a.writeChecks(w, r, user, id)
}

// acceptNewURL replaces the URL of a link with the URL to which its page has moved.
func (a *API) acceptNewURL(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	var link waymark.Link
	err := a.withUndo(w, r, user, false, func(ctx context.Context, s *service.Service) (err error) {
		link, err = s.AcceptMove(ctx, user, id)
		return err
	})
	if err != nil {
		return actionError(err)
	}
	return writeEntity(a, w, r, &link, newLinkJSON)
}
