package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// fullSnapshotView is what the page of a link says of its full snapshot.
type fullSnapshotView struct {
	Fetched  page.Moment
	Size     string
	Download string // the path of the file that a browser has saved, "" if Waymark has fetched the page
}

// fullSnapshot returns what is known of the full snapshot of a link, nil if there is none.
func fullSnapshot(r *page.Request, id waymark.LinkID) (*fullSnapshotView, error) {
	found, err := r.Store.Snapshots.Full(r.Context(), r.User.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	view := &fullSnapshotView{r.Moment(found.FetchedAt), r.Locale.Size(found.Size), ""}
	if file := found.Attachment.ID; file != 0 {
		view.Download = fmt.Sprintf("%s/%d", attachmentsPath(id), file)
	}
	return view, err
}

// fullSnapshotPage is the data of the page that shows a full snapshot in a frame.
type fullSnapshotPage struct {
	Link linkView
	fullSnapshotView
	Back string // the page from which people came to the page of the link, "" if it is not known
}

func (p fullSnapshotPage) PageTitle() string { return p.Link.Title }

// WithoutShell leaves the window to the snapshot.
func (fullSnapshotPage) WithoutShell() bool { return true }

// showFullSnapshot shows the full snapshot of a link in a frame, below its date and the way back to the link.
func showFullSnapshot(r *page.Request, link waymark.Link) error {
	found, err := fullSnapshot(r, link.ID)
	if err != nil {
		return err
	}
	if found == nil {
		return waymark.ErrNotFound
	}
	view, err := newLinkView(r, link)
	if err != nil {
		return err
	}
	return r.Render("full-snapshot", fullSnapshotPage{view, *found, r.Back("")})
}

// sendFullSnapshot sends the full snapshot of a link. The page comes from another site, so
// singlefile.Policy isolates it, also from the other pages of this server, and forbids its scripts and requests.
func sendFullSnapshot(r *page.Request, id waymark.LinkID) error {
	found, err := r.Store.Snapshots.Full(r.Context(), r.User.ID, id)
	if err != nil {
		return err
	}
	contentType := page.HTMLType
	if declared := found.Attachment.ContentType; strings.Contains(declared, "charset=") {
		contentType = declared
	}
	header := r.W.Header()
	header.Set("Content-Security-Policy", singlefile.Policy)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-DNS-Prefetch-Control", "off") // browsers would look up the hosts of links
	return sendStream(r, func() error {
		return httpx.StreamFile(r.W, contentType, func(w io.Writer) error { return r.Store.Snapshots.CopyFull(r.Context(), id, found, w) })
	})
}

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

func attachmentsPath(link waymark.LinkID) string { return fmt.Sprintf("/links/%d/attachments", link) }

func addAttachment(r *page.Request, link waymark.Link) error {
	var file *transfer.File
	form, err := httpx.ReadUpload(r.W, r.HTTP, func(body io.Reader) (err error) {
		file, err = r.Uploads.Receive(r.Context(), r.User.ID, body)
		return err
	})
	if file != nil {
		defer func() {
			if err := file.Close(); err != nil {
				r.Log.ErrorContext(r.Context(), "uploaded file not deleted", "error", err)
			}
		}()
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
	err = r.Store.Snapshots.Detach(r.Context(), r.User, link.ID, id)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) { // it was removed before
		return err
	}
	return r.Changed(attachmentsPath(link.ID), page.Toast{Text: r.T("attachments.removed")})
}

func export(r *page.Request) error {
	format, err := transfer.ParseExportFormat(r.Parameters.Get("format"))
	if err != nil {
		return page.Error{Status: http.StatusBadRequest}
	}
	h := r.W.Header()
	h.Set("Content-Disposition", `attachment; filename="`+format.FileName(r.Store.Now())+`"`)
	h.Set("Cache-Control", "no-store")
	err = sendStream(r, func() error {
		return httpx.StreamFile(r.W, format.MediaType(), func(w io.Writer) error { return r.Transfer.Export(r.Context(), r.User, format, w) })
	})
	if err != nil {
		h.Del("Content-Disposition")
	}
	return err
}

// sendStream runs send, which streams a file. It aborts the response if send fails after a part was sent.
func sendStream(r *page.Request, send func() error) error {
	err := send()
	if errors.Is(err, httpx.ErrAborted) {
		r.Log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // the browser must notice that the file is incomplete
	}
	return err
}

// pictureCaching allows browsers to store a picture forever: its URL has the hash of its
// content. Shared caches must not store it, because its link may be private.
const pictureCaching = "private, max-age=31536000, immutable"

// sendPicture sends a picture of a link that the visitor sees. For other pictures the response is
// the same as for one that does not exist.
func sendPicture(r *page.Request) error {
	if !r.SignedIn() && !r.Config.GuestPages {
		return waymark.ErrNotFound
	}
	picture, err := r.Store.Snapshots.Picture(r.Context(), r.Viewer(), r.PathValue("hash"))
	if err != nil {
		return err
	}
	r.W.Header().Set("Cache-Control", pictureCaching)
	httpx.WriteBody(r.W, http.StatusOK, picture.Type, picture.Data)
	return nil
}
