package web

import (
	"errors"
	"net/http"

	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// fullSnapshotView is what the page of a link says of its full snapshot.
type fullSnapshotView struct {
	Fetched page.Moment
	Size    string
}

// fullSnapshot returns what is known of the full snapshot of a link, nil if there is none.
func fullSnapshot(r *page.Request, id waymark.LinkID) (*fullSnapshotView, error) {
	found, err := r.Store.Snapshots.Full(r.Context(), r.User.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	return &fullSnapshotView{r.Moment(found.FetchedAt), r.Locale.Size(found.Size)}, err
}

// sendFullSnapshot sends the full snapshot of a link. The page comes from another site, so
// singlefile.Policy isolates it, also from the other pages of this server.
func sendFullSnapshot(r *page.Request) error {
	id, err := page.PathID[waymark.LinkID](r)
	if err != nil {
		return err
	}
	file, err := r.Store.Snapshots.FullHTML(r.Context(), r.User.ID, id)
	if err != nil {
		return err
	}
	header := r.W.Header()
	header.Set("Content-Security-Policy", singlefile.Policy)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-DNS-Prefetch-Control", "off") // browsers would look up the hosts of links
	httpx.WriteBody(r.W, http.StatusOK, page.HTMLType, []byte(file))
	return nil
}
