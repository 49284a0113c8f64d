package web

import (
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

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
