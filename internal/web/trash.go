package web

import (
	"context"
	"slices"
	"strings"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// trashKinds are the kinds of entities in the trash, by their name in addresses.
var trashKinds = []struct {
	name string
	kind waymark.EntityKind
}{{"links", waymark.Links}, {"lists", waymark.Lists}, {"tags", waymark.Tags}, {"notes", waymark.Notes}}

// trashPage is the data of the page with the entities of a kind that are in the trash.
type trashPage struct {
	v     *visit
	Kind  string
	Words string // that the links have, "" for all
	Tabs  []trashTab
	Rows  []trashRow
	Pager pager
}

// trashTab leads to a kind of entities in the trash.
type trashTab struct {
	Kind  string
	Count int
}

// trashRow is an entity in the trash.
type trashRow struct {
	ID      int64
	Path    string // of the page of a link, "" for other entities
	Title   string
	Host    string // of a link
	Initial string
	Hue     int
	Since   moment
}

const trashPerPage = 48

// pageTitle implements titled.
func (p trashPage) pageTitle() string { return p.v.t("trash.title") }

// All is the number of entities of all kinds.
func (p trashPage) All() int {
	all := 0
	for _, tab := range p.Tabs {
		all += tab.Count
	}
	return all
}

// CountText says how many entities of a kind there are.
func (p trashPage) CountText(tab trashTab) string {
	key := "trash.n-" + tab.Kind
	return p.v.t(key, "n", tab.Count)
}

// trashKind returns the kind of entities with a name, or waymark.ErrNotFound.
func trashKind(name string) (waymark.EntityKind, error) {
	for _, known := range trashKinds {
		if known.name == name {
			return known.kind, nil
		}
	}
	return 0, waymark.ErrNotFound
}

func showTrash(v *visit) error {
	p := trashPage{v: v, Kind: v.pathValue("kind")}
	kind, err := trashKind(p.Kind)
	if err != nil {
		return err
	}
	if p.Tabs, err = trashTabs(v); err != nil {
		return err
	}
	var total int
	switch kind {
	case waymark.Links:
		p.Words = strings.TrimSpace(v.parameters.Get("words"))
		p.Rows, total, err = trashRows(v, trashedLinks(v, p.Words), func(l waymark.Link) trashRow {
			host := shortHost(waymark.Host(l.URL))
			return trashRow{int64(l.ID), linkPath(l.ID), l.Title, host, initial(host), hue(host), v.moment(l.DeletedAt)}
		})
	case waymark.Lists:
		p.Rows, total, err = trashRows(v, v.Store.TrashedLists(v.user.ID), func(l waymark.List) trashRow {
			return trashRow{int64(l.ID), "", l.Name, "", initial(l.Name), hue(l.Name), v.moment(l.DeletedAt)}
		})
	case waymark.Tags:
		p.Rows, total, err = trashRows(v, v.Store.TrashedTags(v.user.ID), func(t waymark.Tag) trashRow {
			return trashRow{int64(t.ID), "", t.Name, "", initial(t.Name), hue(t.Name), v.moment(t.DeletedAt)}
		})
	case waymark.Notes:
		p.Rows, total, err = trashRows(v, v.Store.TrashedNotes(v.user.ID), func(n waymark.Note) trashRow {
			return trashRow{int64(n.ID), "", cut(n.Text, maxRowDescription), "", initial(n.Text), 0, v.moment(n.DeletedAt)}
		})
	}
	if err != nil {
		return err
	}
	p.Pager = newPager(v, total, trashPerPage)
	if address := p.Pager.beyondEnd(); address != "" {
		return v.redirect(address)
	}
	return v.render("trash", p)
}

// trashedLinks lists the links in the user's trash that match the words of a text.
func trashedLinks(v *visit, text string) store.Listing[waymark.Link] {
	if text == "" {
		return v.Store.TrashedLinks(v.user.ID)
	}
	var words, excluded []string
	for _, w := range (linksQuery{Text: text}).words() {
		if w.kind == excludedWord {
			excluded = append(excluded, w.value)
		} else {
			words = append(words, unquote(w.raw)) // there are no filters in the trash
		}
	}
	return v.Store.SearchTrashedLinks(v.user.ID, words, excluded)
}

func trashRows[T any](v *visit, listing store.Listing[T], row func(T) trashRow) (rows []trashRow, total int, err error) {
	found, err := listing.LastChanged(pagination(v, trashPerPage)).Page(v.ctx())
	for _, entity := range found.Entities {
		rows = append(rows, row(entity))
	}
	return rows, found.Total, err
}

func trashTabs(v *visit) ([]trashTab, error) {
	counts, err := v.Store.TrashCounts(v.ctx(), v.user.ID)
	tabs := make([]trashTab, len(trashKinds))
	for i, known := range trashKinds {
		tabs[i] = trashTab{known.name, counts[known.kind]}
	}
	return tabs, err
}

// restore restores the selected entities of a kind.
func restore(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	name := v.field("kind")
	kind, err := trashKind(name)
	if err != nil {
		return err
	}
	back := v.back("/trash/" + name)
	ids := v.r.PostForm["models"]
	if only := v.field("only"); only != "" {
		ids = []string{only} // the button of one row
	}
	selected := tickedIDs(v, ids)
	switch {
	case len(selected) == 0:
		return v.changed(back, toast{Text: v.t("trash.none")})
	case len(selected) > v.Settings.BulkLimit:
		return v.changed(back, toast{Text: v.t("trash.too-many", "n", v.Settings.BulkLimit)})
	}
	var restored map[int64]bool
	undo, err := withUndoOptions(v, service.UndoOptions{Bulk: true}, func(ctx context.Context, s *service.Service) (err error) {
		restored, err = s.RestoreMany(ctx, v.user, kind, selected)
		return err
	})
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(selected, func(id int64) bool { return restored[id] })
	message, err := restoredText(v, kind, restored)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		message = v.t("trash.not-restored", "n", len(left))
		if back == "/add/saved" { // which says that it was saved
			back = "/trash/" + name
		}
	}
	return v.changed(back, toast{Text: message, Undo: undo, Back: back})
}

// restoredText says what was restored: the name of one entity, or how many.
func restoredText(v *visit, kind waymark.EntityKind, restored map[int64]bool) (text string, err error) {
	if len(restored) != 1 {
		return v.t("trash.restored", "n", len(restored)), nil
	}
	var name string
	for id := range restored {
		switch kind {
		case waymark.Links:
			var link waymark.Link
			link, err = v.Store.Link(v.ctx(), v.user.ID, waymark.LinkID(id))
			name = link.Title
		case waymark.Lists:
			var list waymark.List
			list, err = v.Store.List(v.ctx(), v.user.ID, waymark.ListID(id))
			name = list.Name
		case waymark.Tags:
			var tag waymark.Tag
			tag, err = v.Store.Tag(v.ctx(), v.user.ID, waymark.TagID(id))
			name = tag.Name
		case waymark.Notes:
			return v.t("trash.restored-note"), nil
		}
	}
	return v.t("trash.restored-name", "name", cut(name, maxQuoted)), err
}

// showClearTrash asks whether the trash is to be emptied.
func showClearTrash(v *visit) error {
	tabs, err := trashTabs(v)
	if err != nil {
		return err
	}
	p := trashPage{v: v, Tabs: tabs}
	if p.All() == 0 {
		return v.redirect("/trash/links")
	}
	return v.render("clear-trash", p)
}

// clearTrash deletes everything that is in the trash.
func clearTrash(v *visit) error {
	for _, known := range trashKinds {
		if err := v.Service.ClearTrash(v.ctx(), v.user, known.kind); err != nil {
			return err
		}
	}
	return v.changed("/trash/links", toast{Text: v.t("trash.cleared")})
}
