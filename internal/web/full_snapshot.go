package web

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
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
