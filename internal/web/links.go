package web

import (
	"errors"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// linksPage is the data of a page with links.
type linksPage struct {
	v       *visit
	Path    string // of the page
	State   linksQuery
	Chips   []chip
	Days    []day
	Pager   pager
	Order   string
	View    string
	Address *addressCard         // if the text is an address
	Words   []string             // folded, to mark in the links
	Others  bool                 // there are other users
	Offers  []offer              // if nothing is found
	Content string               // the address of the same search also in snapshots, "" if there are none or this page searches them
	Saved   *waymark.SavedSearch // that the page shows, or nil
}

// Fetchable reports whether the pages of selected links can be fetched again.
func (p linksPage) Fetchable() bool { return p.v.Service.Pages != nil }

// Checkable reports whether selected links can be checked.
func (p linksPage) Checkable() bool { return p.v.checksLinks() }

// day is a group of links under one heading. The heading is "" if the links are not grouped.
type day struct {
	Heading string
	Links   []linkView
}

// linkOrders are the orders of links by their name in the query.
var linkOrders = map[string]waymark.Order{
	"newest": newestFirst,
	"oldest": {By: waymark.SortByCreatedAt},
	"title":  {By: waymark.SortByTitle},
	"edited": {By: waymark.SortByUpdatedAt, Desc: true},
}

// linkOrderNames are the names of the orders, as the page offers them. The first one is the
// default.
var linkOrderNames = []string{"newest", "oldest", "title", "edited"}

func (v *visit) showLinks() error {
	page, err := v.linksPage("/links", linksQueryOf(v.parameters))
	if err != nil {
		return err
	}
	if address := page.Pager.beyondEnd(); address != "" {
		return v.redirect(address)
	}
	if v.partial("results") {
		return v.write(http.StatusOK, "results-part", v.partShell(page.pageTitle(), &page))
	}
	return v.render("links", &page)
}

// linksPage returns the links that a query selects, on a page at path.
func (v *visit) linksPage(path string, q linksQuery) (linksPage, error) {
	page := linksPage{v: v, Path: path, State: q, Order: q.Order, View: q.View}
	if page.Order == "" {
		page.Order = linkOrderNames[0]
	}
	if page.View == "" {
		page.View = string(v.settings.View)
	}
	s, err := v.selection(q)
	if err != nil {
		return page, err
	}
	page.Chips, page.Words = s.chips, foldAll(s.filter.Words)
	if q.Restricts() {
		if page.Saved, err = savedSearch(v, q); err != nil {
			return page, err
		}
	}
	if page.Address, err = v.addressCard(q.Text); err != nil {
		return page, err
	}
	if len(s.filter.Words) > 0 && !s.filter.SearchContent && page.Address == nil && v.Store.HasSnapshots() {
		page.Content = page.filterAddress("content")
	}
	found, err := v.matchingLinks(s.filter, linkOrders[page.Order], pagination(v, v.settings.LinksPerPage)).Page(v.ctx())
	if err != nil {
		return page, err
	}
	if found.Total == 0 && page.Address == nil && path == "/links" {
		if page.Offers, err = v.offers(q); err != nil {
			return page, err
		}
	}
	page.Pager = newPager(v, found.Total, v.settings.LinksPerPage)
	page.Days = v.days(found.Entities, linkOrders[page.Order], page.Words)
	if s.filter.SearchContent && page.View != string(waymark.CardsView) {
		if err := v.addExcerpts(page.Days, found.Entities, page.Words); err != nil {
			return page, err
		}
	}
	var shown []*linkView
	for _, d := range page.Days {
		for i := range d.Links {
			shown = append(shown, &d.Links[i])
		}
	}
	if err := v.addOwners(shown, found.Entities); err != nil {
		return page, err
	}
	if page.Others, err = v.Store.HasOtherUsers(v.ctx(), v.user.ID); err != nil {
		return page, err
	}
	return page, addPictures(v, shown...)
}

// matchingLinks lists the links that a filter selects.
func (v *visit) matchingLinks(filter waymark.LinkFilter, order waymark.Order, part waymark.Pagination) store.Listing[waymark.Link] {
	if filter.IsZero() {
		return v.Store.Links(v.viewer(), order, part)
	}
	return v.Store.SearchLinks(v.viewer(), filter, order, part)
}

// addOwners adds the names of the owners of links of other users.
func (v *visit) addOwners(views []*linkView, links []waymark.Link) error {
	names, err := otherOwners(v, ownersOf(links, linkOwner))
	for i, l := range links {
		views[i].Owner = names[l.Owner]
	}
	return err
}

// days groups links by the day on which they were saved, if they are in that order.
func (v *visit) days(links []waymark.Link, order waymark.Order, words []string) []day {
	var days []day
	views := make([]linkView, 0, len(links)) // of all days
	for _, l := range links {
		heading := ""
		if order.By == waymark.SortByCreatedAt {
			heading = v.dayHeading(l.CreatedAt)
		}
		if len(days) == 0 || days[len(days)-1].Heading != heading {
			days = append(days, day{Heading: heading})
		}
		views = append(views, v.markedLinkView(l, words))
		last := &days[len(days)-1]
		last.Links = views[len(views)-len(last.Links)-1:]
	}
	return days
}

// addressCard is what is known of an address in the field at the top.
type addressCard struct {
	URL     string
	ID      waymark.LinkID // of the saved link, 0 if there is none
	Title   template.HTML
	Saved   string // when it was saved
	Trashed bool   // it is in the trash
	Offered bool   // a form for a new link offers to restore it from the trash instead
}

// addressCard returns the card for an http or https address, and nil for other texts.
func (v *visit) addressCard(text string) (*addressCard, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(text, " \t\r\n") {
		return nil, nil //nolint:nilerr // it is not an address
	}
	card := &addressCard{URL: text}
	link, err := v.Store.LinkByURL(v.ctx(), v.user.ID, text)
	if errors.Is(err, waymark.ErrNotFound) {
		return card, nil
	}
	if err != nil {
		return nil, err
	}
	card.ID, card.Trashed, card.Saved = link.ID, link.DeletedAt != 0, v.moment(link.CreatedAt).Full
	return card, nil
}

// pageTitle implements titled.
func (p linksPage) pageTitle() string {
	if p.State.Text != "" {
		return p.v.t("links.search-title", "query", p.State.Text)
	}
	return p.v.t("links.title")
}

// Heading is the heading of the page.
func (p linksPage) Heading() string {
	if p.Saved != nil {
		return p.Saved.Name
	}
	if p.State.Restricts() {
		return p.v.t("links.search")
	}
	return p.v.t("links.title")
}

// Savable reports whether the page offers to save its search. A list and a tag can be pinned
// instead.
func (p linksPage) Savable() bool {
	if p.Path != "/links" && len(p.State.Lists)+len(p.State.Tags) == 1 {
		rest := p.State
		rest.Lists, rest.Tags = nil, nil
		return rest.Restricts()
	}
	return p.State.Restricts()
}

// SelectsAll reports whether a bulk change can have all links of the query, not only ticked ones.
func (p linksPage) SelectsAll() bool { return p.Path != gonePath }

// Orders returns the orders that the page offers, with the one that is chosen.
func (p linksPage) Orders() []orderChoice {
	orders := make([]orderChoice, len(linkOrderNames))
	for i, name := range linkOrderNames {
		orders[i] = orderChoice{name, p.v.t("order." + name), name == p.Order}
	}
	return orders
}

// orderChoice is an order that a page offers.
type orderChoice struct {
	Name   string
	Text   string
	Chosen bool
}

// Fields are the parameters of the page besides the order and the number of the page, for
// forms that keep them.
func (p linksPage) Fields() url.Values {
	fields := maps.Clone(p.v.parameters)
	fields.Del("order")
	fields.Del("page")
	return fields
}

// Back is the address of the page without its view, to return to when the view was chosen.
func (p linksPage) Back() string {
	fields := maps.Clone(p.v.parameters)
	fields.Del("view")
	return joinQuery(p.Path, fields.Encode())
}

// filterChoice is a condition that the page offers.
type filterChoice struct {
	Name   string // of the parameter or of its value
	Icon   string
	Text   string // the key of its sentence
	Path   string // of the page with the condition, or without it if it is set
	Chosen bool
}

// filterChoices are the conditions that the page offers, in groups. The first group is for servers
// with several users.
var filterChoices = [][]filterChoice{
	{{Name: "mine", Icon: "user", Text: "filter.mine"}},
	{
		{Name: "public", Icon: "globe", Text: "visibility.public"}, {Name: "internal", Icon: "users", Text: "visibility.internal"},
		{Name: "private", Icon: "lock", Text: "visibility.private"},
	},
	{
		{Name: "broken", Icon: "unlink", Text: "filter.broken"}, {Name: "dead", Icon: "search-x", Text: "filter.dead"},
		{Name: "moved", Icon: "arrow-up-right", Text: "filter.moved"}, {Name: "blocked", Icon: "eye-off", Text: "filter.blocked"},
		{Name: "unsure", Icon: "circle-alert", Text: "filter.unsure"},
	},
	{{Name: "unfiled", Icon: "inbox", Text: "filter.unfiled"}, {Name: "untagged", Icon: "hash", Text: "filter.untagged"}},
}

// Filters returns the conditions that the page offers, in groups.
func (p linksPage) Filters() [][]filterChoice {
	groups := filterChoices
	if !p.Others {
		groups = groups[1:]
	}
	all := make([][]filterChoice, len(groups))
	for i, group := range groups {
		for _, choice := range group {
			choice.Path, choice.Chosen = p.filterAddress(choice.Name), p.hasFilter(choice.Name)
			all[i] = append(all[i], choice)
		}
	}
	return all
}

// filterAddress returns the address of the page with one more condition, or without it if it is set.
func (p linksPage) filterAddress(name string) string {
	q := p.State
	switch name {
	case "broken":
		q.Broken = !q.Broken
	case "dead", "moved", "blocked", "unsure":
		if q.Health == name {
			name = ""
		}
		q.Health = name
	case "unfiled":
		q.Unfiled = !q.Unfiled
	case "untagged":
		q.Untagged = !q.Untagged
	case "content":
		q.Content = !q.Content
	case "mine":
		if q.By = p.v.user.Name; p.hasFilter(name) {
			q.By = ""
		}
	default: // a visibility
		if q.Visibility == name {
			name = ""
		}
		q.Visibility = name
	}
	return q.address()
}

// hasFilter reports whether a condition is set.
func (p linksPage) hasFilter(name string) bool {
	switch name {
	case "broken":
		return p.State.Broken
	case "dead", "moved", "blocked", "unsure":
		return p.State.Health == name
	case "unfiled":
		return p.State.Unfiled
	case "untagged":
		return p.State.Untagged
	case "mine":
		return waymark.Fold(p.State.By) == waymark.Fold(p.v.user.Name)
	}
	return p.State.Visibility == name
}

// Cleared is the address of the page without its chips: the plain words of the text stay.
func (p linksPage) Cleared() string {
	if p.Path != "/links" {
		return p.Path
	}
	return linksQuery{Text: p.State.plainText(), Order: p.State.Order, View: p.State.View}.address()
}

// Unsaved returns the text with a scheme if it is an address without one, such as
// example.org/page, and "" otherwise.
func (p linksPage) Unsaved() string {
	address := withScheme(p.State.Text)
	if _, err := url.Parse(address); err != nil || address == p.State.Text || !bareAddress.MatchString(p.State.Text) {
		return ""
	}
	return address
}

// bareAddress matches an address without a scheme: a name with a dot, localhost or an IPv4 address,
// and possibly a port and a path.
var bareAddress = regexp.MustCompile(`^([\pL\d-]+(\.[\pL\d-]+)*\.\pL{2,}|(?i:localhost)|\d+(\.\d+){3})(:\d+)?([/?#]\S*)?$`)

// chooseView saves how the user wants to see links.
func (v *visit) chooseView() error {
	if err := v.parseForm(); err != nil {
		return err
	}
	settings := v.settings
	settings.View = waymark.View(v.field("view"))
	if err := v.Service.SaveSettings(v.ctx(), v.user.ID, settings); err != nil {
		return err
	}
	return v.redirect(v.back("/links"))
}
