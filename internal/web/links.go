package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"waymark/internal/query"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type linksPage struct {
	Title   string // of the document
	Heading string // of a page with all links that have a flag, otherwise ""
	Empty   string // what such a page says if there are none
	Keeps   bool   // the page offers to keep the texts of its links in the browser
	Path    string // of the page
	Search  search
	Chips   []chip
	AsText  string // the parts of the text that have no meaning
	Days    []day
	Pager   page.Pager
	Order   string
	View    string
	Filters [][]filterChoice // the states that the page offers, in groups
	Fields  url.Values       // the parameters besides the order and the number of the page, for forms that keep them
	Back    string           // the path of the page without its view, to return to when the view was chosen
	Cleared string           // the path of the page without its chips: the plain words of the text stay
	Unsaved string           // the text with a scheme if it is a URL without one, such as example.org/page, otherwise ""
	Card    *urlCard         // if the text is a URL
	Offers  []offer          // if few links are found
	Instead string           // the text of the first offer, if the links are those of it
	Feed    feedLink
	Content string       // the path of the same search also in snapshots, "" if there are none or this page searches them
	list    waymark.List // whose page it is, zero for none
	shared  bool         // others change it, too
	tag     waymark.TagID

	All        bool                 // the page shows all links, or all of the user's own
	OnlyMine   bool                 // the user has chosen to see only their own
	Welcome    bool                 // the user has no links yet: the page says how to save the first one
	Saved      *waymark.SavedSearch // that the page shows, or nil
	Changed    *waymark.SavedSearch // that the page began with, if it shows another search than that
	Public     *publicPage          // what guests see of the saved search, nil if they do not see it
	Savable    bool                 // the page offers to save its search
	SearchName string               // a name for its search: the words and the chips
	SelectsAll bool                 // a bulk change can have all links of the search, not only ticked ones
	Fetchable  bool                 // the pages of selected links can be fetched again
	Checkable  bool                 // selected links can be checked
}

// makeLinksPage returns the page at a path that shows a search, without links. view is how the user wants to see
// links.
func makeLinksPage(r *page.Request, path string, s search, view waymark.View) linksPage {
	p := linksPage{
		Path: path, Search: s, Order: s.order(), View: cmp.Or(s.View, string(view)), Unsaved: unsavedURL(s.Typed),
		Savable: s.restricts(), SelectsAll: path != brokenPath, Fetchable: r.Crawler.FetchesPages(), Checkable: checksLinks(r),
		OnlyMine: r.Settings.OnlyMine,
	}
	p.Fields = maps.Clone(r.Parameters)
	p.Fields.Del("order")
	p.Fields.Del("page")
	back := maps.Clone(r.Parameters)
	back.Del("view")
	p.Back = page.JoinQuery(path, back.Encode())
	p.Cleared = path
	return p
}

func (p *linksPage) addLink(heading string, l linkView) {
	if n := len(p.Days); n == 0 || p.Days[n-1].Heading != heading {
		p.Days = append(p.Days, day{Heading: heading})
	}
	last := &p.Days[len(p.Days)-1]
	last.Links = append(last.Links, l)
}

func showLinks(r *page.Request) error {
	s, err := readSearch(r, "/links", r.Parameters)
	if err != nil {
		return err
	}
	if changed, ok := edited(s, r.Parameters); ok {
		return r.Redirect(changed.path())
	}
	p, err := newLinksPage(r, s)
	if err != nil {
		return err
	}
	hasOwn := slices.ContainsFunc(p.Days, func(d day) bool { return slices.ContainsFunc(d.Links, func(l linkView) bool { return l.Mine }) })
	if p.All = s.showsAll(); p.All && !hasOwn {
		own, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: waymark.IsMine}})
		if err != nil {
			return err
		}
		p.Welcome = own[0] == 0
	}
	if err := p.publish(r); err != nil {
		return err
	}
	return p.render(r)
}

func (p *linksPage) render(r *page.Request) error {
	if last := p.Pager.BeyondEnd(); last != "" {
		return r.Redirect(last)
	}
	if r.Partial("results") {
		return r.RenderPart("results-part", p)
	}
	return r.Render("links", p)
}

// publish adds the feed of the search.
func (p *linksPage) publish(r *page.Request) (err error) {
	if p.Savable {
		p.Feed, err = makeFeedLink(r, "/links/feed", url.Values{"q": {p.Search.text()}}, "")
	}
	return err
}

func newLinksPage(r *page.Request, s search) (linksPage, error) {
	p := makeLinksPage(r, s.Path, s, r.Settings.View)
	if p.Title = r.T("links.title"); s.Typed != "" {
		p.Title = r.T("links.search-title", "query", s.Typed)
	}
	words := search{Path: "/links", Where: s.words(), Order: s.Order, View: s.View}
	p.Cleared, p.Chips, p.AsText = words.path(), chipsOf(r, s), strings.Join(s.asText, ", ")
	p.SearchName = page.Quoted(strings.Join(append(waymark.Map(s.words(), query.Print), waymark.Map(p.Chips, func(c chip) string { return c.Text })...), " "))
	p.nameFlag(r)
	var err error
	if p.Card, err = newURLCard(r, s.Typed); err != nil {
		return p, err
	}
	if in := wordsIn(s.Where); len(words.parts()) > 0 && in&waymark.InSnapshot == 0 && p.Card == nil && r.Store.Snapshots.Any() {
		p.Content = s.with(query.Also(s.Where, waymark.InSnapshot)).path()
	}
	return p, p.fill(r)
}

// fill adds the links, offers of other searches if there are few, and the filters.
func (p *linksPage) fill(r *page.Request) error {
	others, err := r.Store.Accounts.HasOtherUsers(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	p.Filters = filtersOf(r, p.Search, others)
	filter, order := p.Search.filter(r), linkOrders[p.Order]
	listed, err := matchingLinks(r, filter, order, pagination(r, r.Settings.LinksPerPage)).Page(r.Context())
	if err != nil {
		return err
	}
	p.Pager = page.NewPager(r, listed.Total, r.Settings.LinksPerPage)
	if p.Card == nil && p.list.ID == 0 && p.tag == 0 {
		if p.Offers, err = otherSearches(r, p.Search, listed.Total); err != nil {
			return err
		}
	}
	if listed.Total == 0 {
		return p.fillInstead(r)
	}
	views, err := newLinkViews(r, waymark.View(p.View), highlights(filter.Where), listed.Entities)
	if err != nil {
		return err
	}
	if p.list.ID != 0 {
		if err := views.setList(r, p.list, listed.Entities); err != nil {
			return err
		}
	}
	views.shared, views.tag, views.narrowed = p.shared, int64(p.tag), p.Search.narrowed()
	views.in = sequence{In: page.JoinQuery(p.Path, p.shownAs())}
	if err := views.setShown(r, p.Search.flags(), listed.Entities); err != nil {
		return err
	}
	for i, l := range listed.Entities {
		views.in.N = p.Pager.From + i
		heading := ""
		if order.By == waymark.SortByCreatedAt {
			heading = r.DayHeading(l.CreatedAt)
		}
		p.addLink(heading, views.of(l))
	}
	if p.View == string(waymark.CardsView) {
		return nil
	}
	return addExcerpts(r, p.Days, listed.Entities, filter.Where)
}

// shownAs returns the query of the page without the number of the page.
func (p *linksPage) shownAs() string {
	query := maps.Clone(p.Fields)
	query.Del("view")
	if p.Search.Order != "" {
		query.Set("order", p.Search.Order)
	}
	return query.Encode()
}

// maxInstead is the number of links of the first offer that a page without links shows.
const maxInstead = 10

// fillInstead adds the first links of the first offer.
func (p *linksPage) fillInstead(r *page.Request) error {
	if len(p.Offers) == 0 || p.Offers[0].search.Where == nil {
		return nil
	}
	first := p.Offers[0]
	filter := first.search.filter(r)
	listed, err := matchingLinks(r, filter, linkOrders[first.search.order()], waymark.Pagination{Limit: maxInstead}).Page(r.Context())
	if err != nil {
		return err
	}
	views, err := newLinkViews(r, waymark.View(p.View), highlights(filter.Where), listed.Entities)
	if err != nil {
		return err
	}
	p.Instead, p.SelectsAll = first.Text, false
	for _, l := range listed.Entities {
		p.addLink("", views.of(l))
	}
	return nil
}

// flagHeadings are the headings of the pages with all links that have a flag.
var flagHeadings = map[waymark.Is]string{waymark.IsUnread: "flags.unread", waymark.IsFavorite: "flags.favorites", waymark.IsArchived: "flags.archive"}

// nameFlag names a page that shows all links with a flag after it. A saved search keeps its own name.
func (p *linksPage) nameFlag(r *page.Request) {
	flag, _ := p.Search.Where.(waymark.Is)
	if heading := flagHeadings[flag]; heading != "" && p.Path == "/links" {
		p.Heading, p.Empty = r.T(heading), r.T(flagText("no", string(flag)))
		p.Title, p.Keeps = p.Heading, flag == waymark.IsUnread
	}
}

// edited returns a search with the edits that a form has sent: a text to add, and the first and last day on which links
// were saved. ok is false if there are none.
func edited(s search, parameters url.Values) (changed search, ok bool) {
	if add := parameters.Get("add"); add != "" {
		where, _ := query.Parse(add + " " + query.Print(waymark.And{s.Where}))
		s, ok = s.with(where), true
	}
	for field, name := range dayFields {
		if !parameters.Has(name) {
			continue
		}
		ok = true
		s = s.with(waymark.And(slices.DeleteFunc(slices.Clone(s.parts()), func(c waymark.Condition) bool { return dayIn(c, field) != "" })))
		if day := parameters.Get(name); isDay(day) {
			s = s.with(waymark.AndOf(s.Where, waymark.Dated{Field: field, Period: day}))
		}
	}
	return s, ok
}

// dayFields are the fields of the form for days.
var dayFields = map[waymark.DateField]string{waymark.SavedAfter: "since", waymark.SavedBefore: "before"}

// dayIn returns the day of a condition, "" for another condition.
func dayIn(c waymark.Condition, field waymark.DateField) string {
	if dated, ok := c.(waymark.Dated); ok && dated.Field == field && isDay(dated.Period) {
		return dated.Period
	}
	return ""
}

func isDay(period string) bool {
	_, err := time.Parse(time.DateOnly, period)
	return err == nil
}

// Since and Before are the days of the form.
func (p linksPage) Since() string { return p.day(waymark.SavedAfter) }

// Before is as Since.
func (p linksPage) Before() string { return p.day(waymark.SavedBefore) }

func (p linksPage) day(field waymark.DateField) (day string) {
	for _, part := range p.Search.parts() {
		day = cmp.Or(day, dayIn(part, field))
	}
	return day
}

// Text is the search for forms.
func (p linksPage) Text() string { return p.Search.text() }

// Facets is the path of what narrows the page.
func (p linksPage) Facets() string { return p.Search.facetsPath() }

// LabelGone reports whether the search has a list or tag that the user does not see any more.
func (p linksPage) LabelGone() bool { return p.Search.gone }

// Field is what the field at the top of the page shows: the words of the search. Its other conditions are the chips
// below, which stay while the words change, unless people edit all of it as text.
func (p linksPage) Field() page.SearchField {
	kept := maps.Clone(p.Fields)
	kept.Del("q")
	if p.Order != "" && p.Search.Order != "" {
		kept.Set("order", p.Order)
	}
	field := page.SearchField{Text: p.Search.Typed, Path: p.Search.Path, Kept: kept}
	if len(p.Chips) > 0 && !kept.Has(asText) {
		var words, others waymark.And
		for _, part := range p.Search.parts() {
			if isText(part) {
				words = append(words, query.NotAlso(part, waymark.InSnapshot|waymark.InNotes))
			} else {
				others = append(others, part)
			}
		}
		field.Text = query.Print(words)
		kept.Set("add", strings.TrimSpace(query.Print(others)+" "+wordsAlsoIn(p.Search.Where)))
	}
	return field
}

// asText is the parameter of a page whose field has all of the search.
const asText = "text"

// EditText is the path of the page whose field has all of the search, "" if this page is that.
func (p linksPage) EditText() string {
	if p.Fields.Has(asText) {
		return ""
	}
	values := p.Search.Values()
	values.Set(asText, "1")
	return page.JoinQuery(p.Search.Path, values.Encode())
}

func (p linksPage) PageTitle() string { return p.Title }

// Describe describes the page to other programs.
func (p linksPage) Describe() page.Description { return p.Feed.describe(p.Title) }

// Unordered is the path of the page with the unread links, whose order is remembered, "" for another page.
func (p linksPage) Unordered() string {
	if !p.Search.isUnread() {
		return ""
	}
	return page.JoinQuery(p.Path, p.Fields.Encode())
}

// Orders returns the orders that the page offers.
func (p linksPage) Orders() []string { return p.Search.orders() }

// chooseView saves how the user wants to see links, or the order of unread ones.
func chooseView(r *page.Request) error {
	settings := r.Settings
	if r.HTTP.PostForm.Has("order") { // of the page with unread links
		settings.UnreadOrder = r.Field("order")
	} else {
		settings.View = waymark.View(r.Field("view"))
	}
	if err := r.Accounts.SaveSettings(r.Context(), r.User.ID, settings); err != nil {
		return err
	}
	return r.Redirect(r.Back(r.LinksPath()))
}

const brokenPath = "/links/broken"

// maxExcerptSnapshot is the maximum size of the HTML of a snapshot that is read for an excerpt, in bytes.
const maxExcerptSnapshot = 256 << 10

// addExcerpts adds excerpts of snapshots to the rows, or of the user's own notes. An excerpt shows words of a search
// that the link itself does not contain.
func addExcerpts(r *page.Request, days []day, links []waymark.Link, where waymark.Condition) error {
	inSnapshots := missingWords(where, waymark.InSnapshot, links)
	texts, err := r.Store.Snapshots.Texts(r.Context(), r.Viewer(), slices.Collect(maps.Keys(inSnapshots)), maxExcerptSnapshot)
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(slices.Clone(links), func(l waymark.Link) bool { return l.Owner != r.User.ID })
	inNotes := missingWords(where, waymark.InNotes, own)
	notes, err := r.Store.FirstNotes(r.Context(), r.User.ID, slices.Collect(maps.Keys(inNotes)))
	if err != nil {
		return err
	}
	for _, d := range days {
		for i := range d.Links {
			l := &d.Links[i]
			if l.Excerpt = excerpt(texts[l.ID], inSnapshots[l.ID]); l.Excerpt == nil {
				l.Excerpt = excerpt(page.PlainText(notes[l.ID].Text), inNotes[l.ID])
				l.InNote = l.Excerpt != nil
			}
		}
	}
	return nil
}

// missingWords returns the words that a search wants in a place, among others, and that the texts of a link do not have.
func missingWords(where waymark.Condition, in waymark.TextFields, links []waymark.Link) map[waymark.LinkID][]string {
	missing := map[waymark.LinkID][]string{}
	for _, text := range waymark.Wanted(where) {
		if text.In&in == 0 {
			continue
		}
		word := waymark.Plain(text.Text)
		for _, l := range links {
			if text.In&waymark.InTexts == 0 || !strings.Contains(waymark.Plain(l.URL+"\n"+l.Title+"\n"+l.Description), word) {
				missing[l.ID] = append(missing[l.ID], waymark.QueryWords(word)...)
			}
		}
	}
	return missing
}

// offer is another search that a page offers if its own has found few links or none.
type offer struct {
	Path, Text string
	N          int // the links that it finds
	search     search
}

// otherSearches returns searches that find more than one that finds total links, the best first, and the trash if
// there are words and it finds nothing.
func otherSearches(r *page.Request, s search, total int) (offers []offer, err error) {
	if total >= store.FewLinks || !s.restricts() {
		return nil, nil
	}
	parts := s.parts()
	searched := waymark.Map(parts, func(c waymark.Condition) waymark.Condition { return filterOf(r, c).Where })
	found, err := r.Store.Instead(r.Context(), r.User.ID, waymark.LinkFilter{Zone: r.Zone}, searched, total)
	if err != nil {
		return nil, err
	}
	for _, in := range found {
		other := search{Path: "/links", Where: in.Apply(parts)}
		text := other.text()
		switch {
		case in.Snapshots:
			text = r.T("links.offer-snapshots")
		case len(in.Texts) == 0 && len(in.Without) == 1:
			text = r.T("links.offer-without", "text", query.Print(s.labels.withNames(parts[in.Without[0]])))
		}
		offers = append(offers, offer{other.path(), text, in.Total, other})
	}
	words := search{Where: s.words()}
	if total > 0 || !words.restricts() {
		return offers, nil
	}
	trashed, err := trashedLinks(r, words.text()).LastChanged(waymark.Pagination{Limit: 1}).Page(r.Context())
	if err == nil && trashed.Total > 0 {
		offers = append(offers, offer{Path: "/trash/links?" + page.QueryOf("words", words.text()), Text: r.T("links.offer-trash"), N: trashed.Total})
	}
	return offers, err
}
