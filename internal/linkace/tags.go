package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) listTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := query(r)
	page := q.pageRequest()
	return a.store.Tags(user.ID, q.order(waymark.TagSortFields, newestFirst), page.pagination()).Stream(r.Context(), writePage(a, w, r, page, appendTag))
}

func (a *API) getTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	tag, err := a.tag(r, user)
	if err != nil {
		return err
	}
	return a.answerTag(w, r, &tag)
}

func (a *API) addTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	tag, err := a.service.AddTag(r.Context(), user, f.tag())
	if err != nil {
		return err
	}
	return a.answerTag(w, r, &tag)
}

func (a *API) editTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	tag, err := a.ownTag(r, user)
	if err != nil {
		return err
	}
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	tag, err = a.service.EditTag(r.Context(), user, tag.ID, f.tag())
	if err != nil {
		return err
	}
	return a.answerTag(w, r, &tag)
}

func (a *API) deleteTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	tag, err := a.ownTag(r, user)
	if err != nil {
		return err
	}
	return a.delete(w, r, user, waymark.Tags, int64(tag.ID))
}

func (a *API) listLinksOfTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	tag, err := a.tag(r, user)
	if err != nil {
		return err
	}
	q := query(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	return a.store.LinksOfTag(user.ID, tag.ID, order, page.pagination()).Stream(r.Context(), writePage(a, w, r, page, appendLink))
}

// tag returns the tag that the path names.
func (a *API) tag(r *http.Request, user waymark.User) (waymark.Tag, error) {
	id, err := pathID[waymark.TagID](r)
	if err != nil {
		return waymark.Tag{}, err
	}
	return a.store.Tag(r.Context(), user.ID, id)
}

// ownTag returns the tag that the path names, if the user may edit it.
func (a *API) ownTag(r *http.Request, user waymark.User) (waymark.Tag, error) {
	tag, err := a.tag(r, user)
	if err == nil && !user.ID.MayEdit(tag.Owner) {
		err = waymark.ErrForbidden
	}
	return tag, err
}

// tag returns what a form says about a tag.
func (f *jsonBody) tag() waymark.TagInput {
	return waymark.TagInput{
		Name:            f.stringOr("name"),
		VisibilityInput: f.sharing(),
		Unreadable:      f.unreadable(), // last, when all is read
	}
}

func (a *API) answerTag(w http.ResponseWriter, r *http.Request, tag *waymark.Tag) error {
	writeBody(w, http.StatusOK, appendTag(nil, a.prefix(r), tag))
	return nil
}
