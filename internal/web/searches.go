package web

import (
	"errors"
	"slices"

	"waymark/internal/waymark"
)

// saved returns the query string that is saved for a query: its conditions and its order.
func (q linksQuery) saved() string {
	q.View = ""
	return q.Encode()
}

// savedQuery returns the query of a saved search, which an API client may have written in another form
// than saved.
func savedQuery(search waymark.SavedSearch) linksQuery {
	q := linksQueryOf(parseQuery(search.Query))
	q.View = ""
	return q
}

// searchCounts returns the number of links that each saved search finds, or -1 if it is not
// known.
func searchCounts(v *visit, searches []waymark.SavedSearch) ([]int, error) {
	queries := make([]linksQuery, len(searches))
	for i, search := range searches {
		queries[i] = savedQuery(search)
	}
	labels, err := labelsOf(v, queries...)
	if err != nil {
		return nil, err
	}
	filters := make([]waymark.LinkFilter, len(queries))
	for i, q := range queries {
		s, err := selectionWith(v, q, labels)
		switch {
		case errors.Is(err, waymark.ErrNotFound): // a list, a tag or the owner is gone
			s.filter = waymark.LinkFilter{Owner: noUser}
		case err != nil:
			return nil, err
		}
		filters[i] = s.filter
	}
	return v.Store.CountLinks(v.ctx(), v.user.ID, filters)
}

// savedSearch returns the saved search that the page shows, or nil.
func savedSearch(v *visit, q linksQuery) (*waymark.SavedSearch, error) {
	searches, err := v.Store.SavedSearches(v.ctx(), v.user.ID)
	if err != nil {
		return nil, err
	}
	for _, search := range searches {
		if savedQuery(search).saved() == q.saved() {
			return &search, nil
		}
	}
	return nil, nil
}

// addSearch saves the search of a page under a name.
func addSearch(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	// Undo has the parameters in the address.
	name, query := v.fieldOrParameter("name"), linksQueryOf(parseQuery(v.fieldOrParameter("query"))).saved()
	if _, err := v.Service.AddSavedSearch(v.ctx(), v.user, waymark.SavedSearchInput{Name: &name, Query: &query}); err != nil {
		return shortProblem(v, err, "/links?"+query)
	}
	return v.changed("/links?"+query, toast{Text: v.t("searches.saved", "name", cut(name, maxQuoted))})
}

// renameSearch gives a saved search another name.
func renameSearch(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	id, err := pathID[waymark.SavedSearchID](v)
	if err != nil {
		return err
	}
	name := v.field("name")
	search, err := v.Service.EditSavedSearch(v.ctx(), v.user, id, waymark.SavedSearchInput{Name: &name})
	if err != nil {
		return shortProblem(v, err, v.back("/links"))
	}
	return v.changed(savedQuery(search).address(), toast{Text: v.t("searches.renamed", "name", cut(search.Name, maxQuoted))})
}

// deleteSearch deletes a saved search, but not its links. The undo saves the search again.
func deleteSearch(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	id, err := pathID[waymark.SavedSearchID](v)
	if err != nil {
		return err
	}
	searches, err := v.Store.SavedSearches(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(searches, func(s waymark.SavedSearch) bool { return s.ID == id })
	if at < 0 {
		return waymark.ErrNotFound
	}
	search := searches[at]
	if err := v.Service.DeleteSavedSearch(v.ctx(), v.user, id); err != nil {
		return err
	}
	return v.changed(v.back("/links"), toast{
		Text: v.t("searches.deleted", "name", cut(search.Name, maxQuoted)), UndoPath: "/searches?" + queryOf("name", search.Name, "query", search.Query),
	})
}

// shortProblem shows what is wrong with a change on another page, as a message.
func shortProblem(v *visit, err error, path string) error {
	problems, err := v.problemsOf(err, v.field)
	if err != nil {
		return err
	}
	return v.changed(path, toast{Text: problems[0].Text})
}
