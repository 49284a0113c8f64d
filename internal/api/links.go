package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (a *API) listLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	page := q.pageRequest()
	links := a.Store.Links(user.ID, q.order(waymark.LinkSortFields, newestFirst), page.pagination())
	return store.WithFlags(links, q.flags()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}

// checkLink reports whether a visible link has a URL.
func (a *API) checkLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	found, err := a.Store.HasURL(r.Context(), user.ID, queryParams(r).text("url"))
	return writeJSON(w, map[string]bool{"linksFound": found}, err)
}

func (a *API) addLink(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body linkFields
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	var link waymark.Link
	err := a.change(r, user, wrong, fieldPath, func(ctx context.Context, s *service.Service) (err error) {
		link, err = s.AddLink(ctx, user, body.input())
		return err
	})
	if err != nil {
		return err
	}
	if !prefersAsync(r) {
		link = a.Crawler.FetchNew(r.Context(), user, link)
	}
	return writeEntity(a, w, r, &link, newLinkJSON, nil)
}

// fetchLink fetches the page of a link again.
func (a *API) fetchLink(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	fetch := a.Crawler.FetchAgain
	if prefersAsync(r) {
		fetch = a.Crawler.FetchLater
	}
	link, _, err := fetch(r.Context(), user, id)
	return writeEntity(a, w, r, &link, newLinkJSON, actionError(err))
}

// prefersAsync reports whether the client does not want to wait, as RFC 7240 defines it.
func prefersAsync(r *http.Request) bool {
	for _, header := range r.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(header, ",") {
			name, _, _ := strings.Cut(preference, ";")
			if strings.EqualFold(strings.TrimSpace(name), "respond-async") {
				return true
			}
		}
	}
	return false
}

func (a *API) listLinkNotes(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	if err := a.Store.CheckLink(r.Context(), user.ID, id); err != nil {
		return err
	}
	q := queryParams(r)
	page := q.pageRequest()
	return a.Store.NotesOfLink(user.ID, id, page.pagination()).Stream(r.Context(), writePage(a, w, r, q, page, newNoteJSON))
}

// markSeen records that the user has looked at a link. LinkAce has no such operation.
func (a *API) markSeen(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	link, err := a.Store.MarkSeen(r.Context(), user, id)
	return writeEntity(a, w, r, &link, newLinkJSON, err)
}

// linkFields are the fields of a link in requests.
type linkFields struct {
	URL           text    `json:"url"`
	Title         text    `json:"title"`
	Name          text    `json:"name"` // Linkwarden's name of the title
	Description   text    `json:"description"`
	Status        status  `json:"status"`
	CheckDisabled boolean `json:"check_disabled"`
	Lists         refs    `json:"lists"`
	Tags          refs    `json:"tags"`
	visibilityFields
	flagFields
}

func (f *linkFields) input() waymark.LinkInput {
	return waymark.LinkInput{
		URL: f.URL.orEmpty(), Title: cmp.Or(f.Title.value, f.Name.value), Description: f.Description.value, Status: f.Status.value, CheckDisabled: f.CheckDisabled.value,
		Lists: f.Lists.value, Tags: f.Tags.value, VisibilityInput: f.visibility(), FlagsInput: f.flags(),
	}
}

type linkJSON struct {
	ID          waymark.LinkID `json:"id"`
	UserID      waymark.UserID `json:"user_id"`
	URL         string         `json:"url"`
	Title       string         `json:"title"`
	Description *string        `json:"description"`
	Icon        string         `json:"icon"`
	Thumbnail   *string        `json:"thumbnail"`
	visibilityJSON
	Status        waymark.Status `json:"status"`
	CheckDisabled bool           `json:"check_disabled"`
	flagsJSON
	SeenAt *string    `json:"seen_at"` // null for others
	Lists  []listJSON `json:"lists"`
	Tags   []tagJSON  `json:"tags"`
	timesJSON
}

// flagsJSON are the flags of a link. LinkAce has none.
type flagsJSON struct {
	Unread   bool `json:"unread"`
	Archived bool `json:"archived"`
	Favorite bool `json:"favorite"`
}

func newLinkJSON(prefix string, l *waymark.Link) linkJSON {
	link := linkJSON{
		ID: l.ID, UserID: l.Owner, URL: l.URL, Title: l.Title, Description: optional(l.Description),
		Icon: icon(l.URL), Thumbnail: optional(l.ImageURL), visibilityJSON: newVisibilityJSON(l.Visibility),
		Status: l.Status, CheckDisabled: l.CheckDisabled, flagsJSON: flagsJSON(l.LinkFlags), SeenAt: optionalTime(l.SeenAt),
		Lists: make([]listJSON, len(l.Lists)), Tags: make([]tagJSON, len(l.Tags)),
		timesJSON: newTimesJSON(l.CreatedAt, l.UpdatedAt, l.DeletedAt),
	}
	for i := range l.Lists {
		link.Lists[i] = newListJSON(prefix, &l.Lists[i])
		link.Lists[i].Pivot = &pivotJSON{LinkID: l.ID, ListID: l.Lists[i].ID}
	}
	for i := range l.Tags {
		link.Tags[i] = newTagJSON(prefix, &l.Tags[i])
		link.Tags[i].Pivot = &pivotJSON{LinkID: l.ID, TagID: l.Tags[i].ID}
	}
	return link
}

func (a *API) listLinksOfList(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ListID) error {
	if _, err := a.Store.List(r.Context(), user.ID, id); err != nil {
		return err
	}
	q := queryParams(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	links := a.Store.LinksOfList(user.ID, id, order, page.pagination())
	if q.bool("sublists") {
		links = a.Store.SearchLinks(user.ID, waymark.LinkFilter{Where: waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: int64(id)}}}}, order, page.pagination())
	}
	return store.WithFlags(links, q.flags()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}

func (a *API) listLinksOfTag(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.TagID) error {
	if _, err := a.Store.Tag(r.Context(), user.ID, id); err != nil {
		return err
	}
	q := queryParams(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	links := a.Store.LinksOfTag(user.ID, id, order, page.pagination())
	return store.WithFlags(links, q.flags()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}
