package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxFacets is how many lists, tags and hosts each are offered to narrow a view.
const maxFacets = 8

// facetsPage is the data of the page with what narrows a view.
type facetsPage struct {
	Path   string // of the view
	Links  int    // of the view, 0 if it is not known
	Groups []facetGroup
	Years  []yearFacet
}

type facetGroup struct {
	Heading string // the key of the sentence
	How     string // the key of the sentence that says how several are combined
	Choices []facet
}

// facet is a condition that can be ticked and unticked, and how many links satisfy it.
type facet struct {
	Text      string
	Hue       int    // of the dot of a list, -1 for none
	Condition string // as a part of a query
	Path      string // of the view with the condition, or without it if it is chosen
	Links     int    // -1 if it is not known
	Chosen    bool
}

type yearFacet struct {
	facet
	Short       string
	Top, Height int // of maxBar
}

// maxBar and minBar are the heights of the bars of the years with the most and the fewest links.
const (
	maxBar = 60
	minBar = 2
)

// showFacets shows what narrows a search. In the menu, a choice leads to the narrowed search. On a page of its own, it
// leads to the same page for that search.
func showFacets(r *page.Request) error {
	path := "/links"
	if id := idIn(r.Parameters.Get("saved")); id != 0 {
		path = searchPathOf(waymark.SavedSearchID(id))
	}
	s, err := readSearch(r, path, r.Parameters)
	if err != nil {
		return err
	}
	c := choices{r: r, search: s, pathOf: search.facetsPath}
	if r.Partial("facets") {
		c.pathOf = search.path
	}
	all := filterOf(r, s.Where) // a narrowed search has the archived links, too
	if c.found, err = r.Store.Facets(r.Context(), r.User.ID, all, maxFacets); err != nil {
		return err
	}
	p := facetsPage{Path: s.path(), Links: c.found.Total}
	if s.showsAll() {
		links, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{s.filter(r)})
		if err != nil {
			return err
		}
		p.Links = links[0]
	}
	if err := p.add(c); err != nil {
		return err
	}
	if r.Partial("facets") {
		return r.RenderPart("facets-part", p)
	}
	return r.Render("filter", p)
}

func (p *facetsPage) add(c choices) error {
	lists, err := c.anyOf(isLabel(waymark.Lists))
	if err != nil {
		return err
	}
	hosts, err := c.anyOf(isSite)
	if err != nil {
		return err
	}
	years, err := c.anyOf(isYear)
	if err != nil {
		return err
	}
	tags := c.allOf(isLabel(waymark.Tags))
	texts, err := c.r.Store.ListTexts(c.r.Context(), c.r.User.ID, lists.found.Lists)
	if err != nil {
		return err
	}
	for _, list := range lists.found.Lists {
		lists.offer(texts[list.ID], hasID(waymark.Lists, int64(list.ID)), list.LinkCount)
	}
	for _, tag := range c.found.Tags {
		tags.offer("#"+tag.Name, hasID(waymark.Tags, int64(tag.ID)), tag.LinkCount)
	}
	for _, host := range hosts.found.Hosts {
		hosts.offer(host.Host, waymark.OnSite(host.Host), host.Links)
	}
	for _, group := range []facetGroup{
		{"shell.lists", "filter.any-of", lists.choices}, {"shell.tags", "filter.all-of", tags.choices}, {"filter.hosts", "filter.any-of", hosts.choices},
	} {
		if len(group.Choices) > 0 {
			p.Groups = append(p.Groups, group)
		}
	}
	p.addYears(c.r, years)
	return nil
}

// addYears adds the years, and what is older, if links were saved in more than one.
func (p *facetsPage) addYears(r *page.Request, years alternatives) {
	found := years.found
	most := found.Older.Links
	for _, year := range found.Years {
		most = max(most, year.Links)
	}
	if most == found.Total && len(years.chosen) == 0 {
		return
	}
	add := func(text, short string, c waymark.Dated, links int) {
		height := max(minBar, links*maxBar/most)
		p.Years = append(p.Years, yearFacet{years.facet(text, c, links), short, maxBar - height, height})
	}
	if older := found.Older; older.Links > 0 {
		year := strconv.Itoa(older.Year)
		add(r.T("filter.before", "date", year), "…", waymark.Dated{Field: waymark.SavedBefore, Period: year}, older.Links)
	}
	for _, year := range found.Years {
		text := strconv.Itoa(year.Year)
		add(text, fmt.Sprintf("’%02d", year.Year%100), waymark.Dated{Field: waymark.SavedOn, Period: text}, year.Links)
	}
}

// choices make the searches that have one more condition or one fewer.
type choices struct {
	r      *page.Request
	search search
	found  waymark.Facets      // of the search
	pathOf func(search) string // of the page that shows a search
}

// alternatives are the conditions of one kind, those of a search first.
type alternatives struct {
	chosen  []waymark.Condition
	found   waymark.Facets // of the links among which is chosen
	choices []facet
	pathOf  func(chosen []waymark.Condition) string
}

// anyOf returns the alternatives of which a link satisfies at least one: the first part of the search with only
// conditions of a kind. The links of the search without that part are counted.
func (c choices) anyOf(ofKind func(waymark.Condition) bool) (alternatives, error) {
	parts := c.search.parts()
	a, at := alternatives{found: c.found}, len(parts)
	for i, part := range parts {
		either, ok := part.(waymark.Or)
		if !ok {
			either = waymark.Or{part}
		}
		if !slices.ContainsFunc(either, func(c waymark.Condition) bool { return !ofKind(c) }) {
			a.chosen, at = either, i
			break
		}
	}
	a.pathOf = func(chosen []waymark.Condition) string {
		changed := append([]waymark.Condition{}, parts[:at]...)
		if len(chosen) > 0 {
			changed = append(changed, waymark.OrOf(chosen...))
		}
		return c.pathOf(c.search.with(waymark.AndOf(append(changed, parts[min(at+1, len(parts)):]...)...)))
	}
	if len(a.chosen) == 0 {
		return a, nil
	}
	without := filterOf(c.r, c.search.without(at).Where)
	var err error
	if a.found, err = c.r.Store.Facets(c.r.Context(), c.r.User.ID, without, maxFacets); err != nil {
		return a, err
	}
	links, err := c.r.Store.CountLinks(c.r.Context(), c.r.User.ID, waymark.Map(a.chosen, func(chosen waymark.Condition) waymark.LinkFilter {
		return waymark.LinkFilter{Where: waymark.AndOf(without.Where, chosen), Zone: without.Zone}
	}))
	if err != nil {
		return a, err
	}
	for i, chosen := range a.chosen {
		a.choices = append(a.choices, a.facet(c.nameOf(chosen), chosen, links[i]))
	}
	return a, nil
}

// allOf returns the parts of the search that are conditions of a kind. A link satisfies all of them.
func (c choices) allOf(ofKind func(waymark.Condition) bool) alternatives {
	a := alternatives{chosen: c.search.parts(), found: c.found}
	a.pathOf = func(chosen []waymark.Condition) string { return c.pathOf(c.search.with(waymark.AndOf(chosen...))) }
	for _, part := range a.chosen {
		if ofKind(part) {
			a.choices = append(a.choices, a.facet(c.nameOf(part), part, cmp.Or(c.found.Total, -1)))
		}
	}
	return a
}

func (c choices) nameOf(chosen waymark.Condition) string {
	if labeled, ok := chosen.(waymark.Labeled); ok {
		name, _ := c.search.labels.nameOf(c.r, labeled)
		return name
	}
	return c.search.labels.textOf(c.r, chosen)
}

// offer adds a condition that some links satisfy, unless it is chosen or all links satisfy it.
func (a *alternatives) offer(text string, c waymark.Condition, links int) {
	if choice := a.facet(text, c, links); !choice.Chosen && links < a.found.Total {
		a.choices = append(a.choices, choice)
	}
}

// facet returns a condition as a choice.
func (a *alternatives) facet(text string, c waymark.Condition, links int) facet {
	choice := facet{Text: text, Hue: -1, Condition: query.Print(c), Links: links}
	if isLabel(waymark.Lists)(c) {
		choice.Hue = page.Hue(text)
	}
	at := slices.IndexFunc(a.chosen, isEqual(c))
	if choice.Chosen = at >= 0; choice.Chosen {
		choice.Path = a.pathOf(slices.Delete(slices.Clone(a.chosen), at, at+1))
	} else {
		choice.Path = a.pathOf(append(slices.Clip(a.chosen), c))
	}
	return choice
}

// isLabel reports whether a condition is that links have one list or tag.
func isLabel(kind waymark.EntityKind) func(waymark.Condition) bool {
	return func(c waymark.Condition) bool {
		labeled, ok := c.(waymark.Labeled)
		return ok && labeled.Kind == kind && !labeled.Prefix && labeled.Refs[0].ID != 0
	}
}

func isSite(c waymark.Condition) bool {
	_, ok := c.(waymark.OnSite)
	return ok
}

// isYear reports whether a condition is one that the bars of the years have.
func isYear(c waymark.Condition) bool {
	dated, ok := c.(waymark.Dated)
	return ok && (dated.Field == waymark.SavedOn || dated.Field == waymark.SavedBefore)
}
