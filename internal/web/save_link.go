package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// mistyped reports whether an address has a scheme that consists of the letters of https but
// is none, such as htp://x. It could be saved, but is always a mistake in a form.
func mistyped(address string) bool {
	scheme, _, ok := strings.Cut(address, ":")
	return ok && scheme != "" && strings.Trim(strings.ToLower(scheme), "htps") == "" && !waymark.Linkable(address)
}

// errMistyped is the problem of a form with a mistyped address.
var errMistyped = &waymark.ValidationError{Problems: []waymark.Problem{{Field: waymark.FieldURL, Rule: waymark.RuleFormat}}}

// isSavedAlready reports whether a link was not saved because the user has one with its URL.
func isSavedAlready(err error) bool {
	var invalid *waymark.ValidationError
	return errors.As(err, &invalid) && slices.ContainsFunc(invalid.Problems, func(p waymark.Problem) bool {
		return p.Field == waymark.FieldURL && p.Rule == waymark.RuleUnique
	})
}

// saveLink saves a new link.
func saveLink(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	f, in := readLinkForm(v, waymark.Link{})
	if mistyped(f.URL) {
		return showLinkProblems(v, f, errMistyped)
	}
	if err := f.findExisting(); err != nil {
		return err
	}
	// The field trashed has the id of the link in the trash that the user was told about.
	if f.Existing != nil && f.Existing.Trashed && v.field("trashed") != fmt.Sprint(f.Existing.ID) {
		if v.field("quick") != "" {
			return v.redirect("/links?" + queryOf("query", f.URL)) // with the card of the address
		}
		f.Problems = problems{{Field: "url", Text: v.t("link-form.in-trash")}}
		return renderLinkForm(v, http.StatusUnprocessableEntity, f)
	}
	var link waymark.Link
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) (err error) {
		link, err = s.AddLink(ctx, v.user, in)
		return err
	})
	if v.field("quick") != "" && isSavedAlready(err) {
		return v.redirect("/links?" + queryOf("query", f.URL)) // with the card of the address
	}
	if err != nil {
		return showLinkProblems(v, f, err)
	}
	link = v.Crawler.FetchNew(v.ctx(), v.user, link)
	switch {
	case f.Window:
		return v.redirect("/add/saved")
	case v.field("another") != "":
		path := "/links/create?" + queryOf("lists", f.Lists, "tags", f.Tags, "visibility", f.Visibility)
		return v.changed(path, toast{Text: v.t("link-form.saved", "title", cut(link.Title, maxQuoted)), Undo: undo, Back: "/links"})
	}
	return v.changed(f.Return(), toast{Text: v.t("link-form.saved", "title", cut(link.Title, maxQuoted)), Undo: undo, Back: f.Return()})
}

// saveLinkEdit changes a link.
func saveLinkEdit(v *visit) error {
	link, err := ownLink(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	f, in := readLinkForm(v, link)
	if f.URL != link.URL && mistyped(f.URL) {
		return showLinkProblems(v, f, errMistyped)
	}
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) (err error) {
		link, err = s.EditLink(ctx, v.user, f.ID, in)
		return err
	})
	if err != nil {
		return showLinkProblems(v, f, err)
	}
	message := toast{Text: v.t("link-form.changed", "title", cut(link.Title, maxQuoted)), Undo: undo, Back: f.Return()}
	if inRow(v, link.ID) {
		page := pageOfPart(v)
		var words []string
		for _, w := range page.plainWords() {
			words = append(words, waymark.Fold(w.value))
		}
		views, err := newLinkViews(v, waymark.View(page.View), words, []waymark.Link{link})
		if err != nil {
			return err
		}
		return v.renderPart("row", changedRow{views.of(link), link.UpdatedAt.String(), page.View, &message})
	}
	return v.changed(f.Return(), message)
}

// changedRow is the row of a link after a change, and the message about it.
type changedRow struct {
	Link    linkView
	Version string // of the link
	View    string // of the page
	Toast   *toast
}

// pageOfPart returns the query of the page that asked for a part of itself, with the view in
// which it shows links.
func pageOfPart(v *visit) linksQuery {
	var values url.Values
	if page, err := url.Parse(v.r.Header.Get("HX-Current-URL")); err == nil {
		values = parseQuery(page.RawQuery)
	}
	q := linksQueryOf(values)
	if q.View == "" {
		q.View = string(v.settings.View)
	}
	return q
}

// showLinkProblems shows the form again with what is wrong with it.
func showLinkProblems(v *visit, f linkForm, err error) error {
	values := map[string]string{"url": f.URL, "title": f.Title, "lists": f.Lists, "tags": f.Tags, "visibility": f.Visibility}
	f.Version = v.versionAfter(err)
	f.Problems, err = v.problemsOf(err, func(field string) string { return cut(values[field], maxQuoted) })
	if err != nil {
		return err
	}
	if err := f.findExisting(); err != nil {
		return err
	}
	return renderLinkForm(v, http.StatusUnprocessableEntity, f)
}

// maxQuoted is how much of a wrong input a sentence repeats, in characters.
const maxQuoted = 80

// trashLink moves a link to the trash.
func trashLink(v *visit) error {
	link, err := ownLink(v)
	if err != nil && !errors.Is(err, errTrashed) {
		return err
	}
	trashed := err != nil // in another window
	if err := v.parseForm(); err != nil {
		return err
	}
	back, text := v.back("/links"), v.t("link-form.trashed", "title", cut(link.Title, maxQuoted))
	if trashed {
		return v.changed(back, toast{Text: text})
	}
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) error { return s.DeleteLink(ctx, v.user, link.ID) })
	if err != nil {
		return err
	}
	return v.changed(back, toast{Text: text, Undo: undo, Back: back})
}

// showLinkSaved is the end of the window: it closes itself.
func showLinkSaved(v *visit) error { return v.render("link-saved", windowPage{}) }

// windowPage is a page in a window of its own.
type windowPage struct{}

// withoutShell implements plain.
func (windowPage) withoutShell() bool { return true }
