package api

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"waymark/internal/epub"
	"waymark/internal/fetch/article"
	"waymark/internal/httpx"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// snapshotResponse is the JSON of a link's snapshot. LinkAce has no such operation.
type snapshotResponse struct {
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

// getSnapshot writes the snapshot of the page of a link, as HTML or as plain text.
func (a *API) getSnapshot(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	q := queryParams(r)
	format := q.snapshotFormat()
	if err := q.errors.err(); err != nil {
		return err
	}
	found, content, err := a.Store.Snapshots.TextHTML(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	if format == "text" {
		content = article.Text(content)
	}
	return writeJSON(w, snapshotResponse{
		LinkID: id, FetchedAt: found.FetchedAt.String(), URL: found.URL,
		Title: optional(found.Title), Byline: optional(found.Byline), Language: optional(found.Language), Direction: optional(found.Direction),
		Size: found.Size, Format: format, Content: content,
	}, nil)
}

// getBook writes the snapshot of the page of a link as an e-book.
func (a *API) getBook(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	link, err := a.Store.Link(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	book := transfer.LinkBook(link, a.base(r))
	return httpx.SendAttachment(w, book.FileName(), epub.MediaType, func(to io.Writer) error {
		return a.Transfer.WriteBook(r.Context(), user.ID, book, to)
	})
}

// snapshotFormat returns the format in which the content of a snapshot is to be sent.
func (p *params) snapshotFormat() string {
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

func (a *API) deleteSnapshot(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	return writeEmpty(w, a.Crawler.RemoveSnapshots(r.Context(), user, id))
}

// snapshotChoiceResponse is the JSON of the choice of snapshots for a link. LinkAce has no such operation.
type snapshotChoiceResponse struct {
	Snapshots   *waymark.SnapshotChoice `json:"snapshots"`
	HasSnapshot bool                    `json:"has_snapshot"`
}

func (a *API) getSnapshotChoice(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	link, err := a.Store.OwnLink(r.Context(), user, id)
	if err != nil {
		return err
	}
	return a.writeSnapshotChoice(w, r, link)
}

func (a *API) editSnapshotChoice(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	link, err := a.Store.OwnLink(r.Context(), user, id)
	if err != nil {
		return err
	}
	var body struct {
		Snapshots text `json:"snapshots"`
	}
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	wrong.require("snapshots", body.Snapshots.value != nil)
	if err := wrong.err(); err != nil {
		return err
	}
	if link, err = a.Service.ChooseSnapshots(r.Context(), user, link.ID, waymark.SnapshotChoice(body.Snapshots.orEmpty())); err != nil {
		return err
	}
	return a.writeSnapshotChoice(w, r, link)
}

func (a *API) writeSnapshotChoice(w http.ResponseWriter, r *http.Request, link waymark.Link) error {
	_, err := a.Store.Snapshots.Text(r.Context(), link.Owner, link.ID)
	if errors.Is(err, waymark.ErrNotFound) {
		_, err = a.Store.Snapshots.Full(r.Context(), link.Owner, link.ID)
	}
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	return writeJSON(w, snapshotChoiceResponse{Snapshots: optional(link.Snapshots), HasSnapshot: err == nil}, nil)
}
