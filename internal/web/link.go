package web

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type linkPage struct {
	Link           linkView
	Description    template.HTML
	Lists          []nameView
	Tags           []nameView
	Visibility     string
	Edited         *page.Moment // nil if the link was not edited
	Owner          string       // "" if it is the user
	Notes          []noteView
	Pager          page.Pager
	Note           noteForm     // for a new note
	Fetchable      bool         // whether the user may have the page fetched again
	Checks         *checkView   // nil if the URL was not checked yet
	TextSnapshot   *page.Moment // when the snapshot of the page was made, nil if there is none
	FullSnapshot   *fullSnapshotView
	Attachments    []attachmentView
	LastSnapshot   bool   // whether no more snapshots are made, and the user may remove the existing ones
	Back           string // the page from which people came, "" if it is not known
	Path           string // of this page, with Back
	RemoveSnapshot bool   // whether this page has the button for that; otherwise the page of the snapshot has it
}

// noteView is a note on the page of its link.
type noteView struct {
	ID         waymark.NoteID
	Text       template.HTML
	Visibility string
	Saved      page.Moment
	Owner      string // "" if it is the user
}

// checkView is what checks to the URL of a link have found.
type checkView struct {
	Text    string   // what the last check found, and when
	Found   string   // how many checks found the page
	Bars    []string // for each check the class of its bar, the oldest first
	NewURL  string   // to which the page has moved, "" if it has not
	Doubt   bool     // the last check did not find the page
	Again   bool     // whether the user may have the URL checked now
	Wayback string   // the URL of a copy elsewhere if the page is gone, otherwise ""
}

// resultTexts are the keys of the sentences about a last check.
var resultTexts = map[waymark.CheckResult]string{
	waymark.CheckOK: "link.check-ok", waymark.CheckMoved: "link.check-moved", waymark.CheckDead: "link.check-dead",
	waymark.CheckBlocked: "link.check-blocked", waymark.CheckUnsure: "link.check-unsure",
}

// newCheckView returns what checks have found about a link, nil if there were none.
func newCheckView(r *page.Request, link waymark.Link) (*checkView, error) {
	checks, err := r.Store.Queue.LinkChecks(r.Context(), r.User.ID, link.ID)
	if err != nil || checks.Result == waymark.CheckNone {
		return nil, err
	}
	view := &checkView{NewURL: checks.NewURL, Text: r.T(resultTexts[checks.Result], "time", r.Moment(checks.At).Full)}
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

// checkLink requests that the URL of a link is checked soon.
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
	form := noteForm{Text: query.Get("text"), Visibility: cmp.Or(query.Get("visibility"), r.User.DefaultVisibility.Notes.String())}
	err := renderLink(r, http.StatusOK, id, form)
	if errors.Is(err, waymark.ErrNotFound) {
		return showTrashedLink(r, id)
	}
	return err
}

// showRow sends the row of a link, for a script that waits for the title of its page.
func showRow(r *page.Request, id waymark.LinkID) error {
	link, err := r.Store.Link(r.Context(), r.User.ID, id)
	if err != nil {
		return err
	}
	row, err := shownRow(r, link)
	if err != nil {
		return err
	}
	return r.RenderPart("link-part", row)
}

// renderLink sends the page of a link, with the form for a new note as it was filled in.
func renderLink(r *page.Request, status int, id waymark.LinkID, form noteForm) error {
	link, err := r.Store.Link(r.Context(), r.User.ID, id)
	if err != nil {
		return err
	}
	notes, err := r.Store.NotesOfLink(r.User.ID, id, pagination(r, notesPerPage)).Page(r.Context())
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
	p := linkPage{
		Link: view, Description: page.Markdown(link.Description, 2), Lists: lists, Tags: tagNames(link.Tags),
		Visibility: link.Visibility.String(), Note: form, Back: cameFrom(r, linkPath(id)),
	}
	query := url.Values{}
	if p.Back != "" {
		query.Set("back", p.Back)
	}
	p.Path = page.JoinQuery(linkPath(id), query.Encode())
	p.Pager = page.PagerAt(linkPath(id), query, page.NumberOf(r), notes.Total, notesPerPage) // a form is sent to another path
	p.Fetchable = p.Link.Mine && r.Crawler.FetchesPages() && waymark.HasPage(link.URL)
	if p.Checks, err = newCheckView(r, link); err != nil {
		return err
	}
	if p.TextSnapshot, err = snapshotTime(r, id); err != nil {
		return err
	}
	if p.FullSnapshot, err = fullSnapshot(r, id); err != nil {
		return err
	}
	if p.Attachments, err = attachmentsOf(r, id); err != nil {
		return err
	}
	p.LastSnapshot = (p.TextSnapshot != nil || p.FullSnapshot != nil) && p.Link.Mine && !r.Settings.PageParts(link, waymark.TextSnapshotPart).Has(waymark.TextSnapshotPart)
	p.RemoveSnapshot = p.LastSnapshot || p.TextSnapshot == nil && p.FullSnapshot != nil && p.Link.Mine
	if link.UpdatedAt != link.CreatedAt {
		p.Edited = r.MomentOrNever(link.UpdatedAt)
	}
	noteOwners := waymark.Map(notes.Entities, func(n waymark.Note) waymark.UserID { return n.Owner })
	names, err := otherOwners(r, noteOwners)
	if err != nil {
		return err
	}
	p.Owner = view.Owner
	for _, note := range notes.Entities {
		p.Notes = append(p.Notes, noteView{note.ID, page.Markdown(note.Text, 3), note.Visibility.String(), r.Moment(note.CreatedAt), names[note.Owner]})
	}
	return r.RenderStatus(status, "link", p)
}

// fetchLink fetches the page of a link again.
func fetchLink(r *page.Request, id waymark.LinkID) error {
	_, state, err := r.Crawler.FetchAgain(r.Context(), r.User, id)
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
	return r.Changed(backToLink(r, id), page.Toast{Text: text, Back: backToLink(r, id)})
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
