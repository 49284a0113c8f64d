package linkding

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/query"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// listBookmarks lists the user's own bookmarks that are not archived.
func (a *API) listBookmarks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.list(w, r, user, waymark.AndOf(waymark.OwnedBy{ID: user.ID}, waymark.NotOf(waymark.IsArchived)))
}

func (a *API) listArchived(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.list(w, r, user, waymark.AndOf(waymark.OwnedBy{ID: user.ID}, waymark.IsArchived))
}

// listShared lists the bookmarks that users share with each other, and for guests those that are public.
func (a *API) listShared(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	where, _, err := a.sharedBy(r.Context(), user, parameter(httpx.ParseQuery(r.URL.RawQuery), "user"))
	if err != nil {
		return err
	}
	return a.list(w, r, user, where)
}

// sharedBy returns the condition of the bookmarks that a user shares, or all users for the name "". If no user has
// the name, known is false, and the condition is that of all users. Without pages for guests, guests see nothing.
func (a *API) sharedBy(ctx context.Context, viewer waymark.User, name string) (where waymark.Condition, known bool, err error) {
	where = waymark.NotOf(waymark.IsPrivate)
	if viewer.ID == waymark.Guest && !a.Settings.GuestPages {
		return waymark.Or{}, true, nil
	}
	if name == "" {
		return where, true, nil
	}
	owner, err := a.Store.Accounts.UserByName(ctx, name)
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		return where, false, nil
	case err != nil:
		return nil, false, err
	}
	return waymark.AndOf(where, waymark.OwnedBy{ID: owner.ID}), true, nil
}

// list lists the bookmarks that satisfy a condition and the filters of the request.
func (a *API) list(w http.ResponseWriter, r *http.Request, viewer waymark.User, base waymark.Condition) error {
	p := a.newPageWriter(w, r)
	filters, err := a.filters(r.Context(), viewer, p.parameters)
	if err != nil {
		return err
	}
	filter := waymark.LinkFilter{Where: waymark.AndOf(base, filters)}
	listing := a.Store.SearchLinks(viewer.ID, filter, orderOf(parameter(p.parameters, "sort")), p.pagination)
	return a.streamBookmarks(r.Context(), p, viewer.ID, listing)
}

// streamBookmarks writes a page of bookmarks.
func (a *API) streamBookmarks(ctx context.Context, p pageWriter, viewer waymark.UserID, listing store.Listing[waymark.Link]) error {
	return listing.Stream(ctx, func(total int, links iter.Seq2[waymark.Link, error]) error {
		return writePage(p, total, a.bookmarks(ctx, viewer, links), func(b bookmarkJSON) bookmarkJSON { return b })
	})
}

// notesBatch is the number of links whose notes are read with one statement.
const notesBatch = 100

// bookmarks yields links with their notes.
func (a *API) bookmarks(ctx context.Context, viewer waymark.UserID, links iter.Seq2[waymark.Link, error]) iter.Seq2[bookmarkJSON, error] {
	return func(yield func(bookmarkJSON, error) bool) {
		var batch []waymark.Link
		send := func() bool {
			ids := waymark.Map(batch, func(e waymark.Link) waymark.LinkID { return e.ID })
			notes, err := a.Store.FirstNotes(ctx, viewer, ids)
			if err != nil {
				return yield(bookmarkJSON{}, err) && false
			}
			for i := range batch {
				if !yield(newBookmarkJSON(&batch[i], notes[batch[i].ID].Text), nil) {
					return false
				}
			}
			batch = batch[:0]
			return true
		}
		for link, err := range links {
			if err != nil {
				yield(bookmarkJSON{}, err)
				return
			}
			if batch = append(batch, link); len(batch) == notesBatch && !send() {
				return
			}
		}
		send()
	}
}

// orders are the values of the parameter sort. The default is added_desc, also for other values.
var orders = map[string]waymark.Order{
	"added_asc":     {By: waymark.SortByCreatedAt},
	"added_desc":    newestFirst,
	"modified_asc":  {By: waymark.SortByUpdatedAt},
	"modified_desc": {By: waymark.SortByUpdatedAt, Desc: true},
	"title_asc":     {By: waymark.SortByTitle},
	"title_desc":    {By: waymark.SortByTitle, Desc: true},
}

var newestFirst = waymark.Order{By: waymark.SortByCreatedAt, Desc: true}

func orderOf(sort string) waymark.Order {
	if order, ok := orders[sort]; ok {
		return order
	}
	return newestFirst
}

// filters returns the condition that the parameters of a list ask for. As in linkding, unreadable values
// are ignored, but an unreadable query finds nothing.
func (a *API) filters(ctx context.Context, viewer waymark.User, q url.Values) (waymark.Condition, error) {
	all := []waymark.Condition{waymark.And{}}
	if text := strings.TrimSpace(parameter(q, "q")); text != "" {
		all = append(all, query.ParseLinkding(text))
	}
	bundle, err := a.bundleOf(ctx, viewer, q)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return nil, err
	}
	all = append(all, bundle.Where(), waymark.FilterState(parameter(q, "unread")).Where(waymark.IsUnread), waymark.FilterState(parameter(q, "shared")).Where(waymark.NotOf(waymark.IsPrivate)))
	if at, ok := parseTime(parameter(q, "added_since")); ok {
		all = append(all, waymark.Since{After: at})
	}
	if at, ok := parseTime(parameter(q, "modified_since")); ok {
		all = append(all, waymark.Since{Edited: true, After: at})
	}
	return a.withTags(ctx, viewer, waymark.AndOf(all...))
}

// bundleOf returns the viewer's bundle that the parameters name, or waymark.ErrNotFound.
func (a *API) bundleOf(ctx context.Context, viewer waymark.User, q url.Values) (waymark.Bundle, error) {
	id, err := strconv.ParseInt(strings.TrimSpace(parameter(q, "bundle")), 10, 64)
	if err != nil {
		return waymark.Bundle{}, waymark.ErrNotFound
	}
	return a.Store.Accounts.Bundle(ctx, viewer.ID, waymark.BundleID(id))
}

// withTags returns a condition with the tags that are shown with the names.
func (a *API) withTags(ctx context.Context, viewer waymark.User, c waymark.Condition) (waymark.Condition, error) {
	var names []string
	for leaf := range waymark.Leaves(c) {
		if labeled, ok := leaf.(waymark.Labeled); ok {
			for _, ref := range labeled.Refs {
				names = append(names, ref.Name)
			}
		}
	}
	known, err := a.tagsByName(ctx, viewer.ID, names)
	if err != nil {
		return nil, err
	}
	return waymark.MapLeaves(c, func(leaf waymark.Condition) waymark.Condition {
		labeled, ok := leaf.(waymark.Labeled)
		if !ok {
			return leaf
		}
		var refs []waymark.Ref
		for _, ref := range labeled.Refs {
			for _, tag := range known[shownKey(ref.Name)] {
				refs = append(refs, waymark.Ref{ID: int64(tag.ID)})
			}
		}
		if len(refs) == 0 {
			return waymark.Or{}
		}
		labeled.Refs = refs
		return labeled
	}), nil
}
