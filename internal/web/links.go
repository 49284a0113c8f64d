package web

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// linksPage is the data of a page with links.
type linksPage struct {
	Title   string // of the document
	Path    string // of the page
	State   linksQuery
	Chips   []chip
	Days    []day
	Pager   page.Pager
	Order   string
	View    string
	Filters [][]filterChoice // the conditions that the page offers, in groups
	Fields  url.Values       // the parameters besides the order and the number of the page, for forms that keep them
	Back    string           // the path of the page without its view, to return to when the view was chosen
	Cleared string           // the path of the page without its chips: the plain words of the text stay
	Unsaved string           // the text with a scheme if it is an address without one, such as example.org/page, otherwise ""
	Address *addressCard     // if the text is an address
	Offers  []offer          // if nothing is found
	Content string           // the path of the same search also in snapshots, "" if there are none or this page searches them

	Saved      *waymark.SavedSearch // that the page shows, or nil
	Savable    bool                 // the page offers to save its search
	SelectsAll bool                 // a bulk change can have all links of the query, not only ticked ones
	Fetchable  bool                 // the pages of selected links can be fetched again
	Checkable  bool                 // selected links can be checked
}

// makeLinksPage returns the page at a path that shows a query, without links. parameters are those
// of the address; view is how the user wants to see links.
func makeLinksPage(path string, q linksQuery, parameters url.Values, view waymark.View) linksPage {
	p := linksPage{
		Path: path, State: q, Order: cmp.Or(q.Order, linkOrderNames[0]), View: cmp.Or(q.View, string(view)),
		Unsaved: unsavedAddress(q.Text), Cleared: path, Savable: q.Restricts(), SelectsAll: path != gonePath,
	}
	if path == "/links" {
		p.Cleared = linksQuery{Text: q.plainText(), Order: q.Order, View: q.View}.address()
	} else if len(q.Lists)+len(q.Tags) == 1 { // a list or a tag, which can be pinned instead
		rest := q
		rest.Lists, rest.Tags = nil, nil
		p.Savable = rest.Restricts()
	}
	p.Fields = maps.Clone(parameters)
	p.Fields.Del("order")
	p.Fields.Del("page")
	back := maps.Clone(parameters)
	back.Del("view")
	p.Back = page.JoinQuery(path, back.Encode())
	return p
}

// addLink adds a link at the end of the page, below a heading.
func (p *linksPage) addLink(heading string, l linkView) {
	if n := len(p.Days); n == 0 || p.Days[n-1].Heading != heading {
		p.Days = append(p.Days, day{Heading: heading})
	}
	last := &p.Days[len(p.Days)-1]
	last.Links = append(last.Links, l)
}

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

func showLinks(r *page.Request) error {
	p, err := linksPageAt(r, "/links", linksQueryOf(r.Parameters))
	if err != nil {
		return err
	}
	if address := p.Pager.BeyondEnd(); address != "" {
		return r.Redirect(address)
	}
	if r.Partial("results") {
		return r.Write(http.StatusOK, r.PartShell(p.Title, &p), "results-part")
	}
	return r.Render("links", &p)
}

// linksPageAt returns the links that a query selects, on a page at path.
func linksPageAt(r *page.Request, path string, q linksQuery) (linksPage, error) {
	p := makeLinksPage(path, q, r.Parameters, r.Settings.View)
	p.Fetchable, p.Checkable = r.Crawler.FetchesPages(), checksLinks(r)
	if p.Title = r.T("links.title"); q.Text != "" {
		p.Title = r.T("links.search-title", "query", q.Text)
	}
	s, err := newSelection(r, q)
	if err != nil {
		return p, err
	}
	p.Chips = s.chips
	if q.Restricts() {
		if p.Saved, err = savedSearch(r, q); err != nil {
			return p, err
		}
	}
	if p.Address, err = newAddressCard(r, q.Text); err != nil {
		return p, err
	}
	if len(s.filter.Words) > 0 && !s.filter.SearchContent && p.Address == nil && r.Store.HasSnapshots() {
		p.Content = q.toggled("content", "").address()
	}
	others, err := r.Store.HasOtherUsers(r.Context(), r.User.ID)
	if err != nil {
		return p, err
	}
	p.Filters = filtersOf(q, r.User.Name, others)
	return p, findLinks(r, &p, s.filter)
}

// findLinks adds the links that a filter selects, or offers of other searches if there are none.
func findLinks(r *page.Request, p *linksPage, filter waymark.LinkFilter) error {
	order := linkOrders[p.Order]
	found, err := matchingLinks(r, filter, order, pagination(r, r.Settings.LinksPerPage)).Page(r.Context())
	if err != nil {
		return err
	}
	p.Pager = page.NewPager(r, found.Total, r.Settings.LinksPerPage)
	if found.Total == 0 && p.Address == nil && p.Path == "/links" {
		p.Offers, err = otherSearches(r, p.State)
		return err
	}
	words := foldAll(filter.Words)
	views, err := newLinkViews(r, waymark.View(p.View), words, found.Entities)
	if err != nil {
		return err
	}
	for _, l := range found.Entities {
		heading := ""
		if order.By == waymark.SortByCreatedAt {
			heading = r.DayHeading(l.CreatedAt)
		}
		p.addLink(heading, views.of(l))
	}
	if filter.SearchContent && p.View != string(waymark.CardsView) {
		return addExcerpts(r, p.Days, found.Entities, words)
	}
	return nil
}

// matchingLinks lists the links that a filter selects.
func matchingLinks(r *page.Request, filter waymark.LinkFilter, order waymark.Order, part waymark.Pagination) store.Listing[waymark.Link] {
	if filter.IsZero() {
		return r.Store.Links(r.Viewer(), order, part)
	}
	return r.Store.SearchLinks(r.Viewer(), filter, order, part)
}

// addressCard is what is known of an address in the field at the top.
type addressCard struct {
	URL     string
	ID      waymark.LinkID // of the saved link, 0 if there is none
	Saved   string         // when it was saved
	Trashed bool           // it is in the trash
	Offered bool           // a form for a new link offers to restore it from the trash instead
}

// newAddressCard returns the card for an http or https address, and nil for other texts.
func newAddressCard(r *page.Request, text string) (*addressCard, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(text, " \t\r\n") {
		return nil, nil //nolint:nilerr // it is not an address
	}
	card := &addressCard{URL: text}
	link, err := r.Store.LinkByURL(r.Context(), r.User.ID, text)
	if errors.Is(err, waymark.ErrNotFound) {
		return card, nil
	}
	if err != nil {
		return nil, err
	}
	card.ID, card.Trashed, card.Saved = link.ID, link.DeletedAt != 0, r.Moment(link.CreatedAt).Full
	return card, nil
}

// PageTitle implements titled.
func (p linksPage) PageTitle() string { return p.Title }

// Orders returns the orders that the page offers.
func (p linksPage) Orders() []string { return linkOrderNames }

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

// filtersOf returns the conditions that the page of a query offers, to the user with this name.
// others says whether the server has other users.
func filtersOf(q linksQuery, user string, others bool) [][]filterChoice {
	groups := filterChoices
	if !others {
		groups = groups[1:]
	}
	all := make([][]filterChoice, len(groups))
	for i, group := range groups {
		for _, choice := range group {
			choice.Path, choice.Chosen = q.toggled(choice.Name, user).address(), q.has(choice.Name, user)
			all[i] = append(all[i], choice)
		}
	}
	return all
}

// toggled returns the query with one more condition, or without it if it is set. user is the name of
// the user.
func (q linksQuery) toggled(name, user string) linksQuery {
	value := name
	if q.has(name, user) {
		value = ""
	}
	switch name {
	case "broken":
		q.Broken = !q.Broken
	case "dead", "moved", "blocked", "unsure":
		q.CheckResult = value
	case "unfiled":
		q.Unfiled = !q.Unfiled
	case "untagged":
		q.Untagged = !q.Untagged
	case "content":
		q.Content = !q.Content
	case "mine":
		if q.By = user; value == "" {
			q.By = ""
		}
	default:
		q.Visibility = value
	}
	return q
}

// has reports whether the query has a condition.
func (q linksQuery) has(name, user string) bool {
	switch name {
	case "broken":
		return q.Broken
	case "dead", "moved", "blocked", "unsure":
		return q.CheckResult == name
	case "unfiled":
		return q.Unfiled
	case "untagged":
		return q.Untagged
	case "content":
		return q.Content
	case "mine":
		return waymark.Fold(q.By) == waymark.Fold(user)
	}
	return q.Visibility == name
}

// unsavedAddress returns a text with a scheme if it is an address without one, such as
// example.org/page, and "" otherwise.
func unsavedAddress(text string) string {
	address := withScheme(text)
	if _, err := url.Parse(address); err != nil || address == text || !bareAddress.MatchString(text) {
		return ""
	}
	return address
}

// bareAddress matches an address without a scheme: a name with a dot, localhost or an IPv4 address,
// and possibly a port and a path.
var bareAddress = regexp.MustCompile(`^([\pL\d-]+(\.[\pL\d-]+)*\.\pL{2,}|(?i:localhost)|\d+(\.\d+){3})(:\d+)?([/?#]\S*)?$`)

// chooseView saves how the user wants to see links.
func chooseView(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	settings := r.Settings
	settings.View = waymark.View(r.Field("view"))
	if err := r.Accounts.SaveSettings(r.Context(), r.User.ID, settings); err != nil {
		return err
	}
	return r.Redirect(r.Back("/links"))
}
