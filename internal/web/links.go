package web

import (
	"waymark/internal/waymark"
)

// linksPage is the data of the page with links.
type linksPage struct {
	v     *visit
	Query string
	Order string
	View  string
	Days  []day
	Pager pager
}

// day is a group of links under one heading. The heading is "" if the links are not grouped.
type day struct {
	Heading string
	Links   []linkView
}

// linkOrders are the orders of links by their name in the query.
var linkOrders = map[string]waymark.Order{
	"newest": {By: waymark.SortByCreatedAt, Desc: true},
	"oldest": {By: waymark.SortByCreatedAt},
	"title":  {By: waymark.SortByTitle},
	"edited": {By: waymark.SortByUpdatedAt, Desc: true},
}

// linkOrderNames are the names of the orders, as the page offers them. The first one is the
// default.
var linkOrderNames = []string{"newest", "oldest", "title", "edited"}

func (v *visit) showLinks() error {
	query := v.r.URL.Query()
	data := linksPage{v: v, Query: query.Get("query"), Order: query.Get("order"), View: v.view()}
	order, ok := linkOrders[data.Order]
	if !ok {
		data.Order = linkOrderNames[0]
		order = linkOrders[data.Order]
	}
	perPage := v.perPage()
	pagination := waymark.Pagination{Offset: (pageNumber(v) - 1) * perPage, Limit: perPage}
	listing := v.Store.Links(v.user.ID, order, pagination)
	if data.Query != "" {
		filter := waymark.LinkFilter{Text: data.Query, SearchTitle: true, SearchDescription: true}
		listing = v.Store.SearchLinks(v.user.ID, filter, order, pagination)
	}
	found, err := listing.Page(v.ctx())
	if err != nil {
		return err
	}
	data.Pager = newPager(v, found.Total, perPage)
	data.Days = v.days(found.Entities, order)
	return v.render("links", data)
}

// days groups links by the day on which they were saved, if they are in that order.
func (v *visit) days(links []waymark.Link, order waymark.Order) []day {
	var days []day
	for _, l := range links {
		heading := ""
		if order.By == waymark.SortByCreatedAt {
			heading = v.dayHeading(l.CreatedAt)
		}
		if len(days) == 0 || days[len(days)-1].Heading != heading {
			days = append(days, day{Heading: heading})
		}
		last := &days[len(days)-1]
		last.Links = append(last.Links, v.linkView(l))
	}
	return days
}

// pageTitle implements titled.
func (p linksPage) pageTitle() string {
	if p.Query != "" {
		return p.v.t("links.search-title", "query", p.Query)
	}
	return p.v.t("links.title")
}

// Orders are the orders that the page offers.
func (p linksPage) Orders() []string { return linkOrderNames }

// view returns the view of links: that of the query, or that of the settings.
func (v *visit) view() string {
	switch view := v.r.URL.Query().Get("view"); view {
	case "comfortable", "compact", "cards":
		return view
	}
	if v.settings.View != "" {
		return string(v.settings.View)
	}
	return "comfortable"
}

// defaultPerPage is the number of links on a page.
const defaultPerPage = 24

func (v *visit) perPage() int {
	if n := v.settings.LinksPerPage; n > 0 {
		return n
	}
	return defaultPerPage
}
