package web

import (
	"context"
	"html/template"
	"maps"
	"slices"
	"strings"

	"waymark/internal/query"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
	"waymark/internal/web/settings"
)

var trashKinds = []waymark.EntityKind{waymark.Links, waymark.Lists, waymark.Tags, waymark.Notes}

type trashPage struct {
	Kind  string
	Words string // that the links have, "" for all
	Tabs  []trashTab
	Rows  []trashRow
	Syncs []settings.SyncView
	Pager page.Pager
}

type trashTab struct {
	Kind  string
	Count int
	Text  string // how many entities of the kind there are
}

type trashRow struct {
	ID      int64
	Path    string // of the page of a link, "" for other entities
	Title   string
	Host    string // of a link
	Initial string
	Hue     int
	Since   page.Moment
}

const trashPerPage = 48

// All is the number of entities of all kinds.
func (p trashPage) All() int {
	all := 0
	for _, tab := range p.Tabs {
		all += tab.Count
	}
	return all
}

func trashKind(name string) (waymark.EntityKind, error) {
	at := slices.IndexFunc(trashKinds, func(kind waymark.EntityKind) bool { return kind.String() == name })
	if at < 0 {
		return 0, waymark.ErrNotFound
	}
	return trashKinds[at], nil
}

func showTrash(r *page.Request) error {
	p := trashPage{Kind: r.PathValue("kind")}
	kind, err := trashKind(p.Kind)
	if err != nil {
		return err
	}
	if p.Tabs, err = trashTabs(r); err != nil {
		return err
	}
	if p.Syncs, err = settings.Syncs(r); err != nil {
		return err
	}
	var total int
	switch kind {
	case waymark.Links:
		p.Words = strings.TrimSpace(r.Parameters.Get("words"))
		p.Rows, total, err = trashRows(r, trashedLinks(r, p.Words), func(l waymark.Link) trashRow {
			host := page.ShortHost(waymark.HostWithPort(l.URL))
			return trashRow{int64(l.ID), linkPath(l.ID), l.Title, host, page.Initial(host), page.Hue(host), r.Moment(l.DeletedAt)}
		})
	case waymark.Lists:
		p.Rows, total, err = trashRows(r, r.Store.TrashedLists(r.User.ID), func(l waymark.List) trashRow {
			return trashRow{int64(l.ID), "", l.Name, "", page.Initial(l.Name), page.Hue(l.Name), r.Moment(l.DeletedAt)}
		})
	case waymark.Tags:
		p.Rows, total, err = trashRows(r, r.Store.TrashedTags(r.User.ID), func(t waymark.Tag) trashRow {
			return trashRow{int64(t.ID), "", t.Name, "", page.Initial(t.Name), page.Hue(t.Name), r.Moment(t.DeletedAt)}
		})
	case waymark.Notes:
		p.Rows, total, err = trashRows(r, r.Store.TrashedNotes(r.User.ID), func(n waymark.Note) trashRow {
			return trashRow{int64(n.ID), "", page.Cut(page.PlainText(n.Text), maxRowDescription), "", page.Initial(n.Text), 0, r.Moment(n.DeletedAt)}
		})
	}
	if err != nil {
		return err
	}
	p.Pager = page.NewPager(r, total, trashPerPage)
	return r.RenderListing("trash", p.Pager, p)
}

// trashedLinks lists the links in the user's trash that match the words of a text.
func trashedLinks(r *page.Request, text string) store.Listing[waymark.Link] {
	if text == "" {
		return r.Store.TrashedLinks(r.User.ID)
	}
	var words, excluded []string
	condition, _ := query.Parse(text)
	for _, part := range query.Parts(condition) {
		into := &words
		if not, ok := part.(waymark.Not); ok {
			into, part = &excluded, not.Condition
		}
		if word, ok := part.(waymark.Contains); ok {
			*into = append(*into, word.Text)
		} else {
			*into = append(*into, query.Print(part)) // there are no filters in the trash
		}
	}
	return r.Store.SearchTrashedLinks(r.User.ID, words, excluded)
}

func trashRows[T any](r *page.Request, listing store.Listing[T], row func(T) trashRow) (rows []trashRow, total int, err error) {
	found, err := listing.LastChanged(pagination(r, trashPerPage)).Page(r.Context())
	for _, entity := range found.Entities {
		rows = append(rows, row(entity))
	}
	return rows, found.Total, err
}

func trashTabs(r *page.Request) ([]trashTab, error) {
	counts, err := r.Store.TrashCounts(r.Context(), r.User.ID)
	tabs := make([]trashTab, len(trashKinds))
	for i, kind := range trashKinds {
		key := "trash.n-" + kind.String()
		tabs[i] = trashTab{kind.String(), counts[kind], r.T(key, "n", counts[kind])}
	}
	return tabs, err
}

func restore(r *page.Request) error {
	name := r.Field("kind")
	kind, err := trashKind(name)
	if err != nil {
		return err
	}
	back := r.Back("/trash/" + name)
	ids := r.HTTP.PostForm["models"]
	if only := r.Field("only"); only != "" {
		ids = []string{only} // the button of one row
	}
	selected := tickedIDs(r, ids)
	if wrong := selectionProblem(r, len(selected), "trash.none", "trash.too-many"); wrong != "" {
		return r.Changed(back, page.Toast{Text: wrong})
	}
	restored, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (map[int64]bool, error) {
		return s.RestoreMany(ctx, r.User, kind, selected)
	})
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(selected, func(id int64) bool { return restored[id] })
	message, err := restoredText(r, kind, restored)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		message = r.T("trash.not-restored", "n", len(left))
		if back == "/add/saved" { // which says that it was saved
			back = "/trash/" + name
		}
	}
	return r.Changed(back, page.Toast{Text: message, Undo: undo, Back: back})
}

// restoredText says what was restored: the name of one entity, or how many.
func restoredText(r *page.Request, kind waymark.EntityKind, restored map[int64]bool) (string, error) {
	if len(restored) != 1 {
		return r.T("trash.restored", "n", len(restored)), nil
	}
	id := slices.Collect(maps.Keys(restored))[0]
	named := func(name string, err error) (string, error) {
		return r.T("trash.restored-name", "name", page.Quoted(name)), err
	}
	switch kind {
	case waymark.Links:
		link, err := r.Store.Link(r.Context(), r.User.ID, waymark.LinkID(id))
		return named(link.Title, err)
	case waymark.Lists:
		list, err := r.Store.List(r.Context(), r.User.ID, waymark.ListID(id))
		return named(list.Name, err)
	case waymark.Tags:
		tag, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(id))
		return named(tag.Name, err)
	default:
		return r.T("trash.restored-note"), nil
	}
}

// showClearTrash asks whether the trash is to be emptied.
func showClearTrash(r *page.Request) error {
	tabs, err := trashTabs(r)
	if err != nil {
		return err
	}
	p := trashPage{Tabs: tabs}
	if p.All() == 0 {
		return r.Redirect("/trash/links")
	}
	return r.Render("clear-trash", p)
}

func clearTrash(r *page.Request) error {
	for _, kind := range trashKinds {
		if err := r.Store.ClearTrash(r.Context(), r.User.ID, kind); err != nil {
			return err
		}
	}
	return r.Changed("/trash/links", page.Toast{Text: r.T("trash.cleared")})
}

// trashedLinkPage is the data of the page of a link that is in the user's trash. It has no notes
// and no snapshot of the page: those cannot be read until the link is restored.
type trashedLinkPage struct {
	Link        linkView
	Description template.HTML
	Lists       []nameView
	Tags        []nameView
	Visibility  string
	Since       page.Moment
	Again       waymark.LinkID // the user's other link with the URL, which is not in the trash, or 0
}

func (p trashedLinkPage) PageTitle() string { return p.Link.Title }

// showTrashedLink sends the page of a link in the user's trash. It returns waymark.ErrNotFound if
// there is no such link, also if another user has it in their trash.
func showTrashedLink(r *page.Request, id waymark.LinkID) error {
	link, err := r.Store.TrashedLink(r.Context(), r.User.ID, id)
	if err != nil {
		return err
	}
	view, err := newLinkView(r, link)
	if err != nil {
		return err
	}
	lists, err := listNames(r, link.Lists)
	if err != nil {
		return err
	}
	p := trashedLinkPage{
		Link: view, Description: page.Markdown(link.Description, 2), Lists: lists, Tags: tagNames(link.Tags),
		Visibility: link.Visibility.String(), Since: r.Moment(link.DeletedAt),
	}
	other, err := r.Store.LinkByURL(r.Context(), r.User.ID, link.URL)
	if err != nil {
		return err
	}
	if other.DeletedAt == 0 {
		p.Again = other.ID
	}
	return r.Render("trashed-link", p)
}
