package web

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// linkPage is the data of the page of one link.
type linkPage struct {
	Link           linkView
	Description    template.HTML
	Lists          []nameView
	Tags           []nameView
	Visibility     string
	Edited         *moment // nil if the link was not edited
	Owner          string  // "" if it is the user
	Notes          []noteView
	Pager          pager
	Note           noteForm   // for a new note
	Fetchable      bool       // whether the user may have the page fetched again
	Checks         *checkView // nil if the URL was not checked yet
	TextSnapshot   *moment    // when the snapshot of the page was made, nil if there is none
	FullSnapshot   *fullSnapshotView
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
	Saved      moment
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
func newCheckView(v *visit, link waymark.Link) (*checkView, error) {
	checks, err := v.Store.LinkChecks(v.ctx(), v.user.ID, link.ID)
	if err != nil || checks.Result == waymark.CheckNone {
		return nil, err
	}
	view := &checkView{NewURL: checks.NewURL, Text: v.t(resultTexts[checks.Result], "time", v.moment(checks.At).Full)}
	view.Doubt = checks.Result != waymark.CheckOK && checks.Result != waymark.CheckMoved
	view.Again = checksLinks(v) && !link.CheckDisabled
	if checks.Result == waymark.CheckDead {
		view.Wayback = link.WaybackURL()
	}
	found := 0
	for _, at := range checks.Checks {
		bar := ""
		switch at.Result {
		case waymark.CheckDead:
			bar = "gone"
		case waymark.CheckUnsure, waymark.CheckBlocked:
			bar = "unsure"
		default:
			found++
		}
		view.Bars = append(view.Bars, bar)
	}
	view.Found = v.t("link.checks-found", "n", found, "total", len(checks.Checks))
	return view, nil
}

// acceptMove gives a link the address to which its page has moved.
func acceptMove(v *visit) error {
	link, err := ownLink(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	back := backToLink(v, link.ID)
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) error {
		_, err := s.AcceptMove(ctx, v.user, link.ID)
		return err
	})
	if errors.Is(err, service.ErrNotMoved) { // the page was shown before the last check
		return v.redirect(back)
	}
	if err != nil {
		return shortProblem(v, err, back)
	}
	return v.changed(back, toast{Text: v.t("link.accepted"), Undo: undo, Back: back})
}

// checksLinks reports whether links of the user are checked.
func checksLinks(v *visit) bool { return v.Crawler.Checks != nil && !v.settings.NoChecks }

// checkLink requests that the URL of a link is checked soon.
func checkLink(v *visit) error {
	link, err := ownLink(v)
	if err != nil {
		return err
	}
	if !checksLinks(v) || link.CheckDisabled {
		return waymark.ErrNotFound // the page has no button for it
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	if _, err := v.Crawler.RequestChecks(v.ctx(), v.user, []int64{int64(link.ID)}); err != nil {
		return err
	}
	return v.changed(backToLink(v, link.ID), toast{Text: v.t("link.check-soon")})
}

// confirmLink records that the page of a link is there.
func confirmLink(v *visit) error {
	link, err := ownLink(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := v.Crawler.ConfirmLink(v.ctx(), v.user, link.ID); err != nil {
		return err
	}
	return v.changed(backToLink(v, link.ID), toast{Text: v.t("link.confirmed")})
}

// notesPerPage is small because notes can be long.
const notesPerPage = 20

// pageTitle implements titled.
func (p linkPage) pageTitle() string { return p.Link.Title }

func showLink(v *visit) error {
	id, err := pathID[waymark.LinkID](v)
	if err != nil {
		return err
	}
	query := v.parameters // what was sent before the user had to sign in again
	form := noteForm{Text: query.Get("text"), Visibility: cmp.Or(query.Get("visibility"), v.user.DefaultVisibility.Notes.String())}
	err = renderLink(v, http.StatusOK, id, form)
	if errors.Is(err, waymark.ErrNotFound) {
		return showTrashedLink(v, id)
	}
	return err
}

// maxBefore is the length up to which the page of a link keeps the page from which people came, in bytes:
// escaped in an address of an address, it has up to 2.3 times as many, and proxies limit addresses, often
// to 8 kB. The page before can be that of another link, with the page before that.
const maxBefore = 1500

// cameFrom returns the page from which people came to the page at path, "" if it is not known. Forms and
// pages that lead back to path send it as "back". Otherwise it is the page with the link to path, but not
// a page below path or a form.
func cameFrom(v *visit, path string) string {
	if back := v.back(""); back != "" {
		return back
	}
	came := strings.TrimPrefix(v.r.Referer(), v.baseURL())
	page, _, _ := strings.Cut(came, "?")
	if strings.HasPrefix(page+"/", path+"/") || strings.HasSuffix(page, "/edit") || page == "/signin" || len(came) > maxBefore || !v.hasPage(came) {
		return ""
	}
	return came
}

// backToLink returns the path of the page of a link after a change on it. It has the page from which people
// came to it.
func backToLink(v *visit, id waymark.LinkID) string {
	return joinQuery(linkPath(id), queryOf("back", v.back("")))
}

// renderLink sends the page of a link, with the form for a new note as it was filled in.
func renderLink(v *visit, status int, id waymark.LinkID, form noteForm) error {
	link, err := v.Store.Link(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	notes, err := v.Store.NotesOfLink(v.user.ID, id, pagination(v, notesPerPage)).Page(v.ctx())
	if err != nil {
		return err
	}
	view, err := newLinkView(v, link)
	if err != nil {
		return err
	}
	p := linkPage{
		Link: view, Description: markdown(link.Description, 2), Lists: listNames(link.Lists), Tags: tagNames(link.Tags),
		Visibility: link.Visibility.String(), Note: form, Back: cameFrom(v, linkPath(id)),
	}
	query := url.Values{}
	if p.Back != "" {
		query.Set("back", p.Back)
	}
	p.Path = joinQuery(linkPath(id), query.Encode())
	p.Pager = pagerAt(linkPath(id), query, pageNumber(v), notes.Total, notesPerPage) // a form is sent to another path
	p.Fetchable = p.Link.Mine && v.Crawler.Pages != nil && waymark.HasPage(link.URL)
	if p.Checks, err = newCheckView(v, link); err != nil {
		return err
	}
	if p.TextSnapshot, err = snapshotTime(v, id); err != nil {
		return err
	}
	if p.FullSnapshot, err = fullSnapshot(v, id); err != nil {
		return err
	}
	p.LastSnapshot = (p.TextSnapshot != nil || p.FullSnapshot != nil) && p.Link.Mine && !v.settings.PageParts(link, waymark.TextSnapshotPart).Has(waymark.TextSnapshotPart)
	p.RemoveSnapshot = p.LastSnapshot || p.TextSnapshot == nil && p.FullSnapshot != nil && p.Link.Mine
	if link.UpdatedAt != link.CreatedAt {
		edited := v.moment(link.UpdatedAt)
		p.Edited = &edited
	}
	noteOwners := ownersOf(notes.Entities, func(n waymark.Note) waymark.UserID { return n.Owner })
	names, err := otherOwners(v, noteOwners)
	if err != nil {
		return err
	}
	p.Owner = view.Owner
	for _, note := range notes.Entities {
		p.Notes = append(p.Notes, noteView{note.ID, markdown(note.Text, 3), note.Visibility.String(), v.moment(note.CreatedAt), names[note.Owner]})
	}
	return v.renderStatus(status, "link", p)
}

// fetchLink fetches the page of a link again.
func fetchLink(v *visit) error {
	id, err := pathID[waymark.LinkID](v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	_, state, err := v.Crawler.FetchAgain(v.ctx(), v.user, id)
	text := v.t("link.fetched")
	switch {
	case errors.Is(err, crawl.ErrNoPages):
		return waymark.ErrNotFound // the page has no button for it
	case err != nil:
		return err
	case state.Waiting:
		text = v.t("link.fetch-later")
	case state.Failure != "":
		text = v.t("link.not-fetched")
	}
	return v.changed(backToLink(v, id), toast{Text: text, Back: backToLink(v, id)})
}
