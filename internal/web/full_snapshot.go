package web

import (
	"errors"
	"net/http"

	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// fullSnapshotView is what the page of a link says of its full snapshot.
type fullSnapshotView struct {
	Fetched moment
	Size    string
}

// fullSnapshot returns what is known of the full snapshot of a link, nil if there is none.
func fullSnapshot(v *visit, id waymark.LinkID) (*fullSnapshotView, error) {
	found, err := v.Store.FullSnapshot(v.ctx(), v.user.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	return &fullSnapshotView{v.moment(found.FetchedAt), v.locale.size(found.Size)}, err
}

// sendFullSnapshot sends the full snapshot of a link. The page comes from another site, so
// singlefile.Policy isolates it, also from the other pages of this server.
func sendFullSnapshot(v *visit) error {
	id, err := pathID[waymark.LinkID](v)
	if err != nil {
		return err
	}
	file, err := v.Store.FullSnapshotHTML(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	header := v.w.Header()
	header.Set("Content-Security-Policy", singlefile.Policy)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-DNS-Prefetch-Control", "off") // browsers would look up the hosts of links
	httpx.WriteBody(v.w, http.StatusOK, htmlType, []byte(file))
	return nil
}
