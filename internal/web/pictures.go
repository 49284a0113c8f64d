package web

import (
	"html/template"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// pictureView is a picture on a page.
type pictureView struct {
	Address       string
	Width, Height int
}

func newPictureView(v *visit, p *waymark.Picture) *pictureView {
	if p == nil {
		return nil
	}
	return &pictureView{v.url("/pictures/" + p.Hash), p.Width, p.Height}
}

// img returns the element that shows a picture. It has no text of its own, because the texts beside
// it say what it shows. The size reserves the space while the picture is loaded.
func (p *pictureView) img() template.HTML {
	return `<img src="` + escaped(p.Address) + `" width="` + number(p.Width) + `" height="` + number(p.Height) + `" alt="" loading="lazy" decoding="async">`
}

// addPictures sets the pictures of links.
func addPictures(v *visit, links ...*linkView) error {
	ids := make([]waymark.LinkID, len(links))
	for i, l := range links {
		ids[i] = l.ID
	}
	found, err := v.Store.LinkPictures(v.ctx(), v.viewer(), ids)
	if err != nil {
		return err
	}
	for _, l := range links {
		l.Thumbnail, l.Icon = newPictureView(v, found[l.ID].Thumbnail), newPictureView(v, found[l.ID].Icon)
	}
	return nil
}

// Tile returns the content of the tile at the start of a row: the icon of the site, or a letter.
func (l linkView) Tile() template.HTML {
	if l.Icon != nil {
		return l.Icon.img()
	}
	return escaped(l.Initial)
}

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
