package web

import (
	"fmt"
	"strconv"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxFacets is the maximum number of lists, of tags and of hosts that narrow a view.
const maxFacets = 8

// facetsPage is the data of the page with what narrows a view.
type facetsPage struct {
	Path   string // of the view
	Groups []facetGroup
	Years  []yearFacet
}

// facetGroup is a kind of conditions, such as tags.
type facetGroup struct {
	Heading string // the key of the sentence
	Choices []facet
}

// facet is a condition, and how many links of the view satisfy it.
type facet struct {
	Text  string
	Hue   int    // of the dot of a list, -1 for none
	Path  string // of the narrowed view
	Links int
}

// yearFacet is a year as a bar.
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

// showFacets shows what narrows the view of the query.
func showFacets(r *page.Request) error {
	q := linksQueryOf(r.Parameters)
	s, err := newSelection(r, q)
	if err != nil {
		return err
	}
	found, err := r.Store.Facets(r.Context(), r.User.ID, s.filter, maxFacets)
	if err != nil {
		return err
	}
	p := facetsPage{Path: q.path()}
	p.add(r, q, found)
	if r.Partial("facets") {
		return r.RenderPart("facets-part", p)
	}
	return r.Render("filter", p)
}

// add adds the conditions that only a part of the links satisfies.
func (p *facetsPage) add(r *page.Request, q linksQuery, found waymark.Facets) {
	n := narrowingOf(q)
	lists, tags, hosts := facetGroup{Heading: "shell.lists"}, facetGroup{Heading: "shell.tags"}, facetGroup{Heading: "filter.hosts"}
	add := func(group *facetGroup, text string, hue int, condition string, links int) {
		if links < found.Total {
			group.Choices = append(group.Choices, facet{text, hue, n.with(condition), links})
		}
	}
	for _, list := range found.Lists {
		add(&lists, list.Name, page.Hue(list.Name), listCondition(int64(list.ID)), list.LinkCount)
	}
	for _, tag := range found.Tags {
		add(&tags, "#"+tag.Name, -1, tagCondition(int64(tag.ID)), tag.LinkCount)
	}
	for _, host := range found.Hosts {
		add(&hosts, host.Host, -1, siteCondition(host.Host), host.Links)
	}
	for _, group := range []facetGroup{lists, tags, hosts} {
		if len(group.Choices) > 0 {
			p.Groups = append(p.Groups, group)
		}
	}
	p.addYears(r, n, found)
}

// addYears adds the years, and what is older, if links were saved in more than one.
func (p *facetsPage) addYears(r *page.Request, n *narrowing, found waymark.Facets) {
	most := found.Older.Links
	for _, year := range found.Years {
		most = max(most, year.Links)
	}
	if most == found.Total {
		return
	}
	add := func(text, short string, c waymark.Dated, links int) {
		height := max(minBar, links*maxBar/most)
		p.Years = append(p.Years, yearFacet{facet{text, -1, n.with(query.Print(c)), links}, short, maxBar - height, height})
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
