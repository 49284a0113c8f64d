package web

import (
	"fmt"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// saved returns the query string that is saved for a query: its conditions and its order.
func (q linksQuery) saved() string {
	q.View, q.Saved = "", 0
	return q.Encode()
}

// savedQuery returns the query of a saved search, which an API client may have written in another form
// than saved.
func savedQuery(search waymark.SavedSearch) linksQuery {
	q := linksQueryOf(page.ParseQuery(search.Query))
	q.View, q.Saved = "", int64(search.ID)
	return q
}

// searchEntries returns the entries of the sidebar for the saved searches of the user that stand among the
// lists, which bundles do, too, and for the others.
func searchEntries(r *page.Request, searches []waymark.SavedSearch, bundles []waymark.Bundle) (smart, others []page.SidebarEntry, err error) {
	var queries []linksQuery
	for _, search := range searches {
		queries = append(queries, savedQuery(search))
	}
	for _, bundle := range bundles {
		queries = append(queries, linksQuery{Text: query.Print(bundle.Where())})
	}
	if len(queries) == 0 {
		return nil, nil, nil
	}
	counts, err := countQueries(r, queries)
	if err != nil {
		return nil, nil, err
	}
	shown := linksQueryOf(page.ParseQuery(r.Shown().RawQuery))
	for i, q := range queries {
		entry := page.SidebarEntry{Path: q.path(), Icon: "text-search", Count: counts[i]}
		entry.Current = r.Shown().Path == "/links" && (q.saved() == shown.saved() || q.Saved != 0 && q.Saved == shown.Saved)
		switch {
		case i >= len(searches):
			entry.Name = bundles[i-len(searches)].Name
			smart = append(smart, entry)
		case searches[i].InLists:
			entry.Name = searches[i].Name
			smart = append(smart, entry)
		default:
			entry.Name, entry.Icon = searches[i].Name, "search"
			others = append(others, entry)
		}
	}
	return smart, others, nil
}

// countQueries returns the number of links that each query finds, or -1 if it is not known.
func countQueries(r *page.Request, queries []linksQuery) ([]int, error) {
	labels, err := labelsOf(r, queries...)
	if err != nil {
		return nil, err
	}
	filters := waymark.Map(queries, func(q linksQuery) waymark.LinkFilter { return selectionWith(r, q, labels).filter })
	return r.Store.CountSearches(r.Context(), r.User.ID, filters)
}

// saved returns the query string that is saved for the query of a selection: with the ids of lists and
// tags.
func (s selection) saved(q linksQuery) string {
	q.Text = query.Print(query.NotAlso(s.text, q.also()))
	return q.saved()
}

// findSaved returns the saved search that a page with a query shows, nil if it shows none. Otherwise it
// returns the search with which the page began, nil for none.
func findSaved(r *page.Request, q linksQuery, s selection) (same, began *waymark.SavedSearch, err error) {
	searches, err := r.Store.Accounts.SavedSearches(r.Context(), r.User.ID)
	if err != nil {
		return nil, nil, err
	}
	queries := waymark.Map(searches, savedQuery)
	labels, err := labelsOf(r, queries...)
	if err != nil {
		return nil, nil, err
	}
	shown := s.saved(q)
	for i, saved := range queries {
		isSame := selectionWith(r, saved, labels).saved(saved) == shown
		if saved.Saved == q.Saved {
			began = &searches[i]
		}
		if isSame && (same == nil || began == &searches[i]) {
			same = &searches[i]
		}
	}
	if same != nil {
		began = nil
	}
	return same, began, nil
}

// showSearch leads to the links of a saved search.
func showSearch(r *page.Request, search waymark.SavedSearch) error {
	return r.Redirect(savedQuery(search).path())
}

// searchInPath returns the saved search in the path.
func searchInPath(r *page.Request) (waymark.SavedSearch, error) {
	return entityInPath(r, r.Store.Accounts.SavedSearch)
}

// linksOfSearch returns what a saved search selects for its owner. A guest sees only the public ones of
// these links.
func linksOfSearch(r *page.Request, search waymark.SavedSearch) (waymark.LinkFilter, error) {
	q := savedQuery(search)
	labels, err := labelsFor(r, search.Owner, q)
	if err != nil {
		return waymark.LinkFilter{}, err
	}
	filter := selectionWith(r, q, labels).filter
	filter.As = search.Owner
	return filter, nil
}

// publicSearch returns what the owner of a saved search learns about its page for guests, nil if it is not
// known how many of the links they see.
func publicSearch(r *page.Request, search waymark.SavedSearch, path string, total int) (*publicPage, error) {
	filter, err := linksOfSearch(r, search)
	if err != nil {
		return nil, err
	}
	seen, err := r.Store.CountLinks(r.Context(), waymark.Guest, []waymark.LinkFilter{filter})
	if err != nil || seen[0] < 0 {
		return nil, err
	}
	return &publicPage{Path: path, URL: r.AbsoluteURL(path), Total: total, Seen: seen[0]}, nil
}

// addSearch saves the search of a page under a name.
func addSearch(r *page.Request) error {
	// Undo has the parameters in the URL.
	name, saved := r.FieldOrParameter("name"), linksQueryOf(page.ParseQuery(r.FieldOrParameter("query"))).saved()
	search, err := r.Service.AddSavedSearch(r.Context(), r.User, waymark.SavedSearchInput{
		Name: &name, Query: &saved, InLists: new(r.FieldOrParameter("in-lists") == "1"), Public: new(r.FieldOrParameter("public") == "1"),
	})
	if err != nil {
		return r.NotChanged("/links?"+saved, err)
	}
	return r.Changed(savedQuery(search).path(), page.Toast{
		Text: r.T("searches.saved", "name", page.Quoted(name)), UndoPath: searchPathOf(search.ID) + "/delete",
	})
}

// searchPathOf returns the path of a saved search.
func searchPathOf(id waymark.SavedSearchID) string { return fmt.Sprintf("/searches/%d", id) }

// editSearch changes the query of a saved search, or its name, its place and whether guests see it.
func editSearch(r *page.Request, before waymark.SavedSearch) error {
	name := r.Field("name")
	in := waymark.SavedSearchInput{Name: &name, InLists: new(r.Field("in-lists") == "1"), Public: new(r.Field("public") == "1")}
	toast := page.Toast{}
	if changed := r.FieldOrParameter("query"); changed != "" { // undo has it in the URL
		in = waymark.SavedSearchInput{Query: new(linksQueryOf(page.ParseQuery(changed)).saved())}
		toast.UndoPath = searchPathOf(before.ID) + "?" + page.QueryOf("query", before.Query)
	}
	search, err := r.Service.EditSavedSearch(r.Context(), r.User, before.ID, in)
	if err != nil {
		return r.NotChanged(r.Back(r.LinksPath()), err)
	}
	toast.Text = r.T("searches.changed", "name", page.Quoted(search.Name))
	return r.Changed(savedQuery(search).path(), toast)
}

// deleteSearch deletes a saved search, but not its links. The undo saves the search again.
func deleteSearch(r *page.Request, search waymark.SavedSearch) error {
	if err := r.Store.Accounts.DeleteSavedSearch(r.Context(), r.User.ID, search.ID); err != nil {
		return err
	}
	undo := page.QueryOf("name", search.Name, "query", search.Query, "in-lists", checkedValue(search.InLists), "public", checkedValue(search.Public))
	return r.Changed(r.Back(r.LinksPath()), page.Toast{Text: r.T("searches.deleted", "name", page.Quoted(search.Name)), UndoPath: "/searches?" + undo})
}
