package web

import (
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// pagination returns the part of a listing that the page in the request has.
func pagination(r *page.Request, perPage int) waymark.Pagination {
	return waymark.Pagination{Offset: (page.NumberOf(r) - 1) * perPage, Limit: perPage}
}

// newestFirst is the order of links in feeds and on pages for guests.
var newestFirst = waymark.Order{By: waymark.SortByCreatedAt, Desc: true}

// mostLinks is the order of lists by their number of links, most first.
var mostLinks = waymark.Order{By: waymark.SortByLinks, Desc: true}

// linkOrders are the orders of links by their name in the query.
var linkOrders = map[string]waymark.Order{
	"best":     waymark.BestMatch,
	"newest":   newestFirst,
	"oldest":   {By: waymark.SortByCreatedAt},
	"title":    {By: waymark.SortByTitle},
	"edited":   {By: waymark.SortByUpdatedAt, Desc: true},
	"shortest": {By: waymark.SortByMinutes},
}

// matchingLinks lists the links that a filter selects.
func matchingLinks(r *page.Request, filter waymark.LinkFilter, order waymark.Order, part waymark.Pagination) store.Listing[waymark.Link] {
	if filter.Where == waymark.Condition(waymark.Not{Condition: waymark.IsArchived}) {
		return r.Store.UnarchivedLinks(r.Viewer(), order, part)
	}
	return r.Store.SearchLinks(r.Viewer(), filter, order, part)
}
