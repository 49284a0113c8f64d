package web

import (
	"cmp"
	"errors"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// renderRow sends the row of a link after a change.
func renderRow(r *page.Request, link waymark.Link, message page.Toast) error {
	row, err := shownRow(r, link)
	if err != nil {
		return err
	}
	row.Version, row.Toast = link.UpdatedAt.String(), &message
	return r.RenderChanged("row", row)
}

// changedRow is the row of a link for a script, and after a change the message about it.
type changedRow struct {
	Link    linkView
	Version string // of the link, after a change
	View    string // of the page
	Toast   *page.Toast
}

// shownRow returns the row of a link as the page has it that asked for the row.
func shownRow(r *page.Request, link waymark.Link) (changedRow, error) {
	shown := r.Shown()
	s, err := searchAt(r, shown.Path, page.ParseQuery(shown.RawQuery))
	if err != nil && !errors.Is(err, waymark.ErrNotFound) { // the page of the link has no row
		return changedRow{}, err
	}
	seq, err := readSequence(r)
	if err != nil {
		return changedRow{}, err
	}
	view := cmp.Or(s.View, string(r.Settings.View))
	views, err := newLinkViews(r, waymark.View(view), highlights(s.Where), []waymark.Link{link})
	if shown.Path == "/links" || strings.HasPrefix(shown.Path, "/searches/") {
		views.shown = s.flags()
	}
	views.in = seq
	return changedRow{Link: views.of(link), View: view}, err
}
