package web

import (
	"slices"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// saved returns the query string that is saved for a query: its conditions and its order.
func (q linksQuery) saved() string {
	q.View = ""
	return q.Encode()
}

// savedQuery returns the query of a saved search, which an API client may have written in another form
// than saved.
func savedQuery(search waymark.SavedSearch) linksQuery {
	q := linksQueryOf(page.ParseQuery(search.Query))
	q.View = ""
	return q
}

// searchCounts returns the number of links that each saved search finds, or -1 if it is not
// known.
func searchCounts(r *page.Request, searches []waymark.SavedSearch) ([]int, error) {
	queries := make([]linksQuery, len(searches))
	for i, search := range searches {
		queries[i] = savedQuery(search)
	}
	labels, err := labelsOf(r, queries...)
	if err != nil {
		return nil, err
	}
	filters := make([]waymark.LinkFilter, len(queries))
	for i, q := range queries {
		filters[i] = selectionWith(r, q, labels).filter
	}
	return r.Store.CountLinks(r.Context(), r.User.ID, filters)
}

// saved returns the query string that is saved for the query of a selection: with the ids of lists and
// tags.
func (s selection) saved(q linksQuery) string {
	q.Text = query.Print(query.NotAlso(s.text, q.also()))
	return q.saved()
}

// savedSearch returns the saved search with a query string, or nil.
func savedSearch(r *page.Request, saved string) (*waymark.SavedSearch, error) {
	searches, err := r.Store.Accounts.SavedSearches(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	queries := make([]linksQuery, len(searches))
	for i, search := range searches {
		queries[i] = savedQuery(search)
	}
	labels, err := labelsOf(r, queries...)
	if err != nil {
		return nil, err
	}
	for i, q := range queries {
		if selectionWith(r, q, labels).saved(q) == saved {
			return &searches[i], nil
		}
	}
	return nil, nil
}

// addSearch saves the search of a page under a name.
func addSearch(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	// Undo has the parameters in the URL.
	name, saved := r.FieldOrParameter("name"), linksQueryOf(page.ParseQuery(r.FieldOrParameter("query"))).saved()
	search, err := r.Service.AddSavedSearch(r.Context(), r.User, waymark.SavedSearchInput{Name: &name, Query: &saved, InLists: new(r.FieldOrParameter("in-lists") == "1")})
	if err != nil {
		return shortProblem(r, err, "/links?"+saved)
	}
	return r.Changed(savedQuery(search).path(), page.Toast{Text: r.T("searches.saved", "name", cut(name, maxQuoted))})
}

// renameSearch gives a saved search another name.
func renameSearch(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	id, err := page.PathID[waymark.SavedSearchID](r)
	if err != nil {
		return err
	}
	name := r.Field("name")
	search, err := r.Service.EditSavedSearch(r.Context(), r.User, id, waymark.SavedSearchInput{Name: &name, InLists: new(r.Field("in-lists") == "1")})
	if err != nil {
		return shortProblem(r, err, r.Back(r.LinksPath()))
	}
	return r.Changed(savedQuery(search).path(), page.Toast{Text: r.T("searches.renamed", "name", cut(search.Name, maxQuoted))})
}

// deleteSearch deletes a saved search, but not its links. The undo saves the search again.
func deleteSearch(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	id, err := page.PathID[waymark.SavedSearchID](r)
	if err != nil {
		return err
	}
	searches, err := r.Store.Accounts.SavedSearches(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(searches, func(s waymark.SavedSearch) bool { return s.ID == id })
	if at < 0 {
		return waymark.ErrNotFound
	}
	search := searches[at]
	if err := r.Store.Accounts.DeleteSavedSearch(r.Context(), r.User.ID, id); err != nil {
		return err
	}
	return r.Changed(r.Back(r.LinksPath()), page.Toast{
		Text: r.T("searches.deleted", "name", cut(search.Name, maxQuoted)), UndoPath: "/searches?" + page.QueryOf("name", search.Name, "query", search.Query, "in-lists", map[bool]string{true: "1"}[search.InLists]),
	})
}
