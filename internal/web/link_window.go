package web

import (
	"context"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// linkWindow is the small window in which a bookmarklet or an app saves a link.
type linkWindow struct {
	linkForm
	Host   string
	Lately []windowList
	Lists  []windowList // the others
	Focus  string       // the first empty field
}

// windowList is a list that can be ticked.
type windowList struct {
	nameView
	Chosen bool
}

const maxLately = 3 // lists that are shown first

// renderLinkWindow sends the form in a window of its own.
func renderLinkWindow(r *page.Request, status int, f linkForm) error {
	w := linkWindow{linkForm: f, Host: page.ShortHost(waymark.Host(f.URL)), Focus: "tags"}
	switch {
	case f.URL == "":
		w.Focus = "url"
	case f.Title == "":
		w.Focus = "title"
	}
	used, err := latelyUsed(r)
	if err != nil {
		return err
	}
	known, _, err := knownNames(r)
	if err != nil {
		return err
	}
	lately, err := listNames(r, used)
	if err != nil {
		return err
	}
	w.chooseLists(lately, known)
	return r.RenderStatus(status, "link-window", w)
}

// chooseLists sets the lists: those of the form, those used lately, and the other known ones.
func (w *linkWindow) chooseLists(lately []nameView, known []string) {
	seen := map[string]bool{}
	add := func(to *[]windowList, name string, chosen bool) {
		if folded := waymark.Fold(name); !seen[folded] {
			seen[folded] = true
			*to = append(*to, windowList{nameView{Name: name, Hue: page.Hue(name)}, chosen})
		}
	}
	for _, name := range parseNames(w.linkForm.Lists) {
		add(&w.Lately, name, true)
	}
	for _, list := range lately {
		if len(w.Lately) < maxLately {
			add(&w.Lately, list.Name, false)
		}
	}
	for _, name := range known {
		add(&w.Lists, name, false)
	}
}

// fillInExisting fills in the form with the user's link that has the URL already, to change it.
func fillInExisting(r *page.Request, f *linkForm) error {
	link, err := r.Store.Link(r.Context(), r.User.ID, f.Existing.ID)
	if err != nil {
		return err
	}
	existing := f.Existing
	*f, err = formOf(r, link)
	f.Window, f.Existing = true, existing
	return err
}

// addNote adds the note of the small window to a link, if there is one.
func addNote(ctx context.Context, s *service.Service, user waymark.User, id waymark.LinkID, text string) error {
	if text == "" {
		return nil
	}
	_, err := s.AddNote(ctx, user, id, waymark.NoteInput{Text: text})
	return err
}
