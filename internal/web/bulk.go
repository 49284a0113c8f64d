package web

import (
	"context"
	"errors"
	"net/http"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// bulkEdit changes the selected links, or all that the query of the page selects.
func bulkEdit(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	back := v.back("/links")
	change, edit, err := bulkChange(v)
	if err != nil {
		return err
	}
	result := change // the name of the text about it
	switch {
	case change == "":
		return v.redirect(back)
	case change == "add-lists" && len(edit.Lists) == 0, change == "add-tags" && len(edit.Tags) == 0:
		return v.changed(back, toast{Text: v.t("bulk.no-name")})
	case change == "replace-lists" && len(edit.Lists) == 0:
		result = "no-lists"
	case change == "replace-tags" && len(edit.Tags) == 0:
		result = "no-tags"
	}
	ids, err := selectedLinks(v)
	if err != nil {
		return err
	}
	switch {
	case len(ids) == 0:
		return v.changed(back, toast{Text: v.t("bulk.none")})
	case len(ids) > v.Settings.BulkLimit:
		return v.changed(back, toast{Text: v.t("bulk.too-many", "n", v.Settings.BulkLimit)})
	}
	if change == "fetch" || change == "check" {
		return bulkRequest(v, change, ids, back)
	}
	var n int
	undo, err := withUndoOptions(v, service.UndoOptions{Bulk: true}, func(ctx context.Context, s *service.Service) error {
		if change == "trash" {
			deleted, err := s.DeleteMany(ctx, v.user, waymark.Links, ids)
			n = len(deleted)
			return err
		}
		changed, err := s.EditLinks(ctx, v.user, ids, edit)
		if err != nil {
			return err
		}
		n = changed.Len()
		return nil
	})
	if err != nil {
		return shortProblem(v, err, back)
	}
	return v.changed(back, toast{Text: v.t("bulk."+result, "n", n), Undo: undo, Back: back})
}

// bulkRequest queues links whose pages are to be fetched again, or whose URLs are checked.
func bulkRequest(v *visit, change string, ids []int64, back string) error {
	request := v.Crawler.RequestPages
	if change == "check" {
		request = v.Crawler.RequestChecks
	}
	requested, err := request(v.ctx(), v.user, ids)
	if errors.Is(err, crawl.ErrNoPages) || errors.Is(err, crawl.ErrNoChecks) || errors.Is(err, crawl.ErrChecksOff) {
		return waymark.ErrNotFound // the page has no button for it
	}
	if err != nil {
		return err
	}
	return v.changed(back, toast{Text: v.t("bulk."+change, "n", len(requested)), Back: back})
}

// bulkChange returns which change the form asks for, "" for none, and the change itself. A
// person who presses Enter in the field for lists or tags adds them.
func bulkChange(v *visit) (change string, edit waymark.BulkEdit, err error) {
	change = v.field("do")
	lists, tags := *refs(parseNames(v.field("lists")), nil), *refs(parseNames(v.field("tags")), nil)
	if change == "" && len(lists) > 0 {
		change = "add-lists"
	}
	if change == "" && len(tags) > 0 {
		change = "add-tags"
	}
	switch change {
	case "trash", "fetch", "check", "":
	case "add-lists", "replace-lists":
		edit.Lists, edit.ReplaceLists = lists, change == "replace-lists"
	case "add-tags", "replace-tags":
		edit.Tags, edit.ReplaceTags = tags, change == "replace-tags"
	case "public", "internal", "private":
		visibility, err := waymark.ParseVisibility(change)
		if err != nil {
			return "", edit, err
		}
		edit.Visibility = &visibility
	default:
		return "", edit, pageError{http.StatusBadRequest}
	}
	return change, edit, nil
}

// selectedLinks returns the ids of the links that the form selects: the ticked ones, or all that
// the query of the page selects. They can be more than --bulk-limit permits.
func selectedLinks(v *visit) ([]int64, error) {
	if v.field("all") == "" {
		return tickedIDs(v, v.r.PostForm["models"]), nil
	}
	s, err := newSelection(v, linksQueryOf(parseQuery(v.field("selection"))))
	if err != nil {
		return nil, err
	}
	return v.Service.SelectLinks(v.ctx(), v.user, waymark.LinkSelection{Filter: &s.filter})
}

// tickedIDs returns the ids in the values of the tick boxes. After --bulk-limit of them it returns one more,
// which shows that they are too many.
func tickedIDs(v *visit, values []string) []int64 { return parseIDs(values, v.Settings.BulkLimit+1) }

// undoChange undoes a change.
func undoChange(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	result, err := v.Service.Undo(v.ctx(), v.user, v.session.ID, v.pathValue("token"))
	if err != nil {
		return err
	}
	message := v.t("bulk.undone")
	if result.Skipped > 0 {
		message = v.t("bulk.undone-partly", "n", result.Skipped)
	}
	return v.changed(v.back("/links"), toast{Text: message})
}
