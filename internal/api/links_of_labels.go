package api

import (
	"net/http"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (a *API) listLinksOfList(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ListID) error {
	if _, err := a.Store.List(r.Context(), user.ID, id); err != nil {
		return err
	}
	q := queryParams(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	links := a.Store.LinksOfList(user.ID, id, order, page.pagination())
	if q.bool("sublists") {
		links = a.Store.SearchLinks(user.ID, waymark.LinkFilter{Where: waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: int64(id)}}}}, order, page.pagination())
	}
	return store.WithFlags(links, q.flags()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}

func (a *API) listLinksOfTag(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.TagID) error {
	if _, err := a.Store.Tag(r.Context(), user.ID, id); err != nil {
		return err
	}
	q := queryParams(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	links := a.Store.LinksOfTag(user.ID, id, order, page.pagination())
	return store.WithFlags(links, q.flags()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}
