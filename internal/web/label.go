package web

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// labelPage is the data of the page of one list or tag: its links.
type labelPage struct {
	Kind        string // lists or tags
	ID          int64
	Name        string
	Hue         int
	Description template.HTML
	Visibility  string
	Owner       string // "" if it is the user
	Mine        bool
	Pinned      bool
	Above       []waymark.ListName // in which the list stands
	Sublists    []labelView        // the first ones

	SublistCount int
	Direct       bool // without the links of the sublists
	Here, Below  int  // links in the list, and others in its sublists
	Links        linksPage
	Tabs         []flagTab // none if no link has a flag
	Feed         feedLink
	Public       *publicPage
}

// How many sublists the page of a list has, and how many it shows at once.
const (
	maxSublists      = 100
	maxFirstSublists = 12
)

// FirstSublists are the sublists that the page shows at once.
func (p labelPage) FirstSublists() []labelView {
	return p.Sublists[:min(len(p.Sublists), maxFirstSublists)]
}

// OtherSublists are shown when people ask for more.
func (p labelPage) OtherSublists() []labelView { return p.Sublists[len(p.FirstSublists()):] }

// MoreSublists is the number of sublists that the page does not show at once.
func (p labelPage) MoreSublists() int { return p.SublistCount - len(p.FirstSublists()) }

func (p labelPage) PageTitle() string { return p.Name }

// Files returns the fields of a form for a new link with the list or tag, if it is the user's own.
func (p labelPage) Files() url.Values {
	if !p.Mine {
		return url.Values{"outside": {p.Name}}
	}
	return url.Values{p.Kind: {p.Name}, "back": {p.Links.Path}}
}

// Describe describes the page to other programs.
func (p labelPage) Describe() page.Description { return p.Feed.describe(p.Name) }

// labelView is a list or a tag on the page with all of them.
type labelView struct {
	nameView
	Description string
	Count       int
	Owner       string // "" if it is the user
	Mine        bool
	Above       string // the names of the lists in which it stands
}

// pathOf returns the names of the lists in which a list stands.
func pathOf(list waymark.List) string {
	names := waymark.Map(list.Path, func(above waymark.ListName) string { return above.Name })
	return strings.Join(names, " › ")
}

// renderLabel sends the page of a list or tag. Its query selects the links with it.
func renderLabel(r *page.Request, p labelPage, path string, owner waymark.UserID, q linksQuery) error {
	owners, err := otherOwners(r, []waymark.UserID{owner})
	if err != nil {
		return err
	}
	p.Owner = owners[owner]
	if p.Links, err = linksPageAt(r, path, q); err != nil {
		return err
	}
	if last := p.Links.Pager.BeyondEnd(); last != "" {
		return r.Redirect(last)
	}
	if p.Tabs, err = flagTabs(r, path, p.Kind, q); err != nil {
		return err
	}
	guests := ""
	if p.Visibility == waymark.Public.String() && r.Config.GuestPages {
		guests = "/guest" + path + "/feed"
	}
	if p.Feed, err = makeFeedLink(r, path+"/feed", nil, guests); err != nil {
		return err
	}
	if p.Public, err = newPublicLabel(r, p); err != nil {
		return err
	}
	p.Links.Chips = nil // the heading says it
	p.Links.Saved, p.Links.Changed = nil, nil
	return r.Render("label", p)
}

// newPublicLabel returns what the owner of the page of a public list or tag learns about its page for
// guests, nil if guests do not see it, or if it is not known how many links they see.
func newPublicLabel(r *page.Request, p labelPage) (*publicPage, error) {
	if !p.Mine || !r.Config.GuestPages || p.Visibility != waymark.Public.String() {
		return nil, nil
	}
	labeled := waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{ID: p.ID}}}
	q := linksQuery{Tags: []int64{p.ID}}
	if p.Kind == "lists" {
		labeled.Kind = waymark.Lists
		q = linksQuery{Lists: []int64{p.ID}}
	}
	own, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{
		{Where: labeled}, {Where: waymark.And{labeled, waymark.IsMine, waymark.IsInternal}}, {Where: waymark.And{labeled, waymark.IsMine, waymark.IsPrivate}},
	})
	if err != nil {
		return nil, err
	}
	seen, err := r.Store.CountLinks(r.Context(), waymark.Guest, []waymark.LinkFilter{{Where: labeled}})
	if err != nil || seen[0] < 0 || own[0] < 0 {
		return nil, err
	}
	switch {
	case own[1] == 0:
		q.Visibility = waymark.Private.String()
	case own[2] == 0:
		q.Visibility = waymark.Internal.String()
	}
	guests := "/guest" + p.Links.Path
	return &publicPage{Back: p.Links.Path, Path: guests, URL: r.AbsoluteURL(guests), Total: own[0], Seen: seen[0], Hidden: own[1] + own[2], Selection: q.Encode()}, nil
}

// flagTab leads to the links of a list or tag that have a flag, or to all of them.
type flagTab struct {
	Path    string
	Name    string
	Count   int
	Current bool
}

// flagTabs returns the tabs on the page of a list or tag with the query q: all links, and each flag that
// some links have. There are none if no link has a flag.
func flagTabs(r *page.Request, path, kind string, q linksQuery) ([]flagTab, error) {
	all := q
	all.States = slices.DeleteFunc(slices.Clone(q.States), func(name string) bool { return flagHeadings[name] != "" })
	s, err := newSelection(r, all)
	if err != nil {
		return nil, err
	}
	filters := []waymark.LinkFilter{s.filter}
	names, states := []string{"unread", "favorite", "archived"}, []waymark.Condition{waymark.IsUnread, waymark.IsFavorite, waymark.IsArchived}
	for _, state := range states {
		f := s.filter
		f.Where = waymark.AndOf(f.Where, state)
		filters = append(filters, f)
	}
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, filters)
	if err != nil {
		return nil, err
	}
	if kind == "lists" { // the path says it
		all.Lists = nil
	} else {
		all.Tags = nil
	}
	tabs := []flagTab{{page.JoinQuery(path, all.Encode()), r.T("flags.all"), counts[0], slices.Equal(q.States, all.States)}}
	for i, name := range names {
		flagged := all.withState(name, true)
		current := slices.Equal(q.States, flagged.States)
		if counts[i+1] > 0 || current {
			tabs = append(tabs, flagTab{page.JoinQuery(path, flagged.Encode()), r.T(flagHeadings[name]), counts[i+1], current})
		}
	}
	if len(tabs) == 1 && tabs[0].Current {
		return nil, nil
	}
	return tabs, nil
}
