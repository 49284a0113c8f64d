package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// mistyped reports whether a URL has a scheme that consists of the letters of https but
// is none, such as htp://x. It could be saved, but is always a mistake in a form.
func mistyped(rawURL string) bool {
	scheme, _, ok := strings.Cut(rawURL, ":")
	return ok && scheme != "" && strings.Trim(strings.ToLower(scheme), "htps") == "" && !waymark.Linkable(rawURL)
}

var errMistyped = &waymark.ValidationError{Problems: []waymark.Problem{{Field: waymark.FieldURL, Rule: waymark.RuleFormat}}}

// isSavedAlready reports whether a link was not saved because the user has one with its URL.
func isSavedAlready(err error) bool {
	var invalid *waymark.ValidationError
	return errors.As(err, &invalid) && slices.ContainsFunc(invalid.Problems, func(p waymark.Problem) bool {
		return p.Field == waymark.FieldURL && p.Rule == waymark.RuleUnique
	})
}

func saveLink(r *page.Request) error {
	f, in, err := readLinkForm(r, waymark.Link{})
	if err != nil {
		return showLinkProblems(r, f, err)
	}
	takePreview(r, &in)
	if mistyped(f.URL) {
		return showLinkProblems(r, f, errMistyped)
	}
	if r.Queued() {
		return saveQueued(r, f, in)
	}
	if err := findExisting(r, &f); err != nil {
		return err
	}
	// The field trashed has the id of the link in the trash that the user was told about.
	if f.Existing != nil && f.Existing.Trashed && r.Field("trashed") != fmt.Sprint(f.Existing.ID) {
		return showKnown(r, f, r.T("link-form.in-trash"))
	}
	if f.Near != nil && r.Field("into") == fmt.Sprint(f.Near.ID) {
		return addToLink(r, f, in)
	}
	if f.Near != nil && r.Field("near") != fmt.Sprint(f.Near.ID) {
		return showKnown(r, f, r.T("link-form.near", "url", page.Quoted(f.Near.URL)))
	}
	shared, here, err := alreadyHere(r, in)
	if err != nil {
		return err
	}
	if here != nil && r.Field("quick") == "" && r.Field("near") != fmt.Sprint(here.ID) {
		f.Near = here
		return showKnown(r, f, r.T("share.here-already", "name", here.Owner))
	}
	link, undo, err := addWithNote(r, in, f.Note)
	if isSavedAlready(err) && r.Field("quick") != "" {
		return showKnown(r, f, "")
	}
	if err != nil {
		return showLinkProblems(r, f, err)
	}
	link = r.Crawler.FetchNew(r.Context(), r.User, link)
	var shown string // what others see of it
	switch {
	case here != nil:
		shown = r.T("share.here-already", "name", here.Owner)
	case link.Visibility.String() != f.Visibility && len(shared) > 0:
		shown = r.T("share.at-least", "name", page.Quoted(shared[0].Name))
	}
	switch {
	case f.Window && shown != "":
		return r.Render("link-saved", savedPage{Shown: shown})
	case f.Window:
		return r.Redirect("/add/saved")
	}
	path := f.Return()
	saved := page.Toast{
		Text: strings.TrimSpace(r.T("link-form.saved", "title", page.Quoted(link.Title)) + " " + shown), Undo: undo, Back: path,
		Edit: linkPath(link.ID) + "?" + page.QueryOf("back", path),
	}
	if r.Field("another") != "" {
		path = "/links/create?" + page.QueryOf("lists", f.Lists, "tags", f.Tags, "visibility", f.Visibility, "back", f.Back)
	}
	return r.Changed(path, saved)
}

// alreadyHere returns those lists of a new link that others change, too, and the link of another person in them with the
// same URL, nil if there is none.
func alreadyHere(r *page.Request, in waymark.LinkInput) (shared []waymark.List, here *nearLink, err error) {
	if in.Lists == nil {
		return nil, nil, nil
	}
	if shared, err = sharedAmong(r, *in.Lists); err != nil {
		return nil, nil, err
	}
	var link waymark.Link
	if in.Apply(&link) != nil {
		return shared, nil, nil //nolint:nilerr // the form says so
	}
	here, err = savedByOther(r, link.URL, shared)
	return shared, here, err
}

// addWithNote adds a link with its first note, "" for none.
func addWithNote(r *page.Request, in waymark.LinkInput, note string) (link waymark.Link, undo string, err error) {
	undo, err = withUndo(r, func(ctx context.Context, s *service.Service) (err error) {
		if link, err = s.AddLink(ctx, r.User, in); err != nil {
			return err
		}
		return addNote(ctx, s, r.User, link.ID, note)
	})
	return link, undo, err
}

// saveQueued saves a link that waited in the browser until the server responded. It can arrive twice, and nobody sees
// a form in which to choose: a link that exists stays as it is.
func saveQueued(r *page.Request, f linkForm, in waymark.LinkInput) error {
	var saved struct {
		ID      waymark.LinkID `json:"id"`
		Title   string         `json:"title"`
		Existed bool           `json:"existed"`
	}
	link, _, err := addWithNote(r, in, f.Note)
	if isSavedAlready(err) {
		saved.Existed = true
		link, err = r.Store.LinkByURL(r.Context(), r.User.ID, f.URL)
	}
	if err != nil {
		return err
	}
	if !saved.Existed {
		link = r.Crawler.FetchNew(r.Context(), r.User, link)
	}
	saved.ID, saved.Title = link.ID, link.Title
	return r.SendJSON(http.StatusOK, saved)
}

// showKnown shows the card of a URL to people who save it without the form, and the form with what is wrong to others.
func showKnown(r *page.Request, f linkForm, wrong string) error {
	if r.Field("quick") != "" {
		return r.Redirect("/links?" + page.QueryOf("q", f.URL))
	}
	f.Problems = page.Problems{{Field: "url", Text: wrong}}
	return renderLinkForm(r, http.StatusUnprocessableEntity, f)
}

// addToLink adds the lists, tags, set flags and the note of a form to the link of the same page.
func addToLink(r *page.Request, f linkForm, in waymark.LinkInput) error {
	link, err := r.Store.Link(r.Context(), r.User.ID, f.Near.ID)
	if err != nil {
		return err
	}
	var edit waymark.BulkEdit
	if in.Lists != nil {
		edit.Lists = *in.Lists
	}
	if in.Tags != nil {
		edit.Tags = *in.Tags
	}
	for _, v := range in.Values() {
		if v.On { // a box that is not ticked takes nothing from the link
			*edit.Of(v.Flag) = &v.On
		}
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		if _, err := s.EditLinks(ctx, r.User, []int64{int64(link.ID)}, edit); err != nil {
			return err
		}
		return addNote(ctx, s, r.User, link.ID, f.Note)
	})
	if err != nil {
		return showLinkProblems(r, f, err)
	}
	return linkChanged(r, f, link, undo, edit.Lists)
}

// takePreview marks the texts of a form that are still as previewPage has sent them: the link has them from
// its page, and not from its user.
func takePreview(r *page.Request, in *waymark.LinkInput) {
	if in.Title != nil && *in.Title == r.Field("page-title") {
		in.Page.Title, in.Title = *in.Title, nil
	}
	description := textArea(r.Field("page-description"))
	if in.Description == nil || *in.Description == description { // the small window has no field for it
		in.Page.Description, in.Description = description, nil
	}
	if image := r.Field("page-image"); waymark.ValidImageURL(image) {
		in.Page.Image = image
	}
}

func saveLinkEdit(r *page.Request, link waymark.Link) error {
	f, in, err := readLinkForm(r, link)
	if err != nil {
		return showLinkProblems(r, f, err)
	}
	if f.URL != link.URL && mistyped(f.URL) {
		return showLinkProblems(r, f, errMistyped)
	}
	before := link.Lists
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) (err error) {
		if link, err = s.EditLink(ctx, r.User, f.ID, in); err != nil {
			return err
		}
		return addNote(ctx, s, r.User, link.ID, f.Note)
	})
	if err != nil {
		return showLinkProblems(r, f, err)
	}
	var added []waymark.Ref
	for _, list := range link.Lists {
		if !slices.ContainsFunc(before, func(had waymark.List) bool { return had.ID == list.ID }) {
			added = append(added, waymark.Ref{ID: int64(list.ID)})
		}
	}
	return linkChanged(r, f, link, undo, added)
}

// linkChanged responds to the change of a link by a form, which has put it into lists.
func linkChanged(r *page.Request, f linkForm, link waymark.Link, undo string, lists []waymark.Ref) error {
	if f.Window {
		return r.Redirect("/add/saved")
	}
	back := f.Return()
	if f.ID != 0 {
		back = backToLink(r, link.ID)
	}
	changed := page.Toast{Text: r.T("link-form.changed", "title", page.Quoted(link.Title)), Undo: undo, Back: back}
	if err := askPrivate(r, &changed, []int64{int64(link.ID)}, lists); err != nil {
		return err
	}
	return showChangedLink(r, link.ID, back, changed)
}

func showLinkProblems(r *page.Request, f linkForm, err error) error {
	if r.Queued() {
		return err
	}
	f.Version = r.VersionAfter(err)
	if f.Problems, err = r.ProblemsOf(err); err != nil {
		return err
	}
	if f.ID != 0 && f.Version != r.Field("version") {
		if err := nameConflicts(r, &f); err != nil {
			return err
		}
	}
	if err := findExisting(r, &f); err != nil {
		return err
	}
	if f.ID != 0 && !f.Window {
		return renderLink(r, http.StatusUnprocessableEntity, f.ID, &f, noteForm{})
	}
	return renderLinkForm(r, http.StatusUnprocessableEntity, f)
}

// nameConflicts says at the fields of a link that was changed in another window what they have there.
func nameConflicts(r *page.Request, f *linkForm) error {
	link, err := r.Store.Link(r.Context(), r.User.ID, f.ID)
	if err != nil {
		return err
	}
	current, err := formOf(r, link)
	var conflicts page.Problems
	for _, field := range []struct{ name, sent, now string }{
		{"url", f.URL, current.URL}, {"title", f.Title, current.Title}, {"description", f.Description, current.Description},
		{"lists", f.Lists, current.Lists}, {"tags", f.Tags, current.Tags},
	} {
		if field.sent != field.now {
			conflicts = append(conflicts, page.Problem{Field: field.name, Text: f.Problems[0].Text + " " + r.T("problem.now", "value", page.Quoted(field.now))})
		}
	}
	if conflicts != nil {
		f.Problems = conflicts
	}
	return err
}

func trashLink(r *page.Request) error {
	link, err := ownLink(r)
	if err != nil && !errors.Is(err, page.ErrTrashed) {
		return err
	}
	trashed := err != nil // in another window
	back, text := r.Back(r.LinksPath()), r.T("link-form.trashed", "title", page.Quoted(link.Title))
	if trashed {
		return r.Changed(back, page.Toast{Text: text})
	}
	return makeChange(r, back, false, func(ctx context.Context, s *service.Service) (string, error) {
		return text, s.Delete(ctx, r.User, waymark.Links, int64(link.ID))
	})
}

// savedPage is the data of the end of the window.
type savedPage struct {
	page.Plain
	Shown string // what others see of the link, "" for nothing
}

// showLinkSaved is the end of the window: it closes itself.
func showLinkSaved(r *page.Request) error { return r.Render("link-saved", savedPage{}) }

const maxSeveral = 200

// saveSeveral saves URLs that were pasted, with the lists and tags of the page. Links that the user has get these.
func saveSeveral(r *page.Request) error {
	back := r.Back(r.LinksPath())
	lists, err := listRefs(r, parseNames(r.Field("lists")), nil)
	if err != nil {
		return err
	}
	tags := refs(parseNames(r.Field("tags")), nil)
	added, known, err := severalLinks(r, lists, tags)
	if err != nil {
		return err
	}
	if len(added)+len(known) == 0 {
		return r.Changed(back, page.Toast{Text: r.T("shell.several-none")})
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		if len(added) > 0 {
			if _, err := s.AddLinks(ctx, r.User, added); err != nil {
				return err
			}
		}
		if len(known) == 0 || len(*lists)+len(*tags) == 0 {
			return nil
		}
		_, err := s.EditLinks(ctx, r.User, known, waymark.BulkEdit{Lists: *lists, Tags: *tags})
		return err
	})
	if err != nil {
		return err
	}
	text := r.T("shell.several-saved", "n", len(added))
	if len(known) > 0 {
		text += " " + r.T("shell.several-known", "n", len(known))
	}
	saved := page.Toast{Text: text, Undo: undo, Back: back}
	if err := askPrivate(r, &saved, known, *lists); err != nil {
		return err
	}
	return r.Changed(back, saved)
}

// severalLinks returns the links to be added for the URLs of a form, and the ids of those that the user has. What is no
// URL is left out.
func severalLinks(r *page.Request, lists, tags *[]waymark.Ref) (added []waymark.LinkInput, known []int64, err error) {
	seen := map[string]bool{}
	for _, url := range strings.Fields(r.Field("urls")) {
		var link waymark.Link
		if (waymark.LinkInput{URL: url}).Apply(&link) != nil || mistyped(url) || seen[link.URL] || len(seen) == maxSeveral {
			continue
		}
		seen[link.URL] = true
		found, err := r.Store.LinkByURL(r.Context(), r.User.ID, link.URL)
		switch {
		case err == nil && found.DeletedAt == 0:
			known = append(known, int64(found.ID))
		case err == nil || errors.Is(err, waymark.ErrNotFound):
			added = append(added, waymark.LinkInput{URL: url, Lists: lists, Tags: tags})
		default:
			return nil, nil, err
		}
	}
	return added, known, nil
}
