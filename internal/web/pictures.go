package web

import (
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// pictureCaching allows browsers to store a picture forever: its address has the hash of its
// content. Shared caches must not store it, because its link may be private.
const pictureCaching = "private, max-age=31536000, immutable"

// sendPicture sends a picture of a link that the visitor sees. For other pictures the response is
// the same as for one that does not exist.
func sendPicture(v *visit) error {
	if !v.signedIn() && !v.Settings.GuestPages {
		return waymark.ErrNotFound
	}
	picture, err := v.Store.Picture(v.ctx(), v.viewer(), v.pathValue("hash"))
	if err != nil {
		return err
	}
	v.w.Header().Set("Cache-Control", pictureCaching)
	httpx.WriteBody(v.w, http.StatusOK, picture.Type, picture.Data)
	return nil
}
