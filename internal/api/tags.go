package api

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) listTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	page := q.pageRequest()
	return a.Store.Tags(user.ID, q.order(waymark.TagSortFields, newestFirst), page.pagination()).Stream(r.Context(), writePage(a, w, r, q, page, newTagJSON))
}

// tagFields are the fields of a tag in requests.
type tagFields struct {
	Name text `json:"name"`
	visibilityFields
}

func (f *tagFields) input() waymark.TagInput {
	return waymark.TagInput{Name: f.Name.orEmpty(), VisibilityInput: f.visibility()}
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
