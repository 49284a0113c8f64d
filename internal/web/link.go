package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// linkPage is the data of the page of a link, and of the pane beside a list.
type linkPage struct {
	Link           linkView
	Form           *linkForm // nil if the link is another person's
	Description    template.HTML
	Lists          []nameView
	Tags           []nameView
	Visibility     string
	Edited         *page.Moment // nil if the link was not edited
	Owner          string       // "" if it is the user
	Notes          []noteView
	Pager          page.Pager
	Kept           url.Values // the parameters of Path
	Note           noteForm   // for a new note
	Changes        []sharedChange
	Files          bool         // the user, who cannot edit it, may put it into a list that several people change
	Twice          int          // how many more links of the page the user has
	TwicePath      string       // where they stand side by side
	Fetchable      bool         // whether the user may have the page fetched again
	Checks         *checkView   // nil if the URL was not checked yet
	TextSnapshot   *page.Moment // when the snapshot of the page was made, nil if there is none
	Beginning      []string     // of the text snapshot: paragraphs
	FullSnapshot   *fullSnapshotView
	Attachments    []attachmentView
	LastSnapshot   bool        // whether no more snapshots are made, and the user may remove the existing ones
	Back           string      // the page from which people came, "" if it is not known
	Path           string      // of this page, with Back and its sequence
	ReadPath       string      // of the reader
	Near           *neighbours // nil if it is not known from which list people came
	RemoveSnapshot bool        // whether this page has the button for that; otherwise the page of the snapshot has it
	Pane           bool        // beside a list
	Toast          *page.Toast // about a change, for a script
	Row            changedRow  // likewise
}

type noteView struct {
	ID         waymark.NoteID
	Text       template.HTML
	Visibility string
	Saved      page.Moment
	Owner      string // "" if it is the user
}

// checkView is what checks to the URL of a link have found.
type checkView struct {
	Word    string   // what the last check found
	Text    string   // the same, and when
	Found   string   // how many checks found the page
	Bars    []string // for each check the class of its bar, the oldest first
	NewURL  string   // to which the page has moved, "" if it has not
	Doubt   bool     // the last check did not find the page
	Again   bool     // whether the user may have the URL checked now
	Wayback string   // the URL of a copy elsewhere if the page is gone, otherwise ""
}

// Open reports whether there is something to decide.
func (c checkView) Open() bool { return c.Doubt || c.NewURL != "" }

// newCheckView returns what checks have found about a link, nil if there were none.
func newCheckView(r *page.Request, link waymark.Link) (*checkView, error) {
	checks, err := r.Store.Queue.LinkChecks(r.Context(), r.User.ID, link.ID)
	if err != nil || checks.Result == waymark.CheckNone {
		return nil, err
	}
	word, sentence := "filter."+checks.Result.String(), "link.check-"+checks.Result.String()
	view := &checkView{NewURL: checks.NewURL, Word: r.T(word), Text: r.T(sentence, "time", r.Moment(checks.At).Full)}
	view.Doubt = checks.Result != waymark.CheckOK && checks.Result != waymark.CheckMoved
	view.Again = checksLinks(r) && !link.CheckDisabled
	if checks.Result == waymark.CheckDead {
		view.Wayback = link.WaybackURL()
	}
	found := 0
	for _, at := range checks.Checks {
		bar := ""
		switch at.Result {
		case waymark.CheckDead:
			bar = "dead"
		case waymark.CheckUnsure, waymark.CheckBlocked:
			bar = "unsure"
		default:
			found++
		}
		view.Bars = append(view.Bars, bar)
	}
	view.Found = r.T("link.checks-found", "n", found, "total", len(checks.Checks))
	return view, nil
}

// acceptMove gives a link the URL to which its page has moved.
func acceptMove(r *page.Request, link waymark.Link) error {
	back := backToLink(r, link.ID)
	_, undo, err := undoableChange(r, false, func(ctx context.Context, s *service.Service) (waymark.Link, error) {
		return s.AcceptMove(ctx, r.User, link.ID)
	})
	if errors.Is(err, service.ErrNotMoved) { // the page was shown before the last check
		return r.Redirect(back)
	}
	if err != nil {
		return r.NotChanged(back, err)
	}
	return r.Changed(back, page.Toast{Text: r.T("link.accepted"), Undo: undo, Back: back})
}

func checkLink(r *page.Request, link waymark.Link) error {
	if !checksLinks(r) || link.CheckDisabled {
		return waymark.ErrNotFound // the page has no button for it
	}
	if _, err := r.Crawler.RequestChecks(r.Context(), r.User, []int64{int64(link.ID)}); err != nil {
		return err
	}
	return r.Changed(backToLink(r, link.ID), page.Toast{Text: r.T("link.check-soon")})
}

// confirmLink records that the page of a link is there.
func confirmLink(r *page.Request, link waymark.Link) error {
	if err := r.Crawler.ConfirmLink(r.Context(), r.User, link.ID); err != nil {
		return err
	}
	return r.Changed(backToLink(r, link.ID), page.Toast{Text: r.T("link.confirmed")})
}

// notesPerPage is small because notes can be long.
const notesPerPage = 20

func (p linkPage) PageTitle() string { return p.Link.Title }

func showLink(r *page.Request, id waymark.LinkID) error {
	if inRow(r, id) {
		return showRow(r, id)
	}
	query := r.Parameters // what was sent before the user had to sign in again
	note := noteForm{Text: query.Get("text")}
	if note.Text != "" {
		note.Visibility = query.Get("visibility")
	}
	err := renderLink(r, http.StatusOK, id, nil, note)
	if errors.Is(err, waymark.ErrNotFound) && !inLook(r, id) {
		return showTrashedLink(r, id)
	}
	return err
}

// redirectToLink leads from a URL of earlier times.
func redirectToLink(r *page.Request, link waymark.Link) error {
	return r.Redirect(page.JoinQuery(linkPath(link.ID), r.Parameters.Encode()))
}

// showRow sends the row of a link, for a script that waits for the title of its page.
func showRow(r *page.Request, id waymark.LinkID) error {
	row, err := shownRow(r, id)
	if err != nil {
		return err
	}
	return r.RenderPart("link-part", row)
}

// inLook reports whether a script asked for what the page of a link shows, for the pane or after a change.
func inLook(r *page.Request, id waymark.LinkID) bool { return r.Partial(fmt.Sprintf("look-%d", id)) }

// renderLink sends the page of a link, with its form and the form for a new note as they were filled in. A nil form is
// that of the link as it is.
func renderLink(r *page.Request, status int, id waymark.LinkID, form *linkForm, note noteForm) error {
	p, err := newLinkPage(r, id, form, note)
	if err != nil {
		return err
	}
	if inLook(r, id) {
		p.Pane = r.Shown().Path != linkPath(id)
		if status != http.StatusOK {
			return r.RenderPartStatus(status, "look-changed", p)
		}
		return r.RenderPart("look-part", p)
	}
	if p.Near, err = neighboursOf(r, id); err != nil {
		return err
	}
	return r.RenderStatus(status, "link", p)
}

// neighbours are the links before and after a link in the list from which people came.
type neighbours struct {
	Name           string // of the list
	N, Total       int    // the number of the link, from 1, and of all links
	Previous, Next string // paths, "" at the ends
}

// neighboursOf returns the neighbours of a link, nil if people came from no list.
func neighboursOf(r *page.Request, id waymark.LinkID) (*neighbours, error) {
	seq, err := readSequence(r)
	if err != nil || seq.In == "" {
		return nil, err
	}
	previous, next, err := seq.around(r, id, func(waymark.Link) bool { return true })
	if err != nil {
		return nil, err
	}
	total, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{seq.search.filter(r)})
	if err != nil {
		return nil, err
	}
	near := &neighbours{Name: seq.name(r), N: 1, Total: total[0]}
	if previous != nil {
		near.N = previous.N + 1
		near.Previous = page.JoinQuery(linkPath(previous.ID), seq.parameters(previous.N).Encode())
	}
	if next != nil {
		near.Next = page.JoinQuery(linkPath(next.ID), seq.parameters(next.N).Encode())
	}
	return near, nil
}

// showChangedLink responds to a change of a link or its notes: with what the page shows now if a script asked for it.
func showChangedLink(r *page.Request, id waymark.LinkID, back string, message page.Toast) error {
	if !inLook(r, id) {
		return r.Changed(back, message)
	}
	p, err := newLinkPage(r, id, nil, noteForm{})
	if err != nil {
		return err
	}
	if p.Row, err = shownRow(r, id); err != nil {
		return err
	}
	p.Pane, p.Toast = r.Shown().Path != linkPath(id), &message
	return r.RenderChanged("look-changed", p)
}

func newLinkPage(r *page.Request, id waymark.LinkID, form *linkForm, note noteForm) (p linkPage, err error) {
	link, err := r.Store.Link(r.Context(), r.User.ID, id)
	if err != nil {
		return p, err
	}
	notes, err := r.Store.NotesOfLink(r.User.ID, id, pagination(r, notesPerPage)).Page(r.Context())
	if err != nil {
		return p, err
	}
	view, err := newLinkView(r, link)
	if err != nil {
		return p, err
	}
	lists, err := listNames(r, link.Lists)
	if err != nil {
		return p, err
	}
	seq, err := readSequence(r)
	if err != nil {
		return p, err
	}
	note.Visibility = cmp.Or(note.Visibility, r.User.DefaultVisibility.Notes.String())
	p = linkPage{
		Link: view, Form: form, Description: page.Markdown(link.Description, 2), Lists: lists, Tags: tagNames(link.Tags),
		Visibility: link.Visibility.String(), Note: note, Back: cmp.Or(r.Back(""), seq.In, cameFrom(r, linkPath(id))), Owner: view.Owner,
	}
	editable, err := r.Store.MayEditTexts(r.Context(), r.User, link)
	if err != nil {
		return p, err
	}
	if editable && form == nil {
		if p.Form, err = shownForm(r, link); err != nil {
			return p, err
		}
	}
	if p.Form != nil && note.Problems != nil {
		p.Form.Problems = note.Problems
	}
	if p.Form != nil && p.Note.Problems == nil {
		p.Note.Text, p.Note.Problems = cmp.Or(p.Note.Text, p.Form.Note), p.Form.Problems
	}
	query := linkParameters(p.Back, seq)
	p.Kept, p.Path, p.ReadPath = query, page.JoinQuery(linkPath(id), query.Encode()), page.JoinQuery(linkPath(id)+"/read", query.Encode())
	p.Pager = page.PagerAt(linkPath(id), query, page.NumberOf(r), notes.Total, notesPerPage) // a form is sent to another path
	p.Fetchable = p.Link.Mine && r.Crawler.FetchesPages() && waymark.HasPage(link.URL)
	if p.Checks, err = newCheckView(r, link); err != nil {
		return p, err
	}
	if editable {
		p.Changes, err = linkChanges(r, link)
	} else {
		p.Files, err = changesSharedList(r)
	}
	if err != nil {
		return p, err
	}
	if p.Link.Mine {
		if p.Twice, p.TwicePath, err = savedTwice(r, link); err != nil {
			return p, err
		}
	}
	if err := p.addSnapshots(r, link); err != nil {
		return p, err
	}
	if p.Attachments, err = attachmentsOf(r, id); err != nil {
		return p, err
	}
	if link.UpdatedAt != link.CreatedAt {
		p.Edited = r.MomentOrNever(link.UpdatedAt)
	}
	noteOwners := waymark.Map(notes.Entities, func(n waymark.Note) waymark.UserID { return n.Owner })
	names, err := otherOwners(r, noteOwners)
	for _, note := range notes.Entities {
		p.Notes = append(p.Notes, noteView{note.ID, page.Markdown(note.Text, 3), note.Visibility.String(), r.Moment(note.CreatedAt), names[note.Owner]})
	}
	return p, err
}

// shownForm returns the form of a link with what was sent before the user had to sign in again, and tags that are offered.
func shownForm(r *page.Request, link waymark.Link) (*linkForm, error) {
	f, err := formOf(r, link)
	if err != nil {
		return nil, err
	}
	before := f
	r.FillIn(map[string]*string{
		"url": &f.URL, "title": &f.Title, "description": &f.Description, "lists": &f.Lists, "tags": &f.Tags, "version": &f.Version, "note": &f.Note,
	})
	if visibility := r.Parameters.Get("visibility"); visibility != "" && !r.Parameters.Has("text") { // otherwise it is that of a note
		f.Visibility = visibility
	}
	f.Filled = f.URL != before.URL || f.Title != before.Title || f.Description != before.Description || f.Lists != before.Lists || f.Tags != before.Tags || f.Note != before.Note || f.Visibility != before.Visibility
	f.Focus = r.Parameters.Get("field")
	f.Offered, err = offeredTags(r, link.URL, link.Title, waymark.Map(link.Tags, func(tag waymark.Tag) string { return tag.Name }))
	return &f, err
}

// maxBeginning limits the beginning of a text snapshot, in bytes.
const maxBeginning = 2000

// addSnapshots adds what is kept of the page of a link.
func (p *linkPage) addSnapshots(r *page.Request, link waymark.Link) (err error) {
	if p.TextSnapshot, err = snapshotTime(r, link.ID); err != nil {
		return err
	}
	if p.FullSnapshot, err = fullSnapshot(r, link.ID); err != nil {
		return err
	}
	p.LastSnapshot = (p.TextSnapshot != nil || p.FullSnapshot != nil) && p.Link.Mine && !r.Settings.PageParts(link, waymark.TextSnapshotPart).Has(waymark.TextSnapshotPart)
	p.RemoveSnapshot = p.LastSnapshot || p.TextSnapshot == nil && p.FullSnapshot != nil && p.Link.Mine
	if p.TextSnapshot == nil {
		return nil
	}
	texts, err := r.Store.Snapshots.Texts(r.Context(), r.User.ID, []waymark.LinkID{link.ID}, maxExcerptSnapshot)
	for line := range strings.SplitSeq(texts[link.ID], "\n") {
		if line = strings.TrimSpace(line); line != "" {
			p.Beginning = append(p.Beginning, page.Cut(line, maxBeginning))
		}
		if len(strings.Join(p.Beginning, "")) > maxBeginning {
			break
		}
	}
	return err
}

func fetchLink(r *page.Request, link waymark.Link) error {
	_, state, err := r.Crawler.FetchAgain(r.Context(), r.User, link.ID)
	text := r.T("link.fetched")
	switch {
	case errors.Is(err, crawl.ErrNoPages):
		return waymark.ErrNotFound // the page has no button for it
	case err != nil:
		return err
	case state.Waiting:
		text = r.T("link.fetch-later")
	case state.Failure != "":
		text = r.T("link.not-fetched")
	}
	return r.Changed(backToLink(r, link.ID), page.Toast{Text: text, Back: backToLink(r, link.ID)})
}

// noteForm is the form for a new or an existing note, as it was filled in.
type noteForm struct {
	ID         waymark.NoteID // zero for a new note
	Link       waymark.LinkID
	Text       string
	Visibility string
	Version    string // when the note was changed the last time, "" for a new note
	Back       string // the page from which people came to the page of the link, "" if it is not known
	Problems   page.Problems
}

func saveNote(r *page.Request, link waymark.LinkID) error {
	if err := r.Store.CheckLink(r.Context(), r.User.ID, link); err != nil {
		return err
	}
	form, in := readNoteForm(r)
	_, undo, err := undoableChange(r, false, func(ctx context.Context, s *service.Service) (waymark.Note, error) {
		return s.AddNote(ctx, r.User, link, in)
	})
	if err != nil {
		if form.Problems, err = r.ProblemsOf(err); err != nil {
			return err
		}
		return renderLink(r, http.StatusUnprocessableEntity, link, nil, form)
	}
	p := backToLink(r, link)
	return showChangedLink(r, link, p, page.Toast{Text: r.T("notes.saved"), Undo: undo, Back: p})
}

func readNoteForm(r *page.Request) (noteForm, waymark.NoteInput) {
	form := noteForm{Text: textArea(r.Field("text")), Visibility: r.Field("visibility"), Back: r.Back("")}
	return form, waymark.NoteInput{Text: form.Text, VisibilityInput: visibilityInput(form.Visibility), Version: r.Field("version")}
}

func showNoteEdit(r *page.Request, note waymark.Note) error {
	query := r.Parameters // what was sent before the user had to sign in again
	return r.Render("note-form", noteForm{
		ID: note.ID, Link: note.Link, Text: cmp.Or(query.Get("text"), note.Text), Visibility: cmp.Or(query.Get("visibility"), note.Visibility.String()),
		Version: cmp.Or(query.Get("version"), note.UpdatedAt.String()), Back: r.Back(""),
	})
}

func saveNoteEdit(r *page.Request, note waymark.Note) error {
	form, in := readNoteForm(r)
	form.ID, form.Link = note.ID, note.Link
	_, undo, err := undoableChange(r, false, func(ctx context.Context, s *service.Service) (waymark.Note, error) {
		return s.EditNote(ctx, r.User, note.ID, in)
	})
	if err != nil {
		form.Version = r.VersionAfter(err)
		if form.Problems, err = r.ProblemsOf(err); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "note-form", form)
	}
	p := backToLink(r, note.Link)
	return r.Changed(fmt.Sprintf("%s#note-%d", p, note.ID), page.Toast{Text: r.T("notes.changed"), Undo: undo, Back: p})
}

func trashNote(r *page.Request, note waymark.Note) error {
	return makeChange(r, backToLink(r, note.Link), false, func(ctx context.Context, s *service.Service) (string, error) {
		return r.T("notes.trashed"), s.Delete(ctx, r.User, waymark.Notes, int64(note.ID))
	})
}
