package api

import (
	"context"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
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
	return writeJSON(w, response, nil)
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
	return writeEntity(a, w, r, &link, newLinkJSON, actionError(err))
}

// movedHostResponse is the JSON of a host from which pages have moved. LinkAce has no such operation.
type movedHostResponse struct {
	Host  string               `json:"host"`
	Links int                  `json:"links"`
	Move  movedExampleResponse `json:"example"`
}

type movedExampleResponse struct {
	URL    string `json:"url"`
	NewURL string `json:"new_url"`
}

// acceptedResponse says how many links of a host were changed, and how many were not.
type acceptedResponse struct {
	Changed int `json:"changed"`
	Kept    int `json:"kept"`
}

// listMovedHosts writes the hosts from which pages of the user's own links have moved.
func (a *API) listMovedHosts(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	hosts, err := a.Store.MovedHosts(r.Context(), user.ID)
	if err != nil {
		return err
	}
	response := make([]movedHostResponse, len(hosts))
	for i, h := range hosts {
		response[i] = movedHostResponse{Host: h.Host, Links: h.Links, Move: movedExampleResponse{URL: h.From, NewURL: h.To}}
	}
	return writeJSON(w, response, nil)
}

// acceptMovedHost gives the user's own links of a host the URLs to which their pages have moved.
func (a *API) acceptMovedHost(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body struct {
		Host text `json:"host"`
	}
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	host := body.Host.orEmpty()
	wrong.require("host", host != "")
	if err := wrong.err(); err != nil {
		return err
	}
	var accepted store.AcceptedMoves
	err := a.withUndo(w, r, user, true, func(ctx context.Context, s *service.Service) (err error) {
		accepted, err = s.AcceptMoves(ctx, user, host, waymark.MaxBulk)
		return err
	})
	return writeJSON(w, acceptedResponse{Changed: accepted.Changed, Kept: accepted.Kept}, err)
}
