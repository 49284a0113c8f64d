package web

import (
	"fmt"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// searchEntries returns the entries of the sidebar for the saved searches of the user that stand among the
// lists, which bundles do, too, and for the others.
func searchEntries(r *page.Request, saved []waymark.SavedSearch, bundles []waymark.Bundle) (smart, others []page.SidebarEntry, err error) {
	texts := waymark.Map(saved, func(s waymark.SavedSearch) string { return s.Query })
	for _, bundle := range bundles {
		texts = append(texts, query.Print(bundle.Where()))
	}
	if len(texts) == 0 {
		return nil, nil, nil
	}
	searches, err := readSearches(r, r.Viewer(), texts...)
	if err != nil {
		return nil, nil, err
	}
	counts, err := r.Store.CountSearches(r.Context(), r.User.ID, waymark.Map(searches, func(s search) waymark.LinkFilter { return s.filter(r) }))
	if err != nil {
		return nil, nil, err
	}
	for i, s := range searches {
		entry := page.SidebarEntry{Path: s.path(), Icon: "text-search", Count: counts[i]}
		if i >= len(saved) {
			entry.Name = bundles[i-len(saved)].Name
			smart = append(smart, entry)
			continue
		}
		entry.Path, entry.Name = searchPathOf(saved[i].ID), saved[i].Name
		if saved[i].InLists {
			smart = append(smart, entry)
			continue
		}
		entry.Icon = "search"
		others = append(others, entry)
	}
	return smart, others, nil
}

// showSearch shows the links of a saved search, or of what it has become: the parameters have the changed text.
func showSearch(r *page.Request, saved waymark.SavedSearch) error {
	before, err := savedSearch(r, r.User.ID, saved)
	if err != nil {
		return err
	}
	s := before
	if r.Parameters.Has("q") {
		if s, err = readSearch(r, before.Path, r.Parameters); err != nil {
			return err
		}
	}
	s.show(r.Parameters)
	if changed, ok := edited(s, r.Parameters); ok {
		return r.Redirect(changed.path())
	}
	p, err := newLinksPage(r, s)
	if err != nil {
		return err
	}
	if s.text() == before.text() && s.Order == before.Order {
		p.Saved = &saved
		err = p.publishSaved(r)
	} else {
		p.Changed = &saved
		err = p.publish(r)
	}
	if err != nil {
		return err
	}
	return p.render(r)
}

// publishSaved adds the feed of the saved search, and what guests see of it.
func (p *linksPage) publishSaved(r *page.Request) (err error) {
	guests := ""
	if p.Saved.Public && r.Config.GuestPages {
		guests = "/guest" + p.Path
		filter, err := linksOfSearch(r, *p.Saved)
		if err != nil {
			return err
		}
		seen, err := r.Store.CountLinks(r.Context(), waymark.Guest, []waymark.LinkFilter{filter})
		if err != nil {
			return err
		}
		if seen[0] >= 0 { // else the number is not known
			p.Public = &publicPage{Path: guests, URL: r.AbsoluteURL(guests), Total: p.Pager.Total, Seen: seen[0]}
		}
		guests += "/feed"
	}
	p.Feed, err = makeFeedLink(r, p.Path+"/feed", nil, guests)
	return err
}

// savedSearch reads a saved search, as a viewer sees lists and tags.
func savedSearch(r *page.Request, viewer waymark.UserID, saved waymark.SavedSearch) (search, error) {
	all, err := readSearches(r, viewer, saved.Query)
	s := all[0]
	s.Path, s.Order = searchPathOf(saved.ID), saved.Order
	return s, err
}

func searchInPath(r *page.Request) (waymark.SavedSearch, error) {
	return entityInPath(r, r.Store.Accounts.SavedSearch)
}

// linksOfSearch returns what a saved search selects for its owner. A guest sees only the public ones of
// these links.
func linksOfSearch(r *page.Request, saved waymark.SavedSearch) (waymark.LinkFilter, error) {
	s, err := savedSearch(r, saved.Owner, saved)
	filter := s.filter(r)
	filter.As = saved.Owner
	return filter, err
}

// addSearch saves the search of a page under a name. Undo has the parameters in the URL.
func addSearch(r *page.Request) error {
	name, text, order := r.FieldOrParameter("name"), r.FieldOrParameter("q"), r.FieldOrParameter("order")
	saved, err := r.Service.AddSavedSearch(r.Context(), r.User, waymark.SavedSearchInput{
		Name: &name, Query: &text, Order: &order, InLists: new(r.FieldOrParameter("in-lists") == "1"), Public: new(r.FieldOrParameter("public") == "1"),
	})
	if err != nil {
		return r.NotChanged("/links?"+page.QueryOf("q", text, "order", order), err)
	}
	return r.Changed(searchPathOf(saved.ID), page.Toast{
		Text: r.T("searches.saved", "name", page.Quoted(name)), UndoPath: searchPathOf(saved.ID) + "/delete",
	})
}

func searchPathOf(id waymark.SavedSearchID) string { return fmt.Sprintf("/searches/%d", id) }

// editSearch changes the text of a saved search and its order, or its name, its place and whether guests see it.
func editSearch(r *page.Request, before waymark.SavedSearch) error {
	name := r.Field("name")
	in := waymark.SavedSearchInput{Name: &name, InLists: new(r.Field("in-lists") == "1"), Public: new(r.Field("public") == "1")}
	toast := page.Toast{}
	if changed := r.FieldOrParameter("q"); changed != "" { // undo has it in the URL
		in = waymark.SavedSearchInput{Query: &changed, Order: new(r.FieldOrParameter("order"))}
		toast.UndoPath = searchPathOf(before.ID) + "?" + page.QueryOf("q", before.Query, "order", before.Order)
	}
	saved, err := r.Service.EditSavedSearch(r.Context(), r.User, before.ID, in)
	if err != nil {
		return r.NotChanged(r.Back(searchPathOf(before.ID)), err)
	}
	toast.Text = r.T("searches.changed", "name", page.Quoted(saved.Name))
	return r.Changed(searchPathOf(saved.ID), toast)
}

// deleteSearch deletes a saved search, but not its links. The undo saves the search again.
func deleteSearch(r *page.Request, saved waymark.SavedSearch) error {
	if err := r.Store.Accounts.DeleteSavedSearch(r.Context(), r.User.ID, saved.ID); err != nil {
		return err
	}
	undo := page.QueryOf("name", saved.Name, "q", saved.Query, "order", saved.Order, "in-lists", flagValue(saved.InLists), "public", flagValue(saved.Public))
	return r.Changed(r.LinksPath(), page.Toast{Text: r.T("searches.deleted", "name", page.Quoted(saved.Name)), UndoPath: "/searches?" + undo})
}

func flagValue(ticked bool) string {
	if ticked {
		return "1"
	}
	return ""
}
