package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

func bulkEdit(r *page.Request) error {
	back := r.Back(r.LinksPath())
	change, names, edits, err := bulkChange(r)
	if err != nil {
		return r.NotChanged(back, err)
	}
	switch {
	case change == "":
		return r.Redirect(back)
	case (change == "tags" || change == "lists") && names.empty():
		return r.Changed(back, page.Toast{Text: r.T("bulk.no-name")})
	}
	ids, err := selectedLinks(r, r.HTTP.PostForm)
	if err != nil {
		return err
	}
	if wrong := selectionProblem(r, len(ids), "bulk.none", "bulk.too-many"); wrong != "" {
		return r.Changed(back, page.Toast{Text: wrong})
	}
	if change == "fetch" || change == "check" {
		return bulkRequest(r, change, ids, back)
	}
	n, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (n int, err error) {
		if change == "trash" {
			deleted, err := s.DeleteMany(ctx, r.User, waymark.Links, ids)
			return len(deleted), err
		}
		for _, edit := range edits {
			changed, err := s.EditLinks(ctx, r.User, ids, edit)
			if err != nil {
				return 0, err
			}
			n = max(n, changed.Len())
		}
		return n, nil
	})
	if err != nil {
		return r.NotChanged(back, err)
	}
	changed := page.Toast{Text: names.message(r, change, n, undo != ""), Undo: undo, Back: back}
	if names.kind == waymark.Lists {
		if err := askPrivate(r, &changed, ids, names.add); err != nil {
			return err
		}
	}
	return r.Changed(back, changed)
}

// listsLeft returns the lists that links leave when people drag them from the page of a list onto another one: that
// list and its sublists, without the other one.
func listsLeft(r *page.Request, onto waymark.ListID) (lists []waymark.Ref, err error) {
	from := listField(r, "from")
	if from == 0 {
		return nil, nil
	}
	tree, err := r.Store.ListTree(r.Context(), r.User.ID)
	for _, list := range tree {
		isFrom := list.ID == from || slices.ContainsFunc(list.Path, func(above waymark.ListName) bool { return above.ID == from })
		if isFrom && list.ID != onto {
			lists = append(lists, waymark.Ref{ID: int64(list.ID)})
		}
	}
	return lists, err
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

// bulkChange returns which change the form asks for, "" for none, and its edits. A person who presses Enter in the
// field for lists or tags adds them. A person who drags links onto a list or tag sends its id, and that of the list
// from which they come.
func bulkChange(r *page.Request) (change string, names nameChange, edits []waymark.BulkEdit, err error) {
	if id := listField(r, "list"); id != 0 {
		list, err := r.Store.List(r.Context(), r.User.ID, id)
		if err != nil {
			return "", names, nil, err
		}
		texts, err := r.Store.ListTexts(r.Context(), r.User.ID, []waymark.List{list})
		if err != nil {
			return "", names, nil, err
		}
		names = nameChange{kind: waymark.Lists, add: []waymark.Ref{{ID: int64(id), Name: texts[id]}}}
		edits = names.edits()
		left, err := listsLeft(r, id)
		if len(left) > 0 {
			edits = append(edits, names.edit(left, waymark.RemoveRefs))
		}
		return "lists", names, edits, err
	}
	if ids := parseIDs([]string{r.Field("tag")}, 1); len(ids) > 0 {
		tag, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(ids[0]))
		names = nameChange{kind: waymark.Tags, add: []waymark.Ref{{ID: ids[0], Name: tag.Name}}}
		return "tags", names, names.edits(), err
	}
	if change = r.Field("do"); change == "" && r.Field("lists") != "" {
		change = "lists"
	}
	if change == "" && r.Field("tags") != "" {
		change = "tags"
	}
	edit := waymark.BulkEdit{}
	switch change {
	case "trash", "fetch", "check", "":
		return change, names, nil, nil
	case "lists", "tags":
		kind := waymark.Lists
		if change == "tags" {
			kind = waymark.Tags
		}
		names, err = readNameChange(r, kind, change)
		return change, names, names.edits(), err
	case "unread", "read", "favorite", "unfavorite", "archive", "unarchive":
		edit.FlagsInput = flagChanges[change]
	case "public", "internal", "private":
		visibility, err := waymark.ParseVisibility(change)
		if err != nil {
			return "", names, nil, err
		}
		edit.Visibility = &visibility
	default:
		return "", names, nil, page.Error{Status: http.StatusBadRequest}
	}
	return change, names, []waymark.BulkEdit{edit}, nil
}

// selectedLinks returns the ids of the links that a form selects: the ticked ones, or all of the page's
// query. They can be more than waymark.MaxBulk.
func selectedLinks(r *page.Request, values url.Values) ([]int64, error) {
	if values.Get("all") == "" {
		return tickedIDs(r, values["models"]), nil
	}
	all, err := readSearches(r, r.User.ID, values.Get("selection"))
	if err != nil {
		return nil, err
	}
	if canEdit, err := inEditableList(r, all[0].Where); canEdit || err != nil {
		if err != nil {
			return nil, err
		}
		return r.Store.MatchingLinks(r.Context(), r.User.ID, all[0].filter(r))
	}
	return r.Service.SelectLinks(r.Context(), r.User, waymark.LinkSelection{Filter: new(all[0].filter(r))})
}

// inEditableList reports whether links that satisfy a condition are in a list that the user may change. Links of others
// can be selected there.
func inEditableList(r *page.Request, c waymark.Condition) (bool, error) {
	var named []waymark.Ref
	mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		if labeled.Kind == waymark.Lists {
			named = append(named, labeled.Refs...)
		}
		return labeled
	})
	if len(named) == 0 {
		return false, nil
	}
	lists, err := r.Store.FindLists(r.Context(), r.User.ID, named)
	for _, list := range lists {
		if list.CanEdit {
			return true, err
		}
	}
	return false, err
}

// tickedIDs returns the ids in the values of the tick boxes. After waymark.MaxBulk of them it returns one more,
// which shows that they are too many.
func tickedIDs(r *page.Request, values []string) []int64 {
	return parseIDs(values, waymark.MaxBulk+1)
}

// selectionProblem says what is wrong with a selection of n entities, "" if nothing is. none and tooMany are keys of
// sentences.
func selectionProblem(r *page.Request, n int, none, tooMany string) string {
	switch {
	case n == 0:
		return r.T(none)
	case n > waymark.MaxBulk:
		return r.T(tooMany, "n", waymark.MaxBulk)
	}
	return ""
}

func undoChange(r *page.Request) error {
	result, err := r.Service.Undo(r.Context(), service.UndoOptions{User: r.User, Session: r.Session.ID}, r.PathValue("token"))
	if err != nil {
		return err
	}
	return r.Undone(r.Back(r.LinksPath()), result.Skipped)
}

// maxUsed is the maximum number of lists or tags of the selected links that can be ticked to remove them. A field
// takes the names of others.
const maxUsed = 12

// nameChange is how a form changes the lists or tags of the selected links.
type nameChange struct {
	kind        waymark.EntityKind
	add, remove []waymark.Ref
	only        bool // the links keep no others
}

func readNameChange(r *page.Request, kind waymark.EntityKind, name string) (nameChange, error) {
	read := func(field string) (*[]waymark.Ref, error) {
		if kind == waymark.Lists {
			return listRefs(r, parseNames(r.Field(field)), nil)
		}
		return refs(parseNames(r.Field(field)), nil), nil
	}
	c := nameChange{kind: kind, only: r.Field("only-"+name) != ""}
	add, err := read(name)
	if err != nil {
		return c, err
	}
	if c.add = *add; c.only {
		return c, nil
	}
	remove, err := read("remove-" + name)
	if err != nil {
		return c, err
	}
	c.remove = *remove
	ticked := refsOf(parseIDs(r.HTTP.PostForm["remove-"+name+"-ids"], maxUsed))
	var found labels
	err = found.find(r, r.User.ID, map[waymark.EntityKind][]waymark.Ref{kind: ticked})
	for _, ref := range ticked {
		if label, ok := found.of(kind, ref); ok { // else it was deleted since, and no link has it
			c.remove = append(c.remove, waymark.Ref{ID: ref.ID, Name: label.name})
		}
	}
	return c, err
}

// empty reports whether nothing was filled in.
func (c nameChange) empty() bool { return len(c.add)+len(c.remove) == 0 && !c.only }

// verb returns what the change does, for the text about it.
func (c nameChange) verb() string {
	switch {
	case c.only && len(c.add) == 0:
		return "no"
	case c.only:
		return "replace"
	case len(c.remove) == 0:
		return "add"
	case len(c.add) == 0:
		return "remove"
	}
	return "change"
}

// edits returns the changes in their order. Names are removed first, so that a link at its limit can get others.
func (c nameChange) edits() []waymark.BulkEdit {
	var edits []waymark.BulkEdit
	if len(c.remove) > 0 {
		edits = append(edits, c.edit(c.remove, waymark.RemoveRefs))
	}
	switch {
	case c.only:
		edits = append(edits, c.edit(c.add, waymark.ReplaceRefs))
	case len(c.add) > 0:
		edits = append(edits, c.edit(c.add, waymark.AppendRefs))
	}
	return edits
}

func (c nameChange) edit(names []waymark.Ref, mode waymark.RefsMode) waymark.BulkEdit {
	if c.kind == waymark.Lists {
		return waymark.BulkEdit{Lists: names, ListsMode: mode}
	}
	return waymark.BulkEdit{Tags: names, TagsMode: mode}
}

// message says what a change of n links did. changed reports whether a link is not as it was.
func (c nameChange) message(r *page.Request, change string, n int, changed bool) string {
	if change == "tags" || change == "lists" {
		verb := c.verb()
		change = verb + "-" + change
		if verb == "remove" && !changed { // no link had one of the names
			change = "nothing-removed"
		}
	}
	added, removed := c.quoted(c.add), c.quoted(c.remove)
	if added == "" {
		added = removed
	}
	return r.T("bulk."+change, "n", n, "names", added, "removed", removed)
}

// quoted returns names for the message about the change.
func (c nameChange) quoted(names []waymark.Ref) string {
	sign := ""
	if c.kind == waymark.Tags {
		sign = "#"
	}
	return page.Quoted(strings.Join(waymark.Map(names, func(ref waymark.Ref) string { return sign + ref.Name }), ", "))
}

// usedNames are the lists or tags that the selected links have.
type usedNames struct {
	Kind  string // lists or tags
	Names []usedName
	More  bool // there are others
}

type usedName struct {
	ID   int64
	Name string
	Hue  int // of the dot of a list, -1 for none
	On   string
}

// shownSelection returns the ids of the links that the parameters of the URL select.
func shownSelection(r *page.Request) ([]int64, error) { return selectedLinks(r, r.Parameters) }

// showUsedLists shows the lists of the selected links, for the menu that changes them.
func showUsedLists(r *page.Request, ids []int64) error {
	found, err := r.Store.ListsOfLinks(r.Context(), r.User.ID, ids, maxUsed+1)
	if err != nil {
		return err
	}
	paths, err := r.Store.ListPaths(r.Context(), r.User.ID, waymark.Map(found, func(list waymark.List) waymark.ListID { return list.ID }))
	if err != nil {
		return err
	}
	used := usedNames{Kind: "lists"}
	for _, list := range found {
		names := waymark.Map(paths[list.ID], func(above waymark.ListName) string { return above.Name })
		used.add(r, len(ids), usedName{ID: int64(list.ID), Name: strings.Join(names, " › "), Hue: page.Hue(list.Name)}, list.LinkCount)
	}
	return r.RenderPart("used-names", used)
}

func showUsedTags(r *page.Request, ids []int64) error {
	found, err := r.Store.TagsOfLinks(r.Context(), r.User.ID, ids, maxUsed+1)
	if err != nil {
		return err
	}
	used := usedNames{Kind: "tags"}
	for _, tag := range found {
		used.add(r, len(ids), usedName{ID: int64(tag.ID), Name: tag.Name, Hue: -1}, tag.LinkCount)
	}
	return r.RenderPart("used-names", used)
}

func (u *usedNames) add(r *page.Request, selected int, name usedName, n int) {
	if u.More = len(u.Names) == maxUsed; u.More {
		return
	}
	if name.On = r.T("bulk.on", "n", n); n == selected {
		name.On = r.T("bulk.on-all")
	}
	u.Names = append(u.Names, name)
}
