package linkding

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/httpx"
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
	id, err := pathID[waymark.LinkID](r, "id")
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
	body, err := a.readFields(w, r)
	if err != nil {
		return err
	}
	d := decoder{fields: body}
	in, tagNames := d.bookmark(waymark.Link{})
	if err := d.errors.err(); err != nil {
		return err
	}
	q := httpx.ParseQuery(r.URL.RawQuery)
	in.NoTexts = q.Has("disable_scraping")
	if q.Has("disable_html_snapshot") {
		none := waymark.NoSnapshots
		in.Snapshots = &none
	}
	if in.Tags, err = a.tagRefs(r.Context(), user, tagNames, nil); err != nil {
		return err
	}
	link, created, err := a.Service.SaveBookmark(r.Context(), user, in, permits(r, waymark.AccessFull))
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
		body, err := a.readFields(w, r)
		if err != nil {
			return err
		}
		d := decoder{fields: body, partial: partial}
		in, tagNames := d.bookmark(link)
		if err := d.errors.err(); err != nil {
			return err
		}
		if in.Tags, err = a.tagRefs(r.Context(), user, tagNames, link.Tags); err != nil {
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
		if _, err := a.Service.EditLink(r.Context(), user, link.ID, in); err != nil {
			return err
		}
		return writeNothing(w)
	}
}

func (a *API) deleteBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	if err := a.Service.Delete(r.Context(), user, waymark.Links, int64(link.ID)); err != nil {
		return err
	}
	return writeNothing(w)
}

// maxTitle is the maximum length of a title, in characters.
const maxTitle = 512

// bookmark decodes the fields of a bookmark that has the values of link. Values that it has already are
// valid.
func (d *decoder) bookmark(link waymark.Link) (in service.BookmarkInput, tagNames *[]string) {
	if url := d.text("url", textRules{required: true, limit: maxURL, current: link.URL, validate: validateURL}); url != nil {
		in.URL = *url
	}
	in.Title = d.text("title", textRules{limit: maxTitle, current: link.Title})
	in.Description = d.text("description", textRules{current: link.Description})
	in.Notes = d.text("notes", textRules{})
	in.Archived = d.boolean("is_archived")
	in.Unread = d.boolean("unread")
	in.Shared = d.boolean("shared")
	tagNames = d.texts("tag_names")
	in.CreatedAt = d.time("date_added")
	in.UpdatedAt = d.time("date_modified")
	return in, tagNames
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
