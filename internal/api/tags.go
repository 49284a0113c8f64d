package api

import (
	"net/http"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (a *API) listTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	page := q.pageRequest()
	return a.store.Tags(user.ID, q.order(waymark.TagSortFields, newestFirst), page.pagination()).Stream(r.Context(), writePage(a, w, r, q, page, newTagJSON))
}

func (a *API) getTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	tag, err := a.tag(r, user)
	if err != nil {
		return err
	}
	return writeEntity(a, w, r, &tag, newTagJSON)
}

// mergeTags attaches a tag to the links of other tags, and moves these to the trash. It writes the tag. It is no part
// of LinkAce's API.
func (a *API) mergeTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	tag, err := a.tag(r, user)
	if err != nil {
		return err
	}
	others, err := modelIDs[waymark.TagID](a, w, r)
	if err != nil {
		return err
	}
	if _, err := a.service.MergeTags(r.Context(), user, tag.ID, others); err != nil {
		return err
	}
	return writeEntity(a, w, r, &tag, newTagJSON)
}

func (a *API) listLinksOfTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	tag, err := a.tag(r, user)
	if err != nil {
		return err
	}
	q := queryParams(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	links := a.store.LinksOfTag(user.ID, tag.ID, order, page.pagination())
	return store.WithFlags(links, q.flags()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}

// tag returns the tag with the id in the path.
func (a *API) tag(r *http.Request, user waymark.User) (waymark.Tag, error) {
	id, err := pathID[waymark.TagID](r)
	if err != nil {
		return waymark.Tag{}, err
	}
	return a.store.Tag(r.Context(), user.ID, id)
}

func (b *jsonBody) tagInput() waymark.TagInput {
	in := waymark.TagInput{
		Name:            b.textOrEmpty("name"),
		VisibilityInput: b.visibilityInput(),
	}
	in.DecodeErr = b.err()
	return in
}

type tagJSON struct {
	ID     waymark.TagID  `json:"id"`
	UserID waymark.UserID `json:"user_id"`
	Name   string         `json:"name"`
	visibilityJSON
	timesJSON
	Pivot *pivotJSON `json:"pivot,omitempty"` // in a link
}

func newTagJSON(_ string, t *waymark.Tag) tagJSON {
	return tagJSON{
		ID: t.ID, UserID: t.Owner, Name: t.Name, visibilityJSON: newVisibilityJSON(t.Visibility),
		timesJSON: newTimesJSON(t.CreatedAt, t.UpdatedAt, t.DeletedAt),
	}
}
