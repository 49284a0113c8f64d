package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) listLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := query(r)
	page := q.pageRequest()
	return a.store.Links(user.ID, q.order(waymark.LinkSortFields, newestFirst), page.pagination()).Stream(r.Context(), writePage(a, w, r, page, appendLink))
}

func (a *API) getLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	link, err := a.link(r, user)
	if err != nil {
		return err
	}
	return a.answerLink(w, r, &link)
}

// checkLink tells whether an address is saved already.
func (a *API) checkLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	url := query(r).text("url")
	found, err := a.store.HasURL(r.Context(), user.ID, url)
	if err != nil {
		return err
	}
	return writeJSON(w, map[string]bool{"linksFound": found})
}

func (a *API) addLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	link, err := a.service.AddLink(r.Context(), user, f.link())
	if err != nil {
		return err
	}
	return a.answerLink(w, r, &link)
}

func (a *API) editLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	link, err := a.ownLink(r, user)
	if err != nil {
		return err
	}
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	link, err = a.service.EditLink(r.Context(), user, link.ID, f.link())
	if err != nil {
		return err
	}
	return a.answerLink(w, r, &link)
}

func (a *API) deleteLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	link, err := a.ownLink(r, user)
	if err != nil {
		return err
	}
	return a.delete(w, r, user, waymark.Links, int64(link.ID))
}

func (a *API) listLinkNotes(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	link, err := a.link(r, user)
	if err != nil {
		return err
	}
	page := query(r).pageRequest()
	return a.store.NotesOfLink(user.ID, link.ID, page.pagination()).Stream(r.Context(), writePage(a, w, r, page, appendNote))
}

// link returns the link that the path names.
func (a *API) link(r *http.Request, user waymark.User) (waymark.Link, error) {
	id, err := pathID[waymark.LinkID](r)
	if err != nil {
		return waymark.Link{}, err
	}
	return a.store.Link(r.Context(), user.ID, id)
}

// ownLink returns the link that the path names, if the user may edit it.
func (a *API) ownLink(r *http.Request, user waymark.User) (waymark.Link, error) {
	link, err := a.link(r, user)
	if err == nil && !user.ID.MayEdit(link.Owner) {
		err = waymark.ErrForbidden
	}
	return link, err
}

// link returns what a form says about a link.
func (f *jsonBody) link() waymark.LinkInput {
	return waymark.LinkInput{
		URL:             f.stringOr("url"),
		Title:           f.text("title"),
		Description:     f.text("description"),
		Status:          f.status(),
		CheckDisabled:   f.boolean("check_disabled"),
		Lists:           f.refs("lists"),
		Tags:            f.refs("tags"),
		VisibilityInput: f.sharing(),
		Unreadable:      f.unreadable(), // last, when all is read
	}
}

func (a *API) answerLink(w http.ResponseWriter, r *http.Request, link *waymark.Link) error {
	writeBody(w, http.StatusOK, appendLink(nil, a.prefix(r), link))
	return nil
}
