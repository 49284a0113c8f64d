package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// attachmentView is an attachment in the pages of its link.
type attachmentView struct {
	ID    waymark.AttachmentID
	Name  string
	Size  string
	Added page.Moment
}

// attachmentsOf returns the attachments of a link, without the page that a browser has saved: that is shown as
// the full snapshot.
func attachmentsOf(r *page.Request, link waymark.LinkID) ([]attachmentView, error) {
	all, err := r.Store.Snapshots.Attachments(r.Context(), r.User.ID, link)
	if errors.Is(err, waymark.ErrNotFound) { // guests see none
		return nil, nil
	}
	var views []attachmentView
	for _, a := range all {
		if !a.FullSnapshot {
			views = append(views, attachmentView{a.ID, a.Name, r.Locale.Size(a.Size), r.Moment(a.CreatedAt)})
		}
	}
	return views, err
}

// attachmentsPage is the data of the page on which people add and remove the attachments of a link.
type attachmentsPage struct {
	ID          waymark.LinkID
	Title       string // of the link
	Attachments []attachmentView
	Limit       string // the maximum size of a file
	Problems    page.Problems
}

func (p attachmentsPage) PageTitle() string { return p.Title }

func showAttachments(r *page.Request, link waymark.Link) error {
	return renderAttachments(r, link, nil)
}

func renderAttachments(r *page.Request, link waymark.Link, found page.Problems) error {
	all, err := attachmentsOf(r, link.ID)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if found != nil {
		status = http.StatusUnprocessableEntity
	}
	return r.RenderStatus(status, "attachments", attachmentsPage{link.ID, link.Title, all, r.Locale.Size(waymark.MaxUpload), found})
}

// attachmentsPath returns the path of the page with the attachments of a link.
func attachmentsPath(link waymark.LinkID) string { return fmt.Sprintf("/links/%d/attachments", link) }

// addAttachment receives a file and stores it as an attachment.
func addAttachment(r *page.Request, link waymark.Link) error {
	var file *transfer.File
	form, err := httpx.ReadUpload(r.W, r.HTTP, func(body io.Reader) (err error) {
		file, err = r.Uploads.Receive(r.Context(), r.User.ID, body)
		return err
	})
	if file != nil {
		defer discard(r.Context(), r, file)
	}
	if err == nil && file == nil {
		return renderAttachments(r, link, page.Problems{{Field: "file", Text: r.T("attachments.no-file")}})
	}
	if err == nil {
		_, err = r.Uploads.Attach(r.Context(), r.User, waymark.NewAttachment(link.ID, form.Name, form.ContentType), file)
	}
	if err != nil {
		return attachmentProblem(r, link, err)
	}
	return r.Changed(attachmentsPath(link.ID), page.Toast{Text: r.T("attachments.added")})
}

// discard deletes a temporary file.
func discard(ctx context.Context, r *page.Request, file io.Closer) {
	if err := file.Close(); err != nil {
		r.Log.ErrorContext(ctx, "uploaded file not deleted", "error", err)
	}
}

// attachmentProblem shows the form again with what is wrong with the file.
func attachmentProblem(r *page.Request, link waymark.Link, err error) error {
	text := ""
	var tooLarge *http.MaxBytesError
	var invalid *waymark.ValidationError
	switch {
	case errors.As(err, &tooLarge):
		text = r.T("attachments.too-large", "size", r.Locale.Size(tooLarge.Limit))
	case errors.Is(err, waymark.ErrSnapshotQuota):
		text = r.T("attachments.quota")
	case errors.As(err, &invalid):
		text = r.T("attachments.too-many", "n", waymark.MaxAttachments)
	case errors.Is(err, httpx.ErrMalformedUpload):
		return page.Error{Status: http.StatusBadRequest}
	default:
		return err
	}
	return renderAttachments(r, link, page.Problems{{Field: "file", Text: text}})
}

// downloadAttachment sends the file of an attachment, which browsers only download.
func downloadAttachment(r *page.Request, link waymark.LinkID) error {
	id, err := page.NamedPathID[waymark.AttachmentID](r, "attachment")
	if err != nil {
		return err
	}
	found, err := r.Store.Snapshots.Attachment(r.Context(), r.User.ID, link, id)
	if err != nil {
		return err
	}
	return sendStream(r, func() error {
		return httpx.SendAttachment(r.W, found.Name, found.ContentType, func(to io.Writer) error {
			return r.Store.Snapshots.CopyAttachment(r.Context(), found, to)
		})
	})
}

func removeAttachment(r *page.Request, link waymark.Link) error {
	id, err := page.NamedPathID[waymark.AttachmentID](r, "attachment")
	if err != nil {
		return err
	}
	err = r.Store.Snapshots.Detach(r.Context(), link.ID, id, r.User.MayWrite)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) { // it was removed before
		return err
	}
	return r.Changed(attachmentsPath(link.ID), page.Toast{Text: r.T("attachments.removed")})
}
