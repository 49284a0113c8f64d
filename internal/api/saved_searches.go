package api

import (
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/query"
	"waymark/internal/waymark"
)

// Saved searches are no part of LinkAce's API.

func (a *API) listSavedSearches(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	searches, err := a.Store.Accounts.SavedSearches(r.Context(), user.ID)
	if err != nil {
		return err
	}
	all := waymark.Map(searches, func(e waymark.SavedSearch) savedSearchJSON { return newSavedSearchJSON("", &e) })
	return httpx.WriteJSON(w, http.StatusOK, all)
}

func (a *API) deleteSavedSearch(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.SavedSearchID) error {
	return writeEmpty(w, a.Store.Accounts.DeleteSavedSearch(r.Context(), user.ID, id))
}

// savedSearchFields are the fields of a saved search in requests.
type savedSearchFields struct {
	Name    text      `json:"name"`
	Query   queryText `json:"query"`
	Order   text      `json:"order"`
	InLists boolean   `json:"in_lists"`
	Public  boolean   `json:"public"`
}

func (f *savedSearchFields) input() waymark.SavedSearchInput {
	return waymark.SavedSearchInput{Name: f.Name.value, Query: f.Query.value, Order: f.Order.value, InLists: f.InLists.value, Public: f.Public.value}
}

// queryText is a query that can be read. A program must not save another search than it means, which guests may see.
type queryText struct{ text }

func (t *queryText) UnmarshalJSON(raw []byte) error {
	if err := t.text.UnmarshalJSON(raw); err != nil {
		return err
	}
	if _, problems := query.Parse(query.SavedText(*t.value)); len(problems) > 0 {
		return problems[0]
	}
	return nil
}

type savedSearchJSON struct {
	ID        waymark.SavedSearchID `json:"id"`
	UserID    waymark.UserID        `json:"user_id"`
	Name      string                `json:"name"`
	Query     string                `json:"query"`
	Order     string                `json:"order"`
	InLists   bool                  `json:"in_lists"`
	Public    bool                  `json:"public"`
	CreatedAt *string               `json:"created_at"`
}

func newSavedSearchJSON(_ string, s *waymark.SavedSearch) savedSearchJSON {
	return savedSearchJSON{ID: s.ID, UserID: s.Owner, Name: s.Name, Query: s.Query, Order: s.Order, InLists: s.InLists, Public: s.Public, CreatedAt: optionalTime(s.CreatedAt)}
}
