package linkding

import (
	"errors"
	"net/http"

	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// checkJSON says what is known of a URL that a person may save.
type checkJSON struct {
	Bookmark *bookmarkJSON `json:"bookmark"`
	Metadata metadataJSON  `json:"metadata"`
	AutoTags []string      `json:"auto_tags"` // Waymark adds no tags of its own
}

// metadataJSON are the texts of a page, null for those that it does not have.
type metadataJSON struct {
	URL          *string `json:"url"`
	Title        *string `json:"title"`
	Description  *string `json:"description"`
	PreviewImage *string `json:"preview_image"`
}

// checkURL returns the bookmark with a URL, and the texts of its page.
func (a *API) checkURL(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := httpx.ParseQuery(r.URL.RawQuery)
	response := checkJSON{AutoTags: []string{}}
	if q.Has("url") {
		url := httpx.ReplaceInvalid(parameter(q, "url"))
		response.Metadata.URL = &url
		link, err := a.Service.KnownLink(r.Context(), user, url)
		if err == nil {
			notes, notesErr := a.Store.FirstNotes(r.Context(), user.ID, []waymark.LinkID{link.ID})
			bookmark := newBookmarkJSON(&link, notes[link.ID].Text)
			response.Bookmark, err = &bookmark, notesErr
		}
		if err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
		if err := a.addMetadata(r, user, url, &response.Metadata); err != nil {
			return err
		}
	}
	return httpx.WriteJSON(w, http.StatusOK, response)
}

// addMetadata adds the texts of the page of a URL, if it can be fetched in time.
func (a *API) addMetadata(r *http.Request, user waymark.User, url string, metadata *metadataJSON) error {
	settings, err := a.Store.Accounts.Settings(r.Context(), user.ID)
	if err != nil || settings.NoMetadata {
		return err
	}
	texts, err := a.Crawler.Preview(r.Context(), user.ID, url)
	if err != nil {
		if !errors.Is(err, crawl.ErrNoPages) {
			a.Log.DebugContext(r.Context(), "page not fetched", "error", err)
		}
		return nil
	}
	metadata.Title, metadata.Description, metadata.PreviewImage = optional(texts.Title), optional(texts.Description), optional(texts.Image)
	return nil
}
