package web

import (
	"errors"
	"net/http"

	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// savedPageView is what the page of a link says of its saved page.
type savedPageView struct {
	Fetched moment
	Size    string
}

// savedPage returns what is known of the saved page of a link, nil if there is none.
func (v *visit) savedPage(id waymark.LinkID) (*savedPageView, error) {
	found, err := v.Store.SavedPage(v.ctx(), v.user.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	return &savedPageView{v.moment(found.FetchedAt), v.locale.size(found.Size)}, err
}

// sendSavedPage sends the saved page of a link. The page comes from another site, so
// singlefile.Policy isolates it, also from the other pages of this server.
func (v *visit) sendSavedPage() error {
	id, err := pathID[waymark.LinkID](v)
	if err != nil {
		return err
	}
	found, err := v.Store.SavedPage(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	if err := httpx.Reserve(v.w, found.Bytes+found.Size); err != nil {
		return err
	}
	file, err := v.Store.SavedPageHTML(v.ctx(), v.user.ID, id)
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
