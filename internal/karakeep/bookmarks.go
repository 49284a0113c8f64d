package karakeep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"net/http"
	"strconv"
	"time"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type bookmarkJSON struct {
	ID            string      `json:"id"`
	CreatedAt     string      `json:"createdAt"`
	ModifiedAt    string      `json:"modifiedAt"`
	Title         *string     `json:"title"` // null if the user has typed none
	Archived      bool        `json:"archived"`
	Favourited    bool        `json:"favourited"`
	TaggingStatus string      `json:"taggingStatus"`
	Summary       *string     `json:"summary"` // always null
	Source        *string     `json:"source"`  // always null
	Tags          []tagJSON   `json:"tags"`
	Content       contentJSON `json:"content"`
	Assets        []struct{}  `json:"assets"`
	Note          *string     `json:"note,omitempty"`          // not in lists of bookmarks
	AlreadyExists bool        `json:"alreadyExists,omitempty"` // in the response to a request that adds it
}

type contentJSON struct {
	Type        string  `json:"type"`
	URL         string  `json:"url"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	ImageURL    *string `json:"imageUrl"`
	HTMLContent *string `json:"htmlContent,omitempty"` // the text snapshot, if a request for one bookmark asks for it
}

type tagJSON struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	AttachedBy string `json:"attachedBy"`
}

func newBookmarkJSON(l *waymark.Link, sent sentTexts) bookmarkJSON {
	b := bookmarkJSON{
		ID: idText(l.ID), CreatedAt: l.CreatedAt.String(), ModifiedAt: l.UpdatedAt.String(), Archived: l.Archived, Favourited: l.Favorite,
		TaggingStatus: "success", Tags: make([]tagJSON, len(l.Tags)), Assets: []struct{}{},
		Content: contentJSON{Type: "link", URL: sent.shown(waymark.FieldURL, l.URL), Title: l.Title, Description: l.Description},
	}
	if title := sent.shown(waymark.FieldTitle, typedTitle(l)); title != untitled {
		b.Title = &title
	}
	if l.ImageURL != "" {
		b.Content.ImageURL = &l.ImageURL
	}
	for i := range l.Tags {
		b.Tags[i] = tagJSON{idText(l.Tags[i].ID), l.Tags[i].Name, "human"}
	}
	return b
}

// listBookmarks lists the user's own bookmarks, also the archived ones, unless parameters exclude some.
func (a *API) listBookmarks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	where := waymark.And{waymark.IsMine}
	q := httpx.ParseQuery(r.URL.RawQuery)
	for name, state := range map[string]waymark.Is{"archived": waymark.IsArchived, "favourited": waymark.IsFavorite} {
		switch q.Get(name) {
		case "":
		case "true":
			where = append(where, state)
		case "false":
			where = append(where, waymark.NotOf(state))
		default:
			return badRequest("The parameter " + name + " must be true or false.")
		}
	}
	return a.searchBookmarks(w, r, user, where, newestFirst)
}

// listBookmarksOfList lists the user's own bookmarks in a list of theirs.
func (a *API) listBookmarksOfList(w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
	pagination, err := paginationOf(r)
	if err != nil {
		return err
	}
	return a.streamBookmarks(w, r, user, pagination, a.Store.OwnLinksOfList(user.ID, list.ID, waymark.Order{By: waymark.SortByID}, pagination))
}

// unlimited is the limit of a listing that has no limit.
const unlimited = math.MaxInt32

// paginationOf returns the part of a listing that a request asks for. Without a limit it is the rest of the
// listing: a client that compares trees must not miss a bookmark that moved to another page meanwhile.
func paginationOf(r *http.Request) (waymark.Pagination, error) {
	q := httpx.ParseQuery(r.URL.RawQuery)
	p := waymark.Pagination{Limit: unlimited}
	for name, into := range map[string]*int{"limit": &p.Limit, "cursor": &p.Offset} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 || name == "limit" && n == 0 {
			return p, badRequest("The parameter " + name + " is not valid.")
		}
		*into = int(n)
	}
	return p, nil
}

// nextCursor returns the cursor of the next part of a listing, nil if there is none.
func nextCursor(p waymark.Pagination, total int) *string {
	if end := p.Offset + p.Limit; p.Limit != unlimited && end < total {
		return new(strconv.Itoa(end))
	}
	return nil
}

// streamBookmarks writes a part of a listing of bookmarks.
func (a *API) streamBookmarks(w http.ResponseWriter, r *http.Request, user waymark.User, p waymark.Pagination, listing store.Listing[waymark.Link]) error {
	textsOf, err := a.sentTextsOf(r.Context(), user, waymark.Links)
	if err != nil {
		return err
	}
	return listing.Stream(r.Context(), func(total int, links iter.Seq2[waymark.Link, error]) error {
		next := "null"
		if cursor := nextCursor(p, total); cursor != nil {
			next = strconv.Quote(*cursor)
		}
		return httpx.StreamJSON(w, `{"bookmarks":[`, links, func(b *bytes.Buffer, link waymark.Link) error {
			sent, err := textsOf(int64(link.ID))
			if err != nil {
				return err
			}
			return httpx.EncodeJSON(b, newBookmarkJSON(&link, sent))
		}, httpx.End(`],"nextCursor":`+next+"}"))
	})
}

func (a *API) getBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	return a.writeBookmark(w, r, user, http.StatusOK, link, false)
}

// writeBookmark writes one bookmark with its note, and with its text snapshot if the request asks for that.
func (a *API) writeBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, status int, link waymark.Link, exists bool) error {
	sent, err := a.Store.SentTexts(r.Context(), waymark.Links, int64(link.ID))
	if err != nil {
		return err
	}
	notes, err := a.Store.FirstNotes(r.Context(), user.ID, []waymark.LinkID{link.ID})
	if err != nil {
		return err
	}
	bookmark := newBookmarkJSON(&link, sent)
	bookmark.Note, bookmark.AlreadyExists = new(notes[link.ID].Text), exists
	if httpx.ParseQuery(r.URL.RawQuery).Get("includeContent") == "true" {
		_, html, err := a.Store.Snapshots.TextHTML(r.Context(), user.ID, link.ID)
		if err == nil {
			bookmark.Content.HTMLContent = &html
		} else if !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
	}
	return httpx.WriteJSON(w, status, bookmark)
}

// ownLink returns the user's own link with the id in the path.
func (a *API) ownLink(r *http.Request, user waymark.User) (waymark.Link, error) {
	return a.linkAt(r, user, "id")
}

// linkAt returns the user's own link with the id in a part of the path. Those of others do not exist for
// this API.
func (a *API) linkAt(r *http.Request, user waymark.User, name string) (waymark.Link, error) {
	id, err := rest.PathID[waymark.LinkID](r, name)
	if err != nil {
		return waymark.Link{}, err
	}
	link, err := a.Store.OwnLink(r.Context(), user, id)
	for n := 0; errors.Is(err, waymark.ErrNotFound) && n < 10; n++ { // maybe it was joined with another one: see editBookmark
		sent, sentErr := a.Store.SentTexts(r.Context(), waymark.Links, int64(id))
		if sentErr != nil {
			return link, sentErr
		}
		joined, parseErr := rest.ParseID[waymark.LinkID](sentTexts(sent).shown(fieldJoined, ""))
		if parseErr != nil {
			break
		}
		id = joined
		link, err = a.Store.OwnLink(r.Context(), user, id)
	}
	if errors.Is(err, waymark.ErrForbidden) {
		err = waymark.ErrNotFound
	}
	return link, err
}

// bookmarkFields are the fields of a bookmark in requests. Those that are missing are kept.
type bookmarkFields struct {
	Type        *string    `json:"type"`
	URL         *string    `json:"url"`
	Title       nullable   `json:"title"`
	Description nullable   `json:"description"`
	Note        nullable   `json:"note"`
	CreatedAt   *time.Time `json:"createdAt"`
	Archived    *bool      `json:"archived"`
	Favourited  *bool      `json:"favourited"`
	notKept
}

// nullable is a text in a request: nil if it was not sent, "" for null.
type nullable struct {
	text *string
	null bool
}

// UnmarshalJSON makes nullable a json.Unmarshaler.
func (n *nullable) UnmarshalJSON(value []byte) error {
	*n = nullable{new(string), string(value) == "null"}
	return json.Unmarshal(value, n.text)
}

// notKept are fields of Karakeep that Waymark does not have. A request that gives one a value is refused.
type notKept struct {
	Summary       nullable `json:"summary"`
	Text          nullable `json:"text"`
	AssetContent  nullable `json:"assetContent"`
	Author        nullable `json:"author"`
	Publisher     nullable `json:"publisher"`
	DatePublished nullable `json:"datePublished"`
	DateModified  nullable `json:"dateModified"`
	Archive       nullable `json:"precrawledArchiveId"`
}

func (n notKept) check() error {
	for _, f := range []nullable{n.Summary, n.Text, n.AssetContent, n.Author, n.Publisher, n.DatePublished, n.DateModified, n.Archive} {
		if f.text != nil && *f.text != "" {
			return badRequest("Waymark does not keep the fields summary, text, assetContent, author, publisher, datePublished, dateModified and precrawledArchiveId: leave them out.")
		}
	}
	return nil
}

// readBookmark decodes the body of a request that adds or changes a bookmark.
func (a *API) readBookmark(w http.ResponseWriter, r *http.Request) (fields bookmarkFields, err error) {
	if err := a.readJSON(w, r, &fields); err != nil {
		return fields, err
	}
	if fields.Type != nil && *fields.Type != "link" {
		return fields, badRequest("Waymark keeps bookmarks of the type link only.")
	}
	return fields, fields.check()
}

func (f bookmarkFields) input() service.BookmarkInput {
	in := service.BookmarkInput{Notes: f.Note.text}
	in.Description, in.FlagsInput = f.Description.text, waymark.FlagsInput{Archived: f.Archived, Favorite: f.Favourited}
	if f.URL != nil {
		in.URL = keptURL(*f.URL)
	}
	if f.Title.text != nil {
		in.Title = new(keptText(*f.Title.text, waymark.MaxTitle))
	}
	if f.CreatedAt != nil {
		in.CreatedAt = new(waymark.FromTime(*f.CreatedAt))
	}
	return in
}

// sent returns the texts that a request has sent for a link.
func (f bookmarkFields) sent(link *waymark.Link) []waymark.SentText {
	texts := sentOf(waymark.Links, int64(link.ID), waymark.FieldURL, f.URL, link.URL)
	if f.Title.null {
		return texts
	}
	return append(texts, sentOf(waymark.Links, int64(link.ID), waymark.FieldTitle, f.Title.text, typedTitle(link))...)
}

// addBookmark adds a bookmark. If the user has one with this URL, that is the response, unchanged.
func (a *API) addBookmark(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	fields, err := a.readBookmark(w, r)
	if err != nil {
		return err
	}
	in := fields.input()
	for {
		known, err := a.Store.LinkByURL(r.Context(), user.ID, in.URL)
		if err == nil && known.DeletedAt == 0 {
			return a.writeBookmark(w, r, user, http.StatusOK, known, true)
		}
		if err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
		var link waymark.Link
		err = a.change(r, user, func(ctx context.Context, s *service.Service) (err error) {
			if link, err = s.AddLink(ctx, user, in.LinkInput); err != nil {
				return err
			}
			if in.Notes != nil {
				if link, err = s.EditBookmark(ctx, user, link.ID, service.BookmarkInput{Notes: in.Notes}); err != nil {
					return err
				}
			}
			return s.KeepSent(ctx, user, fields.sent(&link)...)
		})
		if isDuplicate(err) {
			continue // another request has added it meanwhile
		}
		if err != nil {
			return err
		}
		return a.writeBookmark(w, r, user, http.StatusCreated, link, false)
	}
}

// isDuplicate reports whether an error is that the user has a link with the URL.
func isDuplicate(err error) bool {
	invalid, ok := errors.AsType[*waymark.ValidationError](err)
	return ok && len(invalid.Problems) == 1 && invalid.Problems[0].Rule == waymark.RuleUnique
}

// editBookmark changes a bookmark. If the new URL is that of another one, both are joined: the other one gets the lists,
// the tags and the new title, and the id stands for it from now on.
func (a *API) editBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	fields, err := a.readBookmark(w, r)
	if err != nil {
		return err
	}
	before, in := link, fields.input()
	edit := func(ctx context.Context, s *service.Service, id waymark.LinkID) (err error) {
		if link, err = s.EditBookmark(ctx, user, id, in); err != nil {
			return err
		}
		return s.KeepSent(ctx, user, fields.sent(&link)...)
	}
	err = a.change(r, user, func(ctx context.Context, s *service.Service) error { return edit(ctx, s, before.ID) })
	if isDuplicate(err) {
		known, findErr := a.Store.LinkByURL(r.Context(), user.ID, in.URL)
		if findErr != nil {
			return findErr
		}
		err = a.change(r, user, func(ctx context.Context, s *service.Service) error {
			if err := joinBookmarks(ctx, s, user, before, known.ID); err != nil {
				return err
			}
			return edit(ctx, s, known.ID)
		})
	}
	if err != nil {
		return err
	}
	return a.writeBookmark(w, r, user, http.StatusOK, link, false)
}

// joinBookmarks puts the lists and tags of a link on another one, and moves it to the trash.
func joinBookmarks(ctx context.Context, s *service.Service, user waymark.User, link waymark.Link, into waymark.LinkID) error {
	both := waymark.BulkEdit{
		Lists: waymark.Map(link.Lists, func(l waymark.List) waymark.Ref { return waymark.Ref{ID: int64(l.ID)} }),
		Tags:  waymark.Map(link.Tags, func(t waymark.Tag) waymark.Ref { return waymark.Ref{ID: int64(t.ID)} }),
	}
	if _, err := s.EditLinks(ctx, user, []int64{int64(into)}, both); err != nil {
		return err
	}
	id := idText(into)
	if err := s.KeepSent(ctx, user, sentOf(waymark.Links, int64(link.ID), fieldJoined, &id, "")...); err != nil {
		return err
	}
	return s.Delete(ctx, user, waymark.Links, int64(link.ID))
}

// changeMembership returns the handler that adds a bookmark to a list, or removes it.
func changeMembership(mode waymark.RefsMode) func(*API, http.ResponseWriter, *http.Request, waymark.User, waymark.List) error {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
		link, err := a.linkAt(r, user, "bookmark")
		if err != nil {
			return err
		}
		err = a.change(r, user, func(ctx context.Context, s *service.Service) error {
			if mode == waymark.AppendRefs {
				return s.AddToList(ctx, user, list.ID, link.ID, waymark.MaxLinkFolders)
			}
			_, err := s.EditLinks(ctx, user, []int64{int64(link.ID)}, waymark.BulkEdit{Lists: []waymark.Ref{{ID: int64(list.ID)}}, ListsMode: mode})
			return err
		})
		return writeDone(w, err)
	}
}
