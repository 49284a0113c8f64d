package api

import (
	"errors"
	"net/http"
	"strings"

	"waymark/internal/fetch/article"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// copyResponse is the JSON of the copy of the page of a link. LinkAce has no such operation.
type copyResponse struct {
	LinkID    waymark.LinkID `json:"link_id"`
	FetchedAt string         `json:"fetched_at"`
	URL       string         `json:"url"`
	Title     *string        `json:"title"`
	Byline    *string        `json:"byline"`
	Language  *string        `json:"language"`
	Direction *string        `json:"direction"`
	Size      int64          `json:"size"`
	Format    string         `json:"format"`
	Content   string         `json:"content"`
}

// copyMemory is the memory for a copy in a response, in bytes for each byte of its HTML. JSON needs six
// bytes for a < or >.
const copyMemory = 8

// getCopy writes the copy of the page of a link, as HTML or as plain text.
func (a *API) getCopy(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	id, err := pathID[waymark.LinkID](r)
	if err != nil {
		return err
	}
	q := queryParams(r)
	format := q.copyFormat()
	if err := q.errors.err(); err != nil {
		return err
	}
	found, err := a.store.PageCopy(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	if err := httpx.Reserve(w, copyMemory*found.Size); err != nil {
		return err
	}
	found, content, err := a.store.PageCopyHTML(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	if format == "text" {
		content = article.Text(content)
	}
	return writeJSON(w, copyResponse{
		LinkID: id, FetchedAt: found.FetchedAt.String(), URL: found.URL,
		Title: optional(found.Title), Byline: optional(found.Byline), Language: optional(found.Language), Direction: optional(found.Direction),
		Size: found.Size, Format: format, Content: content,
	})
}

// copyFormat returns the format in which the content of a copy is to be sent.
func (p *params) copyFormat() string {
	format := strings.ToLower(p.text("format"))
	switch format {
	case "":
		format = "html"
	case "html", "text":
	default:
		p.errors.add("format", "The format must be html or text.")
	}
	return format
}

func (a *API) deleteCopy(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return deleteEntity(w, r, user, a.service.RemovePageCopy)
}

// copyChoiceResponse is the JSON of the choice of copies for a link. LinkAce has no such operation.
type copyChoiceResponse struct {
	Copies  *waymark.CopyChoice `json:"copies"`
	HasCopy bool                `json:"has_copy"`
}

func (a *API) getCopyChoice(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	link, err := a.ownLink(r, user)
	if err != nil {
		return err
	}
	return a.writeCopyChoice(w, r, link)
}

// ownLink returns the link with the id in the path. It returns an error if the user may not edit
// the link.
func (a *API) ownLink(r *http.Request, user waymark.User) (waymark.Link, error) {
	id, err := pathID[waymark.LinkID](r)
	if err != nil {
		return waymark.Link{}, err
	}
	link, err := a.store.Link(r.Context(), user.ID, id)
	if err == nil && !user.ID.MayEdit(link.Owner) {
		err = waymark.ErrForbidden
	}
	return link, err
}

func (a *API) editCopyChoice(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	link, err := a.ownLink(r, user)
	if err != nil {
		return err
	}
	body := a.readBody(w, r, a.settings.BodyLimit)
	copies := body.text("copies")
	if !body.has("copies") {
		body.fail("copies", "The copies field is required.")
	}
	if err := body.err(); err != nil {
		return err
	}
	if link, err = a.service.ChooseCopies(r.Context(), user, link.ID, waymark.CopyChoice(*copies)); err != nil {
		return err
	}
	return a.writeCopyChoice(w, r, link)
}

func (a *API) writeCopyChoice(w http.ResponseWriter, r *http.Request, link waymark.Link) error {
	_, err := a.store.PageCopy(r.Context(), link.Owner, link.ID)
	if errors.Is(err, waymark.ErrNotFound) {
		_, err = a.store.SavedPage(r.Context(), link.Owner, link.ID)
	}
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	return writeJSON(w, copyChoiceResponse{Copies: optional(link.Copies), HasCopy: err == nil})
}
