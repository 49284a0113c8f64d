package api

import (
	"net/http"

	"waymark/internal/waymark"
)

// Saved searches are no part of LinkAce's API.

func (a *API) listSavedSearches(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	searches, err := a.store.SavedSearches(r.Context(), user.ID)
	if err != nil {
		return err
	}
	return writeArray(a, w, r, appendSavedSearch)(len(searches), func(yield func(waymark.SavedSearch, error) bool) {
		for _, search := range searches {
			if !yield(search, nil) {
				return
			}
		}
	})
}

func (a *API) addSavedSearch(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	body := a.readBody(w, r, a.settings.BodyLimit)
	if body.malformed != nil {
		return body.malformed
	}
	in := body.savedSearchInput()
	search, err := a.service.AddSavedSearch(r.Context(), user, in)
	if err != nil {
		return err
	}
	return writeEntity(a, w, r, &search, appendSavedSearch)
}

func (a *API) editSavedSearch(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	id, err := pathID[waymark.SavedSearchID](r)
	if err != nil {
		return err
	}
	body := a.readBody(w, r, a.settings.BodyLimit)
	search, err := a.service.EditSavedSearch(r.Context(), user, id, body.savedSearchInput())
	if err != nil {
		return err
	}
	return writeEntity(a, w, r, &search, appendSavedSearch)
}

func (a *API) deleteSavedSearch(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return deleteEntity(w, r, user, a.service.DeleteSavedSearch)
}

// savedSearchInput decodes the fields of a saved search.
func (b *jsonBody) savedSearchInput() waymark.SavedSearchInput {
	in := waymark.SavedSearchInput{Name: b.text("name"), Query: b.text("query")}
	in.DecodeErr = b.err()
	return in
}

func appendSavedSearch(b []byte, _ *encoder, s *waymark.SavedSearch) []byte {
	b = appendID(append(b, `{"id":`...), s.ID)
	b = appendID(append(b, `,"user_id":`...), s.Owner)
	b = appendString(append(b, `,"name":`...), s.Name)
	b = appendString(append(b, `,"query":`...), s.Query)
	return append(appendTime(append(b, `,"created_at":`...), s.CreatedAt), '}')
}
