package linkding

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// pageWait is how long a request waits for the page of a URL.
const pageWait = 10 * time.Second

func (a *API) getBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	return a.writeBookmark(w, r, http.StatusOK, user, link)
}

// ownLink returns the user's own link with the id in the path. Those of others do not exist for this API,
// except in the list of shared ones.
func (a *API) ownLink(r *http.Request, user waymark.User) (waymark.Link, error) {
	id, err := rest.PathID[waymark.LinkID](r, "id")
	if err != nil {
		return waymark.Link{}, err
	}
	link, err := a.Store.OwnLink(r.Context(), user, id)
	if errors.Is(err, waymark.ErrNotFound) || errors.Is(err, waymark.ErrForbidden) {
		err = errNoBookmark
	}
	return link, err
}

// saveBookmark adds a bookmark, or replaces the one with this URL.
func (a *API) saveBookmark(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	in, names, err := a.readBookmark(w, r, waymark.Link{}, false)
	if err != nil {
		return err
	}
	q := httpx.ParseQuery(r.URL.RawQuery)
	in.NoTexts = q.Has("disable_scraping")
	if q.Has("disable_html_snapshot") {
		none := waymark.NoSnapshots
		in.Snapshots = &none
	}
	if in.Tags, err = a.tagRefs(r.Context(), user, names, nil); err != nil {
		return err
	}
	link, created, err := a.Service.SaveBookmark(r.Context(), user, in, rest.MayEdit(r))
	if err != nil {
		return err
	}
	if !in.NoTexts {
		link = a.fetchTexts(r.Context(), user, link, created)
	}
	return a.writeBookmark(w, r, http.StatusCreated, user, link)
}

// fetchTexts waits for the page of a bookmark without texts, and returns the link with the texts of its
// page.
func (a *API) fetchTexts(ctx context.Context, user waymark.User, link waymark.Link, created bool) waymark.Link {
	if created {
		return a.Crawler.Waiting(pageWait).FetchNew(ctx, user, link)
	}
	if link.TypedTitle() != "" && link.Description != "" {
		return link
	}
	fetched, _, err := a.Crawler.Waiting(pageWait).FetchAgain(ctx, user, link.ID)
	if err != nil {
		if !errors.Is(err, crawl.ErrNoPages) {
			a.Log.WarnContext(ctx, "page of a bookmark not fetched", "link", link.ID, "error", err)
		}
		return link
	}
	return fetched
}

// changeBookmark returns the handler that changes the fields of a bookmark that the request has. Only the URL is
// required, and not if the change is partial.
func changeBookmark(partial bool) func(*API, http.ResponseWriter, *http.Request, waymark.User, waymark.Link) error {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
		in, names, err := a.readBookmark(w, r, link, partial)
		if err != nil {
			return err
		}
		if in.Tags, err = a.tagRefs(r.Context(), user, names, link.Tags); err != nil {
			return err
		}
		if link, err = a.Service.EditBookmark(r.Context(), user, link.ID, in); err != nil {
			return err
		}
		return a.writeBookmark(w, r, http.StatusOK, user, link)
	}
}

// archiveBookmark returns the handler that sets whether a bookmark is archived.
func archiveBookmark(archived bool) func(*API, http.ResponseWriter, *http.Request, waymark.User, waymark.Link) error {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
		in := waymark.LinkInput{URL: link.URL, FlagsInput: waymark.FlagsInput{Archived: &archived}}
		_, err := a.Service.EditLink(r.Context(), user, link.ID, in)
		return writeNothing(w, err)
	}
}

func (a *API) deleteBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	return writeNothing(w, a.Service.Delete(r.Context(), user, waymark.Links, int64(link.ID)))
}

// maxTitle is the maximum length of a title, in characters.
const maxTitle = 512

// bookmarkFields are the fields of a bookmark in requests.
type bookmarkFields struct {
	URL         text    `json:"url"`
	Title       text    `json:"title"`
	Description text    `json:"description"`
	Notes       text    `json:"notes"`
	Archived    boolean `json:"is_archived"`
	Unread      boolean `json:"unread"`
	Shared      boolean `json:"shared"`
	TagNames    texts   `json:"tag_names"`
	Labels      texts   `json:"labels"` // Readeck's name of tag_names
	Added       instant `json:"date_added"`
	Modified    instant `json:"date_modified"`
}

// readBookmark decodes a bookmark that has the values of link: those are valid. Only the URL is required, and not if
// the change is partial.
func (a *API) readBookmark(w http.ResponseWriter, r *http.Request, link waymark.Link, partial bool) (in service.BookmarkInput, names *[]string, err error) {
	var body bookmarkFields
	invalid, err := a.readBody(w, r, &body)
	if err != nil {
		return in, nil, err
	}
	if url := body.URL.check("url", textRules{required: true, partial: partial, limit: maxURL, current: link.URL, validate: validateURL}, &invalid); url != nil {
		in.URL = *url
	}
	in.Title = body.Title.check("title", textRules{limit: maxTitle, current: link.Title}, &invalid)
	in.Description = body.Description.check("description", textRules{current: link.Description}, &invalid)
	in.Notes = body.Notes.check("notes", textRules{}, &invalid)
	in.Archived, in.Unread, in.Shared = body.Archived.value, body.Unread.value, body.Shared.value
	in.CreatedAt, in.UpdatedAt = body.Added.value, body.Modified.value
	return in, cmp.Or(body.TagNames.value, body.Labels.value), invalid.err()
}

// bookmarkJSON is a bookmark in responses.
type bookmarkJSON struct {
	ID                 waymark.LinkID `json:"id"`
	URL                string         `json:"url"`
	Title              string         `json:"title"`
	Description        string         `json:"description"`
	Notes              string         `json:"notes"`
	WebArchiveURL      string         `json:"web_archive_snapshot_url"`
	FaviconURL         *string        `json:"favicon_url"`
	PreviewImageURL    *string        `json:"preview_image_url"`
	IsArchived         bool           `json:"is_archived"`
	Unread             bool           `json:"unread"`
	Shared             bool           `json:"shared"`
	TagNames           []string       `json:"tag_names"`
	DateAdded          string         `json:"date_added"`
	DateModified       string         `json:"date_modified"`
	WebsiteTitle       *string        `json:"website_title"` // null, as in linkding
	WebsiteDescription *string        `json:"website_description"`
}

func newBookmarkJSON(l *waymark.Link, notes string) bookmarkJSON {
	b := bookmarkJSON{
		ID: l.ID, URL: l.URL, Title: l.TypedTitle(), Description: l.Description, Notes: notes,
		WebArchiveURL: l.WaybackURL(), PreviewImageURL: optional(l.ImageURL),
		IsArchived: l.Archived, Unread: l.Unread, Shared: l.Visibility != waymark.Private,
		TagNames: make([]string, len(l.Tags)), DateAdded: timeText(l.CreatedAt), DateModified: timeText(l.UpdatedAt),
	}
	for i := range l.Tags {
		b.TagNames[i] = shownTagName(l.Tags[i].Name)
	}
	slices.Sort(b.TagNames)
	return b
}

// writeBookmark writes one bookmark.
func (a *API) writeBookmark(w http.ResponseWriter, r *http.Request, status int, viewer waymark.User, link waymark.Link) error {
	notes, err := a.Store.FirstNotes(r.Context(), viewer.ID, []waymark.LinkID{link.ID})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, status, newBookmarkJSON(&link, notes[link.ID].Text))
}

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
