package web

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// labelPage is the data of the page of one list or tag: its links.
type labelPage struct {
	Kind        string // lists or tags
	ID          int64
	Name        string
	Text        string // in fields of forms: the path of a list whose name is not unique
	Hue         int
	Description template.HTML
	Visibility  string
	Owner       string // "" if it is the user
	Mine        bool
	CanEdit     bool        // the user may change what is in it
	Shared      *sharedList // nil if the user may not change it, and for tags
	Ordered     bool        // the user may order it among the lists beside it
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
	list         waymark.List // zero for a tag
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

// Files returns the fields of a form for a new link with the list or tag, if the user may put links into it.
func (p labelPage) Files() url.Values {
	switch {
	case p.CanEdit && !p.Mine:
		return url.Values{p.Kind: {textOfOther(p.list)}, "back": {p.Links.Path}}
	case !p.Mine:
		return url.Values{"outside": {p.Name}}
	}
	return url.Values{p.Kind: {p.Text}, "back": {p.Links.Path}}
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
	CanEdit     bool   // another person's list that the user may change
	Above       string // the names of the lists in which it stands
}

func newListView(list waymark.List) labelView {
	return labelView{
		nameView: nameView{ID: int64(list.ID), Name: list.Name, Hue: page.Hue(list.Name)}, Description: page.PlainText(list.Description), Count: list.LinkCount,
	}
}

func newTagView(tag waymark.Tag) labelView {
	return labelView{nameView: nameView{ID: int64(tag.ID), Name: tag.Name}, Count: tag.LinkCount}
}

// pathOf returns the names of the lists in which a list stands.
func pathOf(list waymark.List) string {
	return joinNames(list.Path)
}

// joinNames returns the names of lists, each of which stands in the one before it.
func joinNames(path []waymark.ListName) string {
	return strings.Join(waymark.Map(path, func(list waymark.ListName) string { return list.Name }), " › ")
}

// renderLabel sends the page of a list or tag with the links that satisfy label and the search in the URL.
func renderLabel(r *page.Request, p labelPage, path string, owner waymark.UserID, label waymark.Labeled) error {
	owners, err := otherOwners(r, []waymark.UserID{owner})
	if err != nil {
		return err
	}
	p.Owner = owners[owner]
	tab, err := readSearch(r, path, r.Parameters)
	if err != nil {
		return err
	}
	s := tab.with(waymark.AndOf(label, tab.Where))
	s.Path = "/links"
	p.Links = makeLinksPage(r, path, s, r.Settings.View)
	p.Links.Savable = tab.restricts() // a list or tag can be pinned instead
	p.Links.shared = p.Shared != nil && p.Shared.Text != ""
	if p.Links.list = p.list; label.Kind == waymark.Tags {
		p.Links.tag = waymark.TagID(p.ID)
	}
	if err := p.Links.fill(r); err != nil {
		return err
	}
	if p.Tabs, err = flagTabs(r, label, tab); err != nil {
		return err
	}
	guests := ""
	if p.Visibility == waymark.Public.String() && r.Config.GuestPages {
		guests = "/guest" + path + "/feed"
	}
	if p.Feed, err = makeFeedLink(r, path+"/feed", nil, guests); err != nil {
		return err
	}
	if p.Public, err = newPublicLabel(r, p, hasID(label.Kind, p.ID)); err != nil {
		return err
	}
	return r.RenderListing("label", p.Links.Pager, p)
}

// newPublicLabel returns what its owner learns about the page of a public tag for guests. It returns nil for other
// users, for a list, which can be shared, and if the number of links is not known.
func newPublicLabel(r *page.Request, p labelPage, label waymark.Labeled) (*publicPage, error) {
	if p.Kind == "lists" || !p.Mine || !r.Config.GuestPages || p.Visibility != waymark.Public.String() {
		return nil, nil
	}
	internal, private := waymark.And{label, waymark.IsMine, waymark.IsInternal}, waymark.And{label, waymark.IsMine, waymark.IsPrivate}
	own, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: label}, {Where: internal}, {Where: private}})
	if err != nil {
		return nil, err
	}
	seen, err := r.Store.CountLinks(r.Context(), waymark.Guest, []waymark.LinkFilter{{Where: label}})
	if err != nil || seen[0] < 0 || own[0] < 0 {
		return nil, err
	}
	hidden := waymark.And{label, waymark.IsMine, waymark.NotOf(waymark.IsPublic)}
	guests := "/guest" + p.Links.Path
	return &publicPage{Back: p.Links.Path, Path: guests, URL: r.AbsoluteURL(guests), Total: own[0], Seen: seen[0], Hidden: own[1] + own[2], Selection: query.Print(hidden)}, nil
}

// flagTab leads to the links of a list or tag that have a flag, or to all of them.
type flagTab struct {
	Path    string
	Name    string
	Count   int
	Current bool
}

var tabFlags = []waymark.Is{waymark.IsUnread, waymark.IsFavorite, waymark.IsArchived}

// flagTabs returns the tabs on the page of a list or tag: all links, and each flag that some links have. There are none
// if no link has a flag. tab is the search of the page without the label.
func flagTabs(r *page.Request, label waymark.Labeled, tab search) ([]flagTab, error) {
	all := tab
	for _, flag := range tabFlags {
		if all.has(flag) {
			all = all.toggled(flag)
		}
	}
	tabs := []flagTab{{all.path(), r.T("flags.all"), 0, tab.text() == all.text()}}
	filters := []waymark.LinkFilter{filterOf(r, waymark.AndOf(label, all.Where))}
	for _, flag := range tabFlags {
		flagged := all.toggled(flag)
		tabs = append(tabs, flagTab{flagged.path(), r.T(flagHeadings[flag]), 0, tab.text() == flagged.text()})
		filters = append(filters, filterOf(r, waymark.AndOf(label, flagged.Where)))
	}
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, filters)
	if err != nil {
		return nil, err
	}
	for i := range tabs {
		tabs[i].Count = counts[i]
	}
	tabs = slices.DeleteFunc(tabs, func(tab flagTab) bool { return tab.Path != tabs[0].Path && tab.Count <= 0 && !tab.Current })
	if len(tabs) == 1 && tabs[0].Current {
		return nil, nil
	}
	return tabs, nil
}
