package web

import (
	"errors"
	"net/http"
	"net/url"

	"waymark/internal/waymark"
)

// saved returns the query string that is saved for a query: its conditions and its order.
func (q linksQuery) saved() string {
	q.View = ""
	return q.encode()
}

// searchCounts returns the number of links that each saved search finds, or -1 if it is not
// known.
func (v *visit) searchCounts(searches []waymark.SavedSearch) ([]int, error) {
	filters := make([]waymark.LinkFilter, len(searches))
	for i, search := range searches {
		values, err := url.ParseQuery(search.Query)
		if err != nil {
			return nil, err
		}
		if filters[i], err = v.filterOf(linksQueryOf(values)); err != nil {
			return nil, err
		}
	}
	return v.Store.CountLinks(v.ctx(), v.user.ID, filters)
}

// filterOf returns the filter of a query, without the names of its lists and tags.
func (v *visit) filterOf(q linksQuery) (waymark.LinkFilter, error) {
	without := q
	without.Lists, without.Tags = nil, nil
	s, err := v.selection(without)
	if errors.Is(err, waymark.ErrNotFound) { // the user whose links they are is gone
		return waymark.LinkFilter{Owner: -1}, nil
	}
	for _, id := range q.Lists {
		s.filter.Lists = append(s.filter.Lists, waymark.Ref{ID: id})
	}
	for _, id := range q.Tags {
		s.filter.Tags = append(s.filter.Tags, waymark.Ref{ID: id})
	}
	s.filter.AllLists, s.filter.AllTags = len(q.Lists) == 0, len(q.Tags) == 0
	return s.filter, err
}

// savedSearch returns the saved search that the page shows, or nil.
func (v *visit) savedSearch(q linksQuery) (*waymark.SavedSearch, error) {
	searches, err := v.Store.SavedSearches(v.ctx(), v.user.ID)
	if err != nil {
		return nil, err
	}
	for _, search := range searches {
		if search.Query == q.saved() {
			return &search, nil
		}
	}
	return nil, nil
}

// addSearch saves the search of a page under a name.
func (v *visit) addSearch() error {
	if err := v.parseForm(); err != nil {
		return err
	}
	values, err := url.ParseQuery(v.field("query"))
	if err != nil {
		return pageError{http.StatusBadRequest}
	}
	name, query := v.field("name"), linksQueryOf(values).saved()
	if _, err := v.Service.AddSavedSearch(v.ctx(), v.user, waymark.SavedSearchInput{Name: &name, Query: &query}); err != nil {
		return v.searchProblem(err, "/links?"+query)
	}
	return v.changed("/links?"+query, toast{Text: v.t("searches.saved", "name", name)})
}

// renameSearch gives a saved search another name.
func (v *visit) renameSearch() error {
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
		return v.searchProblem(err, v.back("/links"))
	}
	return v.changed("/links?"+search.Query, toast{Text: v.t("searches.renamed", "name", search.Name)})
}

// deleteSearch deletes a saved search. Its links stay.
func (v *visit) deleteSearch() error {
	id, err := pathID[waymark.SavedSearchID](v)
	if err != nil {
		return err
	}
	if err := v.Service.DeleteSavedSearch(v.ctx(), v.user, id); err != nil {
		return err
	}
	return v.changed(v.back("/links"), toast{Text: v.t("searches.deleted")})
}

// searchProblem shows what is wrong with a saved search on the page that it is about.
func (v *visit) searchProblem(err error, path string) error {
	problems, err := v.problemsOf(err, v.field)
	if err != nil {
		return err
	}
	return v.changed(path, toast{Text: problems[0].Text})
}
