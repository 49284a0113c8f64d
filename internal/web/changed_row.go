package web

import (
	"cmp"
	"errors"

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
	Left    bool   // the link does not fit the search of the page any more
	Toast   *page.Toast
}

// shownRow returns the row of a link as the page has it that asked for the row.
func shownRow(r *page.Request, link waymark.Link) (changedRow, error) {
	shown := r.Shown()
	s, err := searchAt(r, shown.Path, page.ParseQuery(shown.RawQuery))
	if err != nil && !errors.Is(err, waymark.ErrNotFound) { // the page of the link has no row
		return changedRow{}, err
	}
	listed := err == nil
	seq, err := readSequence(r)
	if err != nil {
		return changedRow{}, err
	}
	row := changedRow{View: cmp.Or(s.View, string(r.Settings.View))}
	views, err := newLinkViews(r, waymark.View(row.View), highlights(s.Where), []waymark.Link{link})
	if err != nil {
		return row, err
	}
	views.in = seq
	if id, ok := shownList(r); ok && listed {
		list, err := r.Store.List(r.Context(), r.User.ID, id)
		if err != nil {
			return row, err
		}
		if views.shared, err = isShared(r, list); err != nil {
			return row, err
		}
		if err := views.setList(r, list, []waymark.Link{link}); err != nil {
			return row, err
		}
	}
	if listed {
		if err := views.setShown(r, s.flags(), []waymark.Link{link}); err != nil {
			return row, err
		}
		filter := s.filter(r)
		filter.Where = waymark.AndOf(filter.Where, waymark.Among{link.ID: true})
		found, err := matchingLinks(r, filter, newestFirst, waymark.Pagination{}).Page(r.Context())
		if err != nil {
			return row, err
		}
		row.Left = found.Total == 0
	}
	row.Link = views.of(link)
	return row, nil
}
