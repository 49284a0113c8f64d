package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

func markLink(r *page.Request, link waymark.Link) error {
	change := r.PathValue("change")
	flags, ok := flagChanges[change]
	if !ok {
		return waymark.ErrNotFound
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		_, err := s.EditLinks(ctx, r.User, []int64{int64(link.ID)}, waymark.BulkEdit{FlagsInput: flags})
		return err
	})
	if err != nil {
		return err
	}
	back := r.Back(r.LinksPath())
	seq, err := readSequence(r)
	if err != nil {
		return err
	}
	if seq.In != "" && !inRow(r, link.ID) { // from the reader
		if back, err = seq.nextText(r, link.ID); err != nil {
			return err
		}
	}
	message := page.Toast{Text: r.T(flagText("done", change), "title", page.Quoted(link.Title)), Undo: undo, Back: back}
	if !inRow(r, link.ID) {
		return r.Changed(back, message)
	}
	row, err := shownRow(r, link.ID)
	if err != nil {
		return err
	}
	row.Toast = &message
	return r.RenderChanged("row", row)
}

// seeLink records for a script that the user has looked at a link. Opening its page also marks it as read, if they have
// chosen that.
func seeLink(r *page.Request, link waymark.Link) error {
	if _, err := r.Service.MarkSeen(r.Context(), r.User, link.ID); err != nil {
		return err
	}
	if r.Parameters.Has("opened") && r.Settings.OpeningReads && link.Unread {
		if _, err := r.Service.EditLinks(r.Context(), r.User, []int64{int64(link.ID)}, waymark.BulkEdit{FlagsInput: flagChanges["read"]}); err != nil {
			return err
		}
	}
	r.W.WriteHeader(http.StatusNoContent)
	return nil
}

// changedRow is the row of a link for a script, and after a change the message about it.
type changedRow struct {
	Link    linkView
	Version string // of the link
	View    string // of the page
	Left    bool   // the link does not fit the search of the page any more
	Toast   *page.Toast
}

// shownRow returns the row of a link as the page has it that asked for the row.
func shownRow(r *page.Request, id waymark.LinkID) (changedRow, error) {
	link, err := r.Store.Link(r.Context(), r.User.ID, id)
	if err != nil {
		return changedRow{}, err
	}
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
	row := changedRow{View: cmp.Or(s.View, string(r.Settings.View)), Version: link.UpdatedAt.String()}
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
