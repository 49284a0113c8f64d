package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"waymark/internal/fetch/article"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type readerPage struct {
	page.Plain
	Link      linkView
	Title     string // of the page, or of the link
	Byline    string
	Fetched   page.Moment
	Language  string // "" if it is not known
	Direction string // "auto" if it is not known
	markedText
	Minutes  int
	Position waymark.ReadingPosition // zero if the text was not begun
	Left     string                  // how many minutes are left, or that it was read
	Full     bool                    // there is a full snapshot
	Done     *flagButton             // nil if there is nothing to do with the link

	In        string // of the sequence
	N         int
	Back      string // the path of the page from which people came
	BackName  string
	Details   string // the path of the page of the link
	Previous  string // the path of the text before, "" if there is none
	Next      *linkView
	Looks     []readingLook
	Reading   waymark.Reading
	SiteTheme string // of the other pages
	Path      string // of this page
}

// readingLook is one of the choices in the menu for texts.
type readingLook struct {
	Name    string // of the field
	Chosen  string
	Choices []string
}

func (p readerPage) PageTitle() string { return p.Title }

// PageTheme is the theme of the reader, "" for that of the other pages.
func (p readerPage) PageTheme() string { return p.Reading.Theme }

// snapshotTime returns when the snapshot of a link's page was made, nil if there is none.
func snapshotTime(r *page.Request, id waymark.LinkID) (*page.Moment, error) {
	found, err := r.Store.Snapshots.Text(r.Context(), r.User.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is no snapshot
	}
	at := r.Moment(found.FetchedAt)
	return &at, err
}

// showReader shows the text snapshot of a link. A link that is gone leads to the next text.
func showReader(r *page.Request, id waymark.LinkID) error {
	seq, err := readSequence(r)
	if err != nil {
		return err
	}
	link, err := r.Store.Link(r.Context(), r.User.ID, id)
	if errors.Is(err, waymark.ErrNotFound) && seq.In != "" {
		next, err := seq.nextText(r, id)
		if err != nil {
			return err
		}
		return r.Redirect(next)
	}
	if err != nil {
		return err
	}
	p, err := newReaderPage(r, link)
	if errors.Is(err, waymark.ErrNotFound) { // it has no text
		return r.Redirect(page.JoinQuery(linkPath(id), page.QueryOf("in", r.Parameters.Get("in"), "n", r.Parameters.Get("n"))))
	}
	if err != nil {
		return err
	}
	if err := p.addSequence(r, seq, link); err != nil {
		return err
	}
	return r.Render("read", p)
}

// newReaderPage returns the reader without what surrounds the link.
func newReaderPage(r *page.Request, link waymark.Link) (p readerPage, err error) {
	found, html, err := r.Store.Snapshots.TextHTML(r.Context(), r.User.ID, link.ID)
	if err != nil {
		return p, err
	}
	p = readerPage{
		Title: cmp.Or(found.Title, link.Title), Byline: found.Byline, Fetched: r.Moment(found.FetchedAt),
		Language: found.Language, Direction: cmp.Or(found.Direction, "auto"),
		Minutes: link.Minutes, Reading: r.Settings.Reading, SiteTheme: string(r.Settings.Theme),
		Path: page.JoinQuery(linkPath(link.ID)+"/read", page.QueryOf("in", r.Parameters.Get("in"), "n", r.Parameters.Get("n"))),
	}
	if p.markedText, err = markText(r, link.ID, html); err != nil {
		return p, err
	}
	if p.Link, err = newLinkView(r, link); err != nil {
		return p, err
	}
	positions, err := r.Store.Snapshots.ReadingPositions(r.Context(), r.User.ID, []waymark.LinkID{link.ID})
	if err != nil {
		return p, err
	}
	p.Position = positions[link.ID]
	p.Left = minutesLeft(r.Clock, link, p.Position)
	full, err := fullSnapshot(r, link.ID)
	if err != nil {
		return p, err
	}
	p.Full = full != nil
	if p.Link.Mine && !link.Archived {
		p.Done = &p.Link.Flags[len(p.Link.Flags)-1]
	}
	p.Looks = []readingLook{
		{"size", p.Reading.Size, waymark.ReadingSizes}, {"width", p.Reading.Width, waymark.ReadingWidths}, {"theme", p.Reading.Theme, waymark.ReadingThemes},
	}
	return p, nil
}

// addSequence adds the way back, and the texts before and after this one.
func (p *readerPage) addSequence(r *page.Request, seq sequence, link waymark.Link) error {
	p.In, p.N = seq.In, seq.N
	if seq.In == "" {
		p.Back, p.BackName = backToLink(r, link.ID), r.T("read.link")
		p.Details = p.Back
		return nil
	}
	p.Back, p.BackName = seq.In, seq.name(r)
	p.Details = page.JoinQuery(linkPath(link.ID), page.QueryOf("in", seq.In, "n", strconv.Itoa(seq.N), "back", seq.In))
	previous, next, err := seq.around(r, link.ID, hasText)
	if err != nil {
		return err
	}
	if previous != nil {
		p.Previous = seq.readPath(previous)
	}
	if next != nil {
		view, err := newLinkView(r, next.Link)
		if err != nil {
			return err
		}
		view.Path = seq.readPath(next)
		view.Minutes = r.T("read.minutes", "n", next.Minutes)
		p.Next = &view
	}
	return nil
}

// redirectToReader leads from the former path of the reader.
func redirectToReader(r *page.Request, link waymark.Link) error {
	return r.Redirect(page.JoinQuery(linkPath(link.ID)+"/read", r.Parameters.Encode()))
}

func savePosition(r *page.Request, link waymark.Link) error {
	var p waymark.ReadingPosition
	var wrong [2]error
	p.Paragraph, wrong[0] = strconv.Atoi(r.Field("paragraph"))
	p.PerMille, wrong[1] = strconv.Atoi(r.Field("per-mille"))
	if errors.Join(wrong[:]...) != nil || !p.Valid() {
		return page.Error{Status: http.StatusBadRequest}
	}
	if err := r.Store.Snapshots.SaveReadingPosition(r.Context(), r.User.ID, link.ID, p); err != nil {
		return err
	}
	r.W.WriteHeader(http.StatusNoContent)
	return nil
}

func saveReading(r *page.Request) error {
	settings := r.Settings
	settings.Reading = waymark.Reading{Size: r.Field("size"), Width: r.Field("width"), Theme: r.Field("theme")}
	back := r.Back(r.LinksPath())
	if err := r.Accounts.SaveSettings(r.Context(), r.User.ID, settings); err != nil {
		return r.NotChanged(back, err)
	}
	if r.HTTP.Header.Get("HX-Request") == "true" {
		r.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	return r.Redirect(back)
}

func removeSnapshot(r *page.Request, link waymark.Link) error {
	if err := r.Crawler.RemoveSnapshots(r.Context(), r.User, link.ID); err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	return r.Changed(backToLink(r, link.ID), page.Toast{Text: r.T("snapshot.removed")})
}

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
		text.Passages = append(text.Passages, passageView{p.Passage, p.Found, linkPath(link) + "/passages/" + id, r.Parameters.Get("note") == id})
	}
	aside := func(p waymark.Passage) string {
		return string(page.BuiltHTML("margin-note", map[string]any{"ID": p.ID, "Note": p.Note, "Language": r.Locale.Name, "Label": r.T("passages.your-note"), "Edit": r.T("passages.edit")}))
	}
	text.Text = template.HTML(article.Mark(article.Number(html), placed, aside)) //nolint:gosec // package article has sanitized it
	return text, err
}

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
	return makeChange(r, r.Back(linkPath(link.ID)+"/read"), false, func(ctx context.Context, s *service.Service) (string, error) {
		return message, do(ctx, s, id)
	})
}

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

type passagesPage struct {
	Links []markedLink
	Pager page.Pager
}

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
	return r.RenderListing("passages", p.Pager, p)
}
