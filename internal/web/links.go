package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type linksPage struct {
	Title   string // of the document
	Heading string // of a page with all links that have a flag, otherwise ""
	Empty   string // what such a page says if there are none
	Path    string // of the page
	State   linksQuery
	Chips   []chip
	AsText  string // the parts of the text that have no meaning
	// LabelGone says that the query has a list or tag that the user does not see any more.
	LabelGone bool
	Days      []day
	Pager     page.Pager
	Order     string
	View      string
	Facets    string           // the path of what narrows the page
	Filters   [][]filterChoice // the conditions that the page offers, in groups
	Fields    url.Values       // the parameters besides the order and the number of the page, for forms that keep them
	Back      string           // the path of the page without its view, to return to when the view was chosen
	Cleared   string           // the path of the page without its chips: the plain words of the text stay
	Unsaved   string           // the text with a scheme if it is a URL without one, such as example.org/page, otherwise ""
	Card      *urlCard         // if the text is a URL
	Offers    []offer          // if nothing is found
	Feed      feedLink
	Content   string // the path of the same search also in snapshots, "" if there are none or this page searches them

	All        bool                 // the page shows all links, or all of the user's own
	Welcome    bool                 // the user has no links yet: the page says how to save the first one
	Saved      *waymark.SavedSearch // that the page shows, or nil
	Changed    *waymark.SavedSearch // that the page began with, if it shows another search than that
	Public     *publicPage          // what guests see of the saved search, nil if they do not see it
	Savable    bool                 // the page offers to save its search
	SearchName string               // a name for its search: the words and the chips
	SelectsAll bool                 // a bulk change can have all links of the query, not only ticked ones
	Fetchable  bool                 // the pages of selected links can be fetched again
	Checkable  bool                 // selected links can be checked
}

// makeLinksPage returns the page at a path that shows a query, without links. parameters are the
// parameters of the URL; view is how the user wants to see links.
func makeLinksPage(path string, q linksQuery, parameters url.Values, view waymark.View) linksPage {
	p := linksPage{
		Path: path, State: q, Order: q.order(), View: cmp.Or(q.View, string(view)),
		Unsaved: unsavedURL(q.Text), Cleared: path, Savable: q.Restricts(), SelectsAll: path != brokenPath,
		Facets: page.JoinQuery("/filter", q.Encode()),
	}
	if path == "/links" {
		p.Cleared = linksQuery{Text: q.plainText(), Order: q.Order, View: q.View}.path()
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

func showLinks(r *page.Request) error {
	p, err := linksPageAt(r, "/links", linksQueryOf(r.Parameters))
	if err != nil {
		return err
	}
	if last := p.Pager.BeyondEnd(); last != "" {
		return r.Redirect(last)
	}
	if p.All = p.State.showsAll(r.User.Name); p.All && !p.hasOwn() {
		own, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: waymark.IsMine}})
		if err != nil {
			return err
		}
		p.Welcome = own[0] == 0
	}
	if err := p.publish(r); err != nil {
		return err
	}
	if r.Partial("results") {
		return r.RenderPart("results-part", &p)
	}
	return r.Render("links", &p)
}

// publish adds the feed of the links, and what guests see of a saved search.
func (p *linksPage) publish(r *page.Request) (err error) {
	switch {
	case p.Saved != nil:
		path, guests := searchPathOf(p.Saved.ID), ""
		if p.Saved.Public && r.Config.GuestPages {
			guests = "/guest" + path
			if p.Public, err = publicSearch(r, *p.Saved, guests, p.Pager.Total); err != nil {
				return err
			}
			guests += "/feed"
		}
		p.Feed, err = makeFeedLink(r, path+"/feed", nil, guests)
	case p.Savable:
		feed := p.State.values()
		for _, name := range []string{"order", "view", "saved"} {
			feed.Del(name)
		}
		p.Feed, err = makeFeedLink(r, "/links/feed", feed, "")
	}
	return err
}

// hasOwn reports whether one of the links is the user's own.
func (p linksPage) hasOwn() bool {
	return slices.ContainsFunc(p.Days, func(d day) bool { return slices.ContainsFunc(d.Links, func(l linkView) bool { return l.Mine }) })
}

// linksPageAt returns the links that a query selects, on a page at path.
func linksPageAt(r *page.Request, path string, q linksQuery) (linksPage, error) {
	s, err := newSelection(r, q)
	if err != nil {
		return linksPage{}, err
	}
	if q.Text != s.typed {
		q.Text = s.typed
		r.Parameters.Set("query", q.Text) // what the field shows
	}
	p := makeLinksPage(path, q, r.Parameters, r.Settings.View)
	p.Fetchable, p.Checkable = r.Crawler.FetchesPages(), checksLinks(r)
	if p.Title = r.T("links.title"); q.Text != "" {
		p.Title = r.T("links.search-title", "query", q.Text)
	}
	p.Chips, p.AsText, p.LabelGone = s.chips, strings.Join(s.asText, ", "), s.gone
	p.SearchName = page.Quoted(strings.Join(append(s.words, waymark.Map(s.chips, func(c chip) string { return c.Text })...), " "))
	p.nameFlag(r)
	if q.Restricts() {
		if p.Saved, p.Changed, err = findSaved(r, q, s); err != nil {
			return p, err
		}
	}
	if p.Card, err = newURLCard(r, q.Text); err != nil {
		return p, err
	}
	if s.searches(0) && !s.searches(waymark.InSnapshot) && p.Card == nil && r.Store.Snapshots.Any() {
		p.Content = q.toggled("content", "").path()
	}
	others, err := r.Store.Accounts.HasOtherUsers(r.Context(), r.User.ID)
	if err != nil {
		return p, err
	}
	p.Filters = filtersOf(q, r.User.Name, others)
	return p, findLinks(r, &p, s)
}

// flagHeadings are the headings of the pages with all links that have a flag, by its name in the query.
var flagHeadings = map[string]string{"unread": "flags.unread", "favorite": "flags.favorites", "archived": "flags.archive"}

// nameFlag names a page that shows all links with a flag after it.
func (p *linksPage) nameFlag(r *page.Request) {
	if len(p.Chips) != 1 || len(p.State.States) != 1 {
		return
	}
	if heading := flagHeadings[p.State.States[0]]; heading != "" {
		p.Heading, p.Empty = r.T(heading), r.T(flagText("no", p.State.States[0]))
		p.Title = p.Heading
	}
}

// findLinks adds the links of a selection, or offers of other searches if there are none.
func findLinks(r *page.Request, p *linksPage, s selection) error {
	order := linkOrders[p.Order]
	found, err := matchingLinks(r, s.filter, order, pagination(r, r.Settings.LinksPerPage)).Page(r.Context())
	if err != nil {
		return err
	}
	p.Pager = page.NewPager(r, found.Total, r.Settings.LinksPerPage)
	if found.Total == 0 && p.Card == nil && p.Path == "/links" {
		p.Offers, err = otherSearches(r, p.State)
		return err
	}
	words := marks(s.filter.Where)
	views, err := newLinkViews(r, waymark.View(p.View), words, found.Entities)
	if err != nil {
		return err
	}
	if p.Path != "/links" && len(p.State.Lists) == 1 {
		if err := views.setList(r, waymark.ListID(p.State.Lists[0]), found.Entities); err != nil {
			return err
		}
	}
	if p.Path != "/links" && len(p.State.Tags) == 1 {
		views.tag = p.State.Tags[0]
	}
	if p.Path != brokenPath {
		views.narrowing = newNarrowing(p.State, r.User.Name)
	}
	for _, l := range found.Entities {
		heading := ""
		if order.By == waymark.SortByCreatedAt {
			heading = r.DayHeading(l.CreatedAt)
		}
		p.addLink(heading, views.of(l))
	}
	if p.View == string(waymark.CardsView) {
		return nil
	}
	return addExcerpts(r, p.Days, found.Entities, s.filter.Where)
}

func (p linksPage) PageTitle() string { return p.Title }

// Describe describes the page to other programs.
func (p linksPage) Describe() page.Description { return p.Feed.describe(p.Title) }

// Orders returns the orders that the page offers.
func (p linksPage) Orders() []string { return p.State.orders() }

// chooseView saves how the user wants to see links.
func chooseView(r *page.Request) error {
	settings := r.Settings
	settings.View = waymark.View(r.Field("view"))
	if err := r.Accounts.SaveSettings(r.Context(), r.User.ID, settings); err != nil {
		return err
	}
	return r.Redirect(r.Back(r.LinksPath()))
}

// brokenPath is the path of the page with the links that checks have made broken.
const brokenPath = "/links/broken"
