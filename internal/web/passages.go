package web

import (
	"context"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"waymark/internal/fetch/article"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// passageView is a marked passage.
type passageView struct {
	waymark.Passage
	Found bool   // else the text no longer has it
	Path  string // of its changes
	Open  bool   // the note is edited
}

// markedText is the text of a link with the passages that the user has marked in it.
type markedText struct {
	Text     template.HTML
	Passages []passageView
}

// markText returns HTML that article.Sanitize has returned with the passages of the user.
func markText(r *page.Request, link waymark.LinkID, html string) (markedText, error) {
	var text markedText
	passages, err := r.Store.PassagesOfLink(r.Context(), r.User.ID, link)
	placed := article.Place(html, passages)
	for _, p := range placed {
		id := strconv.Itoa(int(p.ID))
		text.Passages = append(text.Passages, passageView{p.Passage, p.Found, passagesPath(link) + "/" + id, r.Parameters.Get("note") == id})
	}
	aside := func(p waymark.Passage) string {
		return string(page.BuiltHTML("margin-note", map[string]any{"ID": p.ID, "Note": p.Note, "Language": r.Locale.Name, "Label": r.T("passages.your-note"), "Edit": r.T("passages.edit")}))
	}
	text.Text = template.HTML(article.Mark(article.Number(html), placed, aside)) //nolint:gosec // package article has sanitized it
	return text, err
}

func passagesPath(link waymark.LinkID) string { return linkPath(link) + "/passages" }

// addPassage marks a passage in the text of a link.
func addPassage(r *page.Request, link waymark.Link) error {
	back := r.Back(linkPath(link.ID) + "/read")
	note := textArea(r.Field("note"))
	in := waymark.PassageInput{Quote: waymark.Quote{Exact: textArea(r.Field("exact")), Prefix: r.Field("prefix"), Suffix: r.Field("suffix")}, Note: &note}
	in.Position, _ = strconv.Atoi(r.Field("position"))
	_, html, err := r.Store.Snapshots.TextHTML(r.Context(), r.User.ID, link.ID)
	if err != nil {
		return err
	}
	if _, found := article.Complete(html, in.Quote); !found && in.Exact != "" {
		return r.NotChanged(back, waymark.Invalid(waymark.FieldExact, waymark.RuleExists))
	}
	passage, undo, err := undoableChange(r, false, func(ctx context.Context, s *service.Service) (waymark.Passage, error) {
		return s.AddPassage(ctx, r.User, link.ID, in)
	})
	if err != nil {
		return r.NotChanged(back, err)
	}
	path := back
	if r.Field("do") == "note" {
		path = fmt.Sprintf("%s#marked-%d", page.JoinQuery(back, page.QueryOf("note", fmt.Sprint(passage.ID))), passage.ID)
	}
	return r.Changed(path, page.Toast{Text: r.T("passages.marked"), Undo: undo, Back: back})
}

// changePassage runs a change of the passage in the path, and leads back with a message.
func changePassage(r *page.Request, link waymark.Link, message string, do func(ctx context.Context, s *service.Service, id waymark.PassageID) error) error {
	id, err := page.NamedPathID[waymark.PassageID](r, "passage")
	if err != nil {
		return err
	}
	back := r.Back(linkPath(link.ID) + "/read")
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error { return do(ctx, s, id) })
	if err != nil {
		return r.NotChanged(back, err)
	}
	return r.Changed(back, page.Toast{Text: message, Undo: undo, Back: back})
}

// savePassage changes the note of a passage.
func savePassage(r *page.Request, link waymark.Link) error {
	note := textArea(r.Field("note"))
	return changePassage(r, link, r.T("notes.changed"), func(ctx context.Context, s *service.Service, id waymark.PassageID) error {
		_, err := s.EditPassage(ctx, r.User, link.ID, id, waymark.PassageInput{Note: &note})
		return err
	})
}

func removePassage(r *page.Request, link waymark.Link) error {
	return changePassage(r, link, r.T("passages.removed"), func(ctx context.Context, s *service.Service, id waymark.PassageID) error {
		return s.DeletePassage(ctx, r.User, link.ID, id)
	})
}

// passagesPage is the data of the page with all that the user has marked.
type passagesPage struct {
	Links []markedLink
	Pager page.Pager
}

// markedLink is a link with what the user has marked in it.
type markedLink struct {
	linkView
	Passages []waymark.Passage
}

const markedPerPage = 24

// showPassages lists the passages of the user by link, or leads to the links with some words in theirs.
func showPassages(r *page.Request) error {
	if words := strings.Fields(r.Parameters.Get("words")); len(words) > 0 {
		where := waymark.Map(words, func(word string) waymark.Condition { return waymark.Contains{Text: word, In: waymark.InPassages} })
		return r.Redirect(searchPath(waymark.AndOf(where...)))
	}
	ids, total, err := r.Store.MarkedLinks(r.Context(), r.User.ID, pagination(r, markedPerPage))
	if err != nil {
		return err
	}
	p := passagesPage{Pager: page.NewPager(r, total, markedPerPage)}
	if last := p.Pager.BeyondEnd(); last != "" {
		return r.Redirect(last)
	}
	passages, err := r.Store.PassagesOfLinks(r.Context(), r.User.ID, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		link, err := r.Store.Link(r.Context(), r.User.ID, id)
		if err != nil {
			return err
		}
		view, err := newLinkView(r, link)
		if err != nil {
			return err
		}
		if link.Minutes > 0 {
			view.Path += "/read"
		}
		p.Links = append(p.Links, markedLink{view, passages[id]})
	}
	return r.Render("passages", p)
}
