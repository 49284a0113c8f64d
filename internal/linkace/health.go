package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

// healthResponse is the JSON of what visits have found about a link. LinkAce has no such operation.
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

// optional returns nil for the zero value.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func optionalTime(t waymark.Time) *string {
	if t == 0 {
		return nil
	}
	return optional(t.String())
}
