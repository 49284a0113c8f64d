package api

import (
	"context"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

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
	return writeJSON(w, response)
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
	if err != nil {
		return err
	}
	return writeJSON(w, acceptedResponse{Changed: accepted.Changed, Kept: accepted.Kept})
}
