package api

import (
	"context"
	"errors"
	"net/http"

	"waymark/internal/fetch/article"
	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// Marked passages are no part of LinkAce's API.

func (a *API) listPassages(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.LinkID) error {
	passages, err := a.Store.PassagesOfLink(r.Context(), user.ID, link)
	if err != nil {
		return err
	}
	all, err := a.passagesJSON(r.Context(), user, link, passages...)
	return writeJSON(w, all, err)
}

func (a *API) addPassage(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.LinkID) error {
	var body passageFields
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	return a.changePassage(w, r, user, wrong, link, func(ctx context.Context, s *service.Service) (waymark.Passage, error) {
		return s.AddPassage(ctx, user, link, body.input())
	})
}

func (a *API) editPassage(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.LinkID) error {
	id, err := rest.PathID[waymark.PassageID](r, "passage_id")
	if err != nil {
		return err
	}
	var body struct {
		Note text `json:"note"`
	}
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	return a.changePassage(w, r, user, wrong, link, func(ctx context.Context, s *service.Service) (waymark.Passage, error) {
		return s.EditPassage(ctx, user, link, id, waymark.PassageInput{Note: body.Note.value})
	})
}

// changePassage runs a use case, and writes the passage that it returns.
func (a *API) changePassage(w http.ResponseWriter, r *http.Request, user waymark.User, wrong *mistakes, link waymark.LinkID, do func(context.Context, *service.Service) (waymark.Passage, error)) error {
	var passage waymark.Passage
	err := a.change(r, user, wrong, fieldPath, func(ctx context.Context, s *service.Service) (err error) {
		passage, err = do(ctx, s)
		return err
	})
	if err != nil {
		return err
	}
	all, err := a.passagesJSON(r.Context(), user, link, passage)
	if err != nil {
		return err
	}
	return writeJSON(w, all[0], nil)
}

func (a *API) deletePassage(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.LinkID) error {
	id, err := rest.PathID[waymark.PassageID](r, "passage_id")
	if err != nil {
		return err
	}
	return writeEmpty(w, a.Service.DeletePassage(r.Context(), user, link, id))
}

// passageFields are the fields of a new passage in requests.
type passageFields struct {
	Exact  text `json:"exact"`
	Prefix text `json:"prefix"`
	Suffix text `json:"suffix"`
	Note   text `json:"note"`
}

func (f *passageFields) input() waymark.PassageInput {
	return waymark.PassageInput{Quote: waymark.Quote{Exact: f.Exact.orEmpty(), Prefix: f.Prefix.orEmpty(), Suffix: f.Suffix.orEmpty()}, Note: f.Note.value}
}

type passageJSON struct {
	ID        waymark.PassageID `json:"id"`
	LinkID    waymark.LinkID    `json:"link_id"`
	Exact     string            `json:"exact"`
	Prefix    string            `json:"prefix"`
	Suffix    string            `json:"suffix"`
	Note      string            `json:"note"`
	Found     bool              `json:"found"`
	CreatedAt string            `json:"created_at"`
	UpdatedAt string            `json:"updated_at"`
}

// passagesJSON returns passages of a link in the order of its text.
func (a *API) passagesJSON(ctx context.Context, user waymark.User, link waymark.LinkID, passages ...waymark.Passage) ([]passageJSON, error) {
	_, html, err := a.Store.Snapshots.TextHTML(ctx, user.ID, link)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return nil, err
	}
	all := []passageJSON{} // not null
	for _, p := range article.Place(html, passages) {
		all = append(all, passageJSON{
			ID: p.ID, LinkID: p.Link, Exact: p.Exact, Prefix: p.Prefix, Suffix: p.Suffix, Note: p.Note, Found: p.Found,
			CreatedAt: p.CreatedAt.String(), UpdatedAt: p.UpdatedAt.String(),
		})
	}
	return all, nil
}
