package web

import (
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"time"

	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

const (
	// maxFeedEntries limits the entries of a feed. Feed readers request it often enough to miss none.
	maxFeedEntries = 50
	// maxFeedSummary limits the description of an entry, in characters.
	maxFeedSummary = 5000
)

const atomType = "application/atom+xml; charset=utf-8"

// atomFeed is a feed of RFC 4287, also of the catalogue.
type atomFeed struct {
	XMLName   xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Base      string      `xml:"xml:base,attr,omitempty"`
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Updated   string      `xml:"updated"`
	Links     []atomLink  `xml:"link"`
	Generator string      `xml:"generator,omitempty"`
	Icon      string      `xml:"icon,omitempty"`
	Entries   []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Link       atomLink       `xml:"link"`
	Published  string         `xml:"published,omitempty"`
	Updated    string         `xml:"updated"`
	Author     string         `xml:"author>name,omitempty"`
	Categories []atomCategory `xml:"category"`
	Summary    string         `xml:"summary,omitempty"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

// feed has the properties in which feeds differ.
type feed struct {
	title string
	page  string       // the path of the page with the same content
	query string       // the query string of the feed without the token
	since waymark.Time // the time of a feed without entries
}

// feedLinks sends the newest links that the viewer sees, or those that a search selects.
func feedLinks(r *page.Request) error {
	s, err := readSearch(r, "/links", r.Parameters)
	if err != nil {
		return err
	}
	if s.gone {
		return waymark.ErrNotFound
	}
	s.Order, s.View = "", ""
	f := feed{title: r.T("feed.links"), page: s.path(), query: page.QueryOf("q", s.text())}
	if r.ForGuests() {
		f.page = "/guest/links"
	}
	if s.restricts() {
		f.title = r.T("feed.search", "query", s.Typed)
		if r.ForGuests() {
			f.page = "/guest/search?" + f.query
		}
	}
	return sendLinks(r, f, matchingLinks(r, s.filter(r), newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

func feedList(r *page.Request, list waymark.List) error {
	f := feed{title: list.Name, page: sectionPath(r, listPath(list.ID)), since: list.UpdatedAt}
	return sendLinks(r, f, r.Store.LinksOfList(r.Viewer(), list.ID, newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

func feedTag(r *page.Request, tag waymark.Tag) error {
	f := feed{title: "#" + tag.Name, page: sectionPath(r, tagPath(tag.ID)), since: tag.UpdatedAt}
	return sendLinks(r, f, r.Store.LinksOfTag(r.Viewer(), tag.ID, newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

func feedSearch(r *page.Request, search waymark.SavedSearch) error {
	filter, err := linksOfSearch(r, search)
	if err != nil {
		return err
	}
	f := feed{title: search.Name, page: sectionPath(r, searchPathOf(search.ID)), since: search.CreatedAt}
	return sendLinks(r, f, matchingLinks(r, filter, newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

func sendLinks(r *page.Request, f feed, listing store.Listing[waymark.Link]) error {
	return sendEntities(r, f, listing, linkOwner, func(l waymark.Link) atomEntry {
		e := newEntry("link", int64(l.ID), l.Title, l.Description, l.CreatedAt, l.UpdatedAt)
		e.Link.Href = l.URL
		if !waymark.Linkable(l.URL) {
			e.Link.Href = r.AbsoluteURL(f.page)
		}
		e.Categories = waymark.Map(l.Tags, func(tag waymark.Tag) atomCategory { return atomCategory{tag.Name} })
		return e
	})
}

func feedLists(r *page.Request) error {
	newest := r.Store.Lists(r.Viewer(), newestFirst, waymark.Pagination{Limit: maxFeedEntries})
	return sendEntities(r, feed{title: r.T("feed.lists"), page: sectionPath(r, "/lists")}, newest, listOwner, func(l waymark.List) atomEntry {
		e := newEntry("list", int64(l.ID), l.Name, l.Description, l.CreatedAt, l.UpdatedAt)
		e.Link.Href = r.AbsoluteURL(sectionPath(r, listPath(l.ID)))
		return e
	})
}

func feedTags(r *page.Request) error {
	newest := r.Store.Tags(r.Viewer(), newestFirst, waymark.Pagination{Limit: maxFeedEntries})
	return sendEntities(r, feed{title: r.T("feed.tags"), page: sectionPath(r, "/tags")}, newest, tagOwner, func(tag waymark.Tag) atomEntry {
		e := newEntry("tag", int64(tag.ID), tag.Name, "", tag.CreatedAt, tag.UpdatedAt)
		e.Link.Href = r.AbsoluteURL(sectionPath(r, tagPath(tag.ID)))
		return e
	})
}

// sendEntities sends the entities of a listing. entry returns the entry of one of them, without its author.
func sendEntities[T any](r *page.Request, f feed, listing store.Listing[T], owner func(T) waymark.UserID, entry func(T) atomEntry) error {
	found, err := listing.Page(r.Context())
	if err != nil {
		return err
	}
	names, err := userNames(r, waymark.Map(found.Entities, owner))
	if err != nil {
		return err
	}
	return sendFeed(r, f, waymark.Map(found.Entities, func(entity T) atomEntry {
		e := entry(entity)
		e.Author = names[owner(entity)]
		return e
	}))
}

// newEntry returns an entry without the URL of its link, its author and its categories.
func newEntry(kind string, id int64, title, description string, created, updated waymark.Time) atomEntry {
	return atomEntry{
		ID: entryID(kind, id, created), Title: title, Link: atomLink{Rel: "alternate"},
		Published: atomTime(created), Updated: atomTime(updated), Summary: page.Cut(description, maxFeedSummary),
	}
}

// entryID returns the id of an entry, by which feed readers recognize it: a UUID (RFC 9562, version
// 8) made of values that never change. It does not depend on the URL of the server, so that
// feed readers do not show all entries again when the URL changes.
func entryID(kind string, id int64, created waymark.Time) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "waymark %s %d %d", kind, id, created))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func atomTime(t waymark.Time) string { return t.Time().Format(time.RFC3339) }

func sendFeed(r *page.Request, f feed, entries []atomEntry) error {
	id := page.JoinQuery(r.HTTP.URL.Path, f.query)
	self := page.JoinQuery(id, page.QueryOf(page.FeedTokenParameter, r.Parameters.Get(page.FeedTokenParameter)))
	out := atomFeed{
		Base: r.BaseURL() + "/",
		// The URL without the token, which is a secret.
		ID:    r.AbsoluteURL(id),
		Title: f.title + " · Waymark", Updated: atomTime(f.since),
		Links: []atomLink{
			{"self", "application/atom+xml", r.AbsoluteURL(self)},
			{"alternate", "text/html", r.AbsoluteURL(f.page)},
		},
		Generator: "Waymark",
		Icon:      r.AbsoluteURL("/favicon.svg"),
		Entries:   entries,
	}
	return out.send(r, atomType)
}

// send sends a feed that is as new as its newest entry.
func (f atomFeed) send(r *page.Request, contentType string) error {
	for _, e := range f.Entries {
		f.Updated = max(f.Updated, e.Updated)
	}
	return sendXML(r, contentType, f)
}

// sectionPath returns the path of a page for users, or of the same page for guests.
func sectionPath(r *page.Request, path string) string {
	if r.ForGuests() {
		return "/guest" + path
	}
	return path
}
