package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// bulkEdit changes the selected links, or all that the query of the page selects.
func bulkEdit(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	back := r.Back(r.LinksPath())
	change, edit, err := bulkChange(r)
	if err != nil {
		return err
	}
	result := change // the name of the text about it
	if verb, kind, ok := strings.Cut(change, "-"); ok && len(edit.Lists)+len(edit.Tags) == 0 {
		if verb != "replace" {
			return r.Changed(back, page.Toast{Text: r.T("bulk.no-name")})
		}
		result = "no-" + kind
	}
	if change == "" {
		return r.Redirect(back)
	}
	ids, err := selectedLinks(r)
	if err != nil {
		return err
	}
	switch {
	case len(ids) == 0:
		return r.Changed(back, page.Toast{Text: r.T("bulk.none")})
	case len(ids) > r.Config.BulkLimit:
		return r.Changed(back, page.Toast{Text: r.T("bulk.too-many", "n", r.Config.BulkLimit)})
	}
	if change == "fetch" || change == "check" {
		return bulkRequest(r, change, ids, back)
	}
	left, err := listsLeft(r, edit)
	if err != nil {
		return err
	}
	var n int
	undo, err := withUndoOptions(r, service.UndoOptions{Bulk: true}, func(ctx context.Context, s *service.Service) error {
		if change == "trash" {
			deleted, err := s.DeleteMany(ctx, r.User, waymark.Links, ids)
			n = len(deleted)
			return err
		}
		changed, err := s.EditLinks(ctx, r.User, ids, edit)
		if err != nil {
			return err
		}
		n = changed.Len()
		if len(left) > 0 {
			_, err = s.EditLinks(ctx, r.User, ids, waymark.BulkEdit{Lists: left, ListsMode: waymark.RemoveRefs})
		}
		return err
	})
	if err != nil {
		return shortProblem(r, err, back)
	}
	if undo == "" && strings.HasPrefix(change, "remove-") { // no link had one of the names
		result = "nothing-removed"
	}
	return r.Changed(back, page.Toast{Text: r.T("bulk."+result, "n", n, "names", namesIn(edit)), Undo: undo, Back: back})
}

// listsLeft returns the lists that links leave when people drag them from the page of a list onto another one: that
// list and its sublists, without the other one.
func listsLeft(r *page.Request, edit waymark.BulkEdit) (lists []waymark.Ref, err error) {
	from := listField(r, "from")
	if from == 0 || len(edit.Lists) == 0 {
		return nil, nil
	}
	tree, err := r.Store.ListTree(r.Context(), r.User.ID)
	for _, list := range tree {
		isFrom := list.ID == from || slices.ContainsFunc(list.Path, func(above waymark.ListName) bool { return above.ID == from })
		if isFrom && int64(list.ID) != edit.Lists[0].ID {
			lists = append(lists, waymark.Ref{ID: int64(list.ID)})
		}
	}
	return lists, err
}

// namesIn returns the names of the lists or tags of an edit, for the message about it.
func namesIn(edit waymark.BulkEdit) string {
	var names []string
	for _, list := range edit.Lists {
		names = append(names, list.Name)
	}
	for _, tag := range edit.Tags {
		names = append(names, "#"+tag.Name)
	}
	return cut(strings.Join(names, ", "), maxQuoted)
}

// bulkRequest queues links whose pages are to be fetched again, or whose URLs are checked.
func bulkRequest(r *page.Request, change string, ids []int64, back string) error {
	request := r.Crawler.RequestPages
	if change == "check" {
		request = r.Crawler.RequestChecks
	}
	requested, err := request(r.Context(), r.User, ids)
	if errors.Is(err, crawl.ErrNoPages) || errors.Is(err, crawl.ErrNoChecks) || errors.Is(err, crawl.ErrChecksOff) {
		return waymark.ErrNotFound // the page has no button for it
	}
	if err != nil {
		return err
	}
	return r.Changed(back, page.Toast{Text: r.T("bulk."+change, "n", len(requested)), Back: back})
}

// refsModes are what a form can do with the lists or tags that it names.
var refsModes = map[string]waymark.RefsMode{"add": waymark.AppendRefs, "replace": waymark.ReplaceRefs, "remove": waymark.RemoveRefs}

// bulkChange returns which change the form asks for, "" for none, and the change itself. A
// person who presses Enter in the field for lists or tags adds them. A person who drags links onto a list or tag
// sends its id.
func bulkChange(r *page.Request) (change string, edit waymark.BulkEdit, err error) {
	if id := listField(r, "list"); id != 0 {
		list, err := r.Store.List(r.Context(), r.User.ID, id)
		edit.Lists = []waymark.Ref{{ID: int64(id), Name: list.Name}}
		return "add-lists", edit, err
	}
	if ids := parseIDs([]string{r.Field("tag")}, 1); len(ids) > 0 {
		tag, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(ids[0]))
		edit.Tags = []waymark.Ref{{ID: ids[0], Name: tag.Name}}
		return "add-tags", edit, err
	}
	change = r.Field("do")
	lists, tags := *refs(parseNames(r.Field("lists")), nil), *refs(parseNames(r.Field("tags")), nil)
	if change == "" && len(lists) > 0 {
		change = "add-lists"
	}
	if change == "" && len(tags) > 0 {
		change = "add-tags"
	}
	switch change {
	case "trash", "fetch", "check", "":
	case "add-lists", "replace-lists", "remove-lists":
		edit.Lists, edit.ListsMode = lists, refsModes[strings.TrimSuffix(change, "-lists")]
	case "add-tags", "replace-tags", "remove-tags":
		edit.Tags, edit.TagsMode = tags, refsModes[strings.TrimSuffix(change, "-tags")]
	case "unread", "read", "favorite", "unfavorite", "archive", "unarchive":
		edit.FlagsInput = flagChanges[change]
	case "public", "internal", "private":
		visibility, err := waymark.ParseVisibility(change)
		if err != nil {
			return "", edit, err
		}
		edit.Visibility = &visibility
	default:
		return "", edit, page.Error{Status: http.StatusBadRequest}
	}
	return change, edit, nil
}

// selectedLinks returns the ids of the links that the form selects: the ticked ones, or all that
// the query of the page selects. They can be more than --bulk-limit permits.
func selectedLinks(r *page.Request) ([]int64, error) {
	if r.Field("all") == "" {
		return tickedIDs(r, r.HTTP.PostForm["models"]), nil
	}
	s, err := newSelection(r, linksQueryOf(page.ParseQuery(r.Field("selection"))))
	if err != nil {
		return nil, err
	}
	return r.Service.SelectLinks(r.Context(), r.User, waymark.LinkSelection{Filter: &s.filter})
}

// tickedIDs returns the ids in the values of the tick boxes. After --bulk-limit of them it returns one more,
// which shows that they are too many.
func tickedIDs(r *page.Request, values []string) []int64 {
	return parseIDs(values, r.Config.BulkLimit+1)
}

func undoChange(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	result, err := r.Service.Undo(r.Context(), r.User, r.Session.ID, r.PathValue("token"))
	if err != nil {
		return err
	}
	message := r.T("bulk.undone")
	if result.Skipped > 0 {
		message = r.T("bulk.undone-partly", "n", result.Skipped)
	}
	return r.Changed(r.Back(r.LinksPath()), page.Toast{Text: message})
}
