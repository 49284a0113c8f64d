package karakeep

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// tagFields name a tag in requests, by one of the two.
type tagFields struct {
	ID   string `json:"tagId"`
	Name string `json:"tagName"`
}

// changeTags returns the handler that attaches tags to a bookmark, or detaches them. The response has their ids in the
// field done.
func changeTags(mode waymark.RefsMode, done string) func(*API, http.ResponseWriter, *http.Request, waymark.User, waymark.Link) error {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
		var body struct {
			Tags []tagFields `json:"tags"`
		}
		if err := a.readJSON(w, r, &body); err != nil {
			return err
		}
		edit := waymark.BulkEdit{TagsMode: mode}
		for _, t := range body.Tags {
			ref, err := a.tagRef(r.Context(), user, t)
			if err != nil {
				return err
			}
			edit.Tags = append(edit.Tags, ref)
		}
		before := link.Tags
		err := a.change(r, user, func(ctx context.Context, s *service.Service) error {
			_, err := s.EditLinks(ctx, user, []int64{int64(link.ID)}, edit)
			return err
		})
		if err != nil {
			return err
		}
		if link, err = a.Store.OwnLink(r.Context(), user, link.ID); err != nil {
			return err
		}
		ids := []string{}
		for _, tag := range slices.Concat(before, link.Tags) {
			id := idText(tag.ID)
			named := slices.ContainsFunc(edit.Tags, func(ref waymark.Ref) bool {
				return ref.ID == int64(tag.ID) || ref.ID == 0 && waymark.Fold(ref.Name) == waymark.Fold(tag.Name)
			})
			if named && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return httpx.WriteJSON(w, http.StatusOK, map[string][]string{done: ids})
	}
}

// tagRef returns the tag that a request names. One by id must be the user's own.
func (a *API) tagRef(ctx context.Context, user waymark.User, t tagFields) (waymark.Ref, error) {
	if t.ID == "" {
		if name := waymark.NormalizeName(t.Name); name != "" {
			return waymark.Ref{Name: name}, nil
		}
		return waymark.Ref{}, badRequest("Each of the tags must have a tagName or a tagId.")
	}
	id, err := rest.ParseID[waymark.TagID](t.ID)
	if err != nil {
		return waymark.Ref{}, err
	}
	tag, err := a.Store.Tag(ctx, user.ID, id)
	if errors.Is(err, waymark.ErrForbidden) || err == nil && tag.Owner != user.ID {
		err = waymark.ErrNotFound
	}
	return waymark.Ref{ID: int64(id)}, err
}
