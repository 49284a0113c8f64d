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
	_, err = a.tagByID(ctx, user, id)
	return waymark.Ref{ID: int64(id)}, err
}

// tagByID returns a tag of the user's own. Those of others do not exist for this API.
func (a *API) tagByID(ctx context.Context, user waymark.User, id waymark.TagID) (waymark.Tag, error) {
	tag, err := a.Store.Tag(ctx, user.ID, id)
	if errors.Is(err, waymark.ErrForbidden) || err == nil && tag.Owner != user.ID {
		err = waymark.ErrNotFound
	}
	return tag, err
}

// ownTag returns the user's own tag with the id in the path.
func (a *API) ownTag(r *http.Request, user waymark.User) (waymark.Tag, error) {
	id, err := rest.PathID[waymark.TagID](r, "id")
	if err != nil {
		return waymark.Tag{}, err
	}
	return a.tagByID(r.Context(), user, id)
}

// tagBasicJSON is a tag in the response to a change.
type tagBasicJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// tagCountJSON is a tag with the number of its bookmarks, all of which people have attached.
type tagCountJSON struct {
	tagBasicJSON
	NumBookmarks int            `json:"numBookmarks"`
	ByType       map[string]int `json:"numBookmarksByAttachedType"`
}

func newTagCountJSON(t waymark.Tag, bookmarks int) tagCountJSON {
	return tagCountJSON{tagBasicJSON{idText(t.ID), t.Name}, bookmarks, map[string]int{"human": bookmarks}}
}

// listTags lists the user's own tags, those with most bookmarks first.
func (a *API) listTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	pagination, err := paginationOf(r)
	if err != nil {
		return err
	}
	q := httpx.ParseQuery(r.URL.RawQuery)
	order := waymark.Order{By: waymark.SortByLinks, Desc: true}
	switch q.Get("sort") {
	case "", "usage", "relevance":
	case "name":
		order = waymark.Order{By: waymark.SortByName}
	default:
		return badRequest("The parameter sort must be name, usage or relevance.")
	}
	page, err := a.Store.SearchTags(r.Context(), user.ID, waymark.LabelFilter{Name: q.Get("nameContains"), Owner: user.ID}, order, pagination)
	if err != nil {
		return err
	}
	all := waymark.Map(page.Entities, func(t waymark.Tag) tagCountJSON { return newTagCountJSON(t, t.LinkCount) })
	return httpx.WriteJSON(w, http.StatusOK, struct {
		Tags []tagCountJSON `json:"tags"`
		Next *string        `json:"nextCursor"`
	}{all, nextCursor(pagination, page.Total)})
}

func (a *API) getTag(w http.ResponseWriter, r *http.Request, user waymark.User, tag waymark.Tag) error {
	with := waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{ID: int64(tag.ID)}}}
	count, err := a.Store.CountLinks(r.Context(), user.ID, []waymark.LinkFilter{{Where: waymark.And{waymark.IsMine, with}}})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, newTagCountJSON(tag, count[0]))
}

// listBookmarksOfTag lists the user's own bookmarks with a tag.
func (a *API) listBookmarksOfTag(w http.ResponseWriter, r *http.Request, user waymark.User, tag waymark.Tag) error {
	with := waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{ID: int64(tag.ID)}}}
	return a.searchBookmarks(w, r, user, waymark.And{waymark.IsMine, with}, newestFirst)
}

// addTag adds a tag. A name that is taken is an error.
func (a *API) addTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.writeTag(w, r, user, http.StatusCreated, func(ctx context.Context, s *service.Service, in waymark.TagInput) (waymark.Tag, error) {
		return s.AddTag(ctx, user, in)
	})
}

func (a *API) editTag(w http.ResponseWriter, r *http.Request, user waymark.User, tag waymark.Tag) error {
	return a.writeTag(w, r, user, http.StatusOK, func(ctx context.Context, s *service.Service, in waymark.TagInput) (waymark.Tag, error) {
		return s.EditTag(ctx, user, tag.ID, in)
	})
}

// writeTag changes a tag as the body of the request says, and writes it.
func (a *API) writeTag(w http.ResponseWriter, r *http.Request, user waymark.User, status int, do func(context.Context, *service.Service, waymark.TagInput) (waymark.Tag, error)) error {
	var fields struct {
		Name string `json:"name"`
	}
	if err := a.readJSON(w, r, &fields); err != nil {
		return err
	}
	var tag waymark.Tag
	err := a.change(r, user, func(ctx context.Context, s *service.Service) (err error) {
		tag, err = do(ctx, s, waymark.TagInput{Name: fields.Name})
		return err
	})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, status, tagBasicJSON{idText(tag.ID), tag.Name})
}
