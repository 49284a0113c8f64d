package web

import (
	"context"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// markLink sets or unsets a flag of a link.
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
	if link, err = r.Store.Link(r.Context(), r.User.ID, link.ID); err != nil {
		return err
	}
	return renderRow(r, link, message)
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
