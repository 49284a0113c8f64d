package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// labelFilter returns the filter of a page with all lists or tags, from its parameters: a part of the names, the list
// in which they stand, whether they are those of others, and whether it shows only empty ones, which are the user's own.
func labelFilter(r *page.Request, parameters url.Values) waymark.LabelFilter {
	filter := waymark.LabelFilter{
		Name: strings.TrimSpace(parameters.Get("name")), Empty: parameters.Get("empty") == "1", In: waymark.ListID(idIn(parameters.Get("in"))),
	}
	if parameters.Get("shared") == "1" {
		filter.Not = r.User.ID
	}
	if filter.Empty {
		filter.Owner = r.User.ID
	}
	return filter
}

// labelSelection is what a page with all lists or tags says about the selection of some of them.
type labelSelection struct {
	Kind      string // lists or tags
	Total     int    // that the filter of the page selects
	Selection string // the parameters of the filter
	Back      string
	Empty     bool   // the page shows only empty ones
	EmptyPath string // of the page with the empty ones, or with all if it shows only these
}

func newLabelSelection(r *page.Request, kind string, filter waymark.LabelFilter, total int) labelSelection {
	parameters := url.Values{}
	for _, name := range []string{"name", "order", "empty", "in", "shared"} {
		if value := r.Parameters.Get(name); value != "" {
			parameters.Set(name, value)
		}
	}
	s := labelSelection{Kind: kind, Total: total, Selection: parameters.Encode(), Back: page.JoinQuery("/"+kind, r.Parameters.Encode()), Empty: filter.Empty}
	if filter.Empty {
		parameters.Del("empty")
	} else {
		parameters.Set("empty", "1")
	}
	s.EmptyPath = page.JoinQuery("/"+kind, parameters.Encode())
	return s
}

// selectedLabels returns the ids of the lists or tags that a form or a page's parameters select: the ticked ones, or
// all of the user's own in the page's filter. They can be one more than waymark.MaxBulk.
func selectedLabels(r *page.Request, kind waymark.EntityKind, values url.Values) ([]int64, error) {
	if values.Get("all") == "" {
		return tickedIDs(r, values["models"]), nil
	}
	filter, part := labelFilter(r, page.ParseQuery(values.Get("selection"))), waymark.Pagination{Limit: waymark.MaxBulk + 1}
	filter.Owner = r.User.ID
	var ids []int64
	if kind == waymark.Tags {
		found, err := r.Store.SearchTags(r.Context(), r.User.ID, filter, byName, part)
		for _, tag := range found.Entities {
			ids = append(ids, int64(tag.ID))
		}
		return ids, err
	}
	found, err := r.Store.SearchLists(r.Context(), r.User.ID, filter, byName, part)
	for _, list := range found.Entities {
		ids = append(ids, int64(list.ID))
	}
	return ids, err
}

func bulkLists(r *page.Request) error { return bulkLabels(r, waymark.Lists) }

func bulkTags(r *page.Request) error { return bulkLabels(r, waymark.Tags) }

func bulkLabels(r *page.Request, kind waymark.EntityKind) error {
	name := kind.String()
	back, change := r.Back("/"+name), r.Field("do")
	var edit waymark.BulkEdit
	switch change {
	case "": // Enter, with the focus on a box
		return r.Redirect(back)
	case "trash":
	case "public", "internal", "private":
		visibility, err := waymark.ParseVisibility(change)
		if err != nil {
			return err
		}
		edit.Visibility = &visibility
	default:
		return page.Error{Status: http.StatusBadRequest}
	}
	ids, err := selectedLabels(r, kind, r.HTTP.PostForm)
	if err != nil {
		return err
	}
	if wrong := selectionProblem(r, len(ids), "bulk."+name+"-none", "bulk.too-many-labels"); wrong != "" {
		return r.Changed(back, page.Toast{Text: wrong})
	}
	return makeChange(r, back, true, func(ctx context.Context, s *service.Service) (string, error) {
		n, err := changeLabels(ctx, s, r.User, kind, ids, edit)
		return r.T("bulk."+name+"-"+change, "n", n), err
	})
}

// changeLabels sets the visibility of lists or tags, or moves them to the trash if edit has none, and returns how many
// of them are the user's own.
func changeLabels(ctx context.Context, s *service.Service, user waymark.User, kind waymark.EntityKind, ids []int64, edit waymark.BulkEdit) (int, error) {
	switch {
	case edit.Visibility == nil:
		deleted, err := s.DeleteMany(ctx, user, kind, ids)
		return len(deleted), err
	case kind == waymark.Tags:
		changed, err := s.EditTags(ctx, user, ids, edit)
		return changed.Len(), err
	}
	changed, err := s.EditLists(ctx, user, ids, edit)
	return changed.Len(), err
}
