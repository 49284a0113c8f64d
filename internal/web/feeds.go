package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
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

// atomType is the media type of Atom feeds.
const atomType = "application/atom+xml; charset=utf-8"

// atomFeed is a feed of RFC 4287.
type atomFeed struct {
	XMLName   xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Base      string      `xml:"xml:base,attr"`
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Updated   string      `xml:"updated"`
	Links     []atomLink  `xml:"link"`
	Generator string      `xml:"generator"`
	Icon      string      `xml:"icon"`
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
	Published  string         `xml:"published"`
	Updated    string         `xml:"updated"`
	Author     string         `xml:"author>name"`
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

// feedLinks sends the newest links that the viewer sees, or those that a query selects.
func feedLinks(r *page.Request) error {
	q := linksQueryOf(r.Parameters)
	if r.ForGuests() {
		q = linksQuery{Text: q.Text} // other conditions could tell that private things exist
	}
	q.Order, q.View = "", ""
	s, err := newSelection(r, q)
	if err != nil {
		return err
	}
	if s.gone {
		return waymark.ErrNotFound
	}
	f := feed{title: r.T("feed.links"), page: searchPath(r, q), query: q.Encode()}
	if q.Restricts() {
		var words []string
		for _, text := range waymark.Wanted(s.filter.Where) {
			words = append(words, text.Text)
		}
		for _, chip := range s.chips {
			words = append(words, chip.Text)
		}
		f.title = r.T("feed.search", "query", cmp.Or(q.Text, strings.Join(words, ", ")))
	}
	return sendLinks(r, f, matchingLinks(r, s.filter, newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

// feedList sends the newest links in a list.
func feedList(r *page.Request) error {
	id, err := page.PathID[waymark.ListID](r)
	if err != nil {
		return err
	}
	list, err := r.Store.List(r.Context(), r.Viewer(), id)
	if err != nil {
		return err
	}
	f := feed{title: list.Name, page: sectionPath(r, fmt.Sprint("/lists/", id)), since: list.UpdatedAt}
	return sendLinks(r, f, r.Store.LinksOfList(r.Viewer(), id, newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

// feedTag sends the newest links with a tag.
func feedTag(r *page.Request) error {
	id, err := page.PathID[waymark.TagID](r)
	if err != nil {
		return err
	}
	tag, err := r.Store.Tag(r.Context(), r.Viewer(), id)
	if err != nil {
		return err
	}
	f := feed{title: "#" + tag.Name, page: sectionPath(r, fmt.Sprint("/tags/", id)), since: tag.UpdatedAt}
	return sendLinks(r, f, r.Store.LinksOfTag(r.Viewer(), id, newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

// feedSearch sends the newest links of a saved search.
func feedSearch(r *page.Request) error {
	search, err := searchInPath(r)
	if err != nil {
		return err
	}
	filter, err := linksOfSearch(r, search)
	if err != nil {
		return err
	}
	f := feed{title: search.Name, page: sectionPath(r, searchPathOf(search.ID)), since: search.CreatedAt}
	return sendLinks(r, f, matchingLinks(r, filter, newestFirst, waymark.Pagination{Limit: maxFeedEntries}))
}

// sendLinks sends the links of a listing.
func sendLinks(r *page.Request, f feed, listing store.Listing[waymark.Link]) error {
	found, err := listing.Page(r.Context())
	if err != nil {
		return err
	}
	names, err := userNames(r, ownersOf(found.Entities, linkOwner))
	if err != nil {
		return err
	}
	entries := make([]atomEntry, len(found.Entities))
	for i, l := range found.Entities {
		e := newEntry("link", int64(l.ID), l.Title, names[l.Owner], l.Description, l.CreatedAt, l.UpdatedAt)
		e.Link.Href = l.URL
		if !waymark.Linkable(l.URL) {
			e.Link.Href = r.AbsoluteURL(f.page)
		}
		for _, tag := range l.Tags {
			e.Categories = append(e.Categories, atomCategory{tag.Name})
		}
		entries[i] = e
	}
	return sendFeed(r, f, entries)
}

// feedLists sends the newest lists.
func feedLists(r *page.Request) error {
	found, err := r.Store.Lists(r.Viewer(), newestFirst, waymark.Pagination{Limit: maxFeedEntries}).Page(r.Context())
	if err != nil {
		return err
	}
	names, err := userNames(r, ownersOf(found.Entities, listOwner))
	if err != nil {
		return err
	}
	entries := make([]atomEntry, len(found.Entities))
	for i, l := range found.Entities {
		entries[i] = newEntry("list", int64(l.ID), l.Name, names[l.Owner], l.Description, l.CreatedAt, l.UpdatedAt)
		entries[i].Link.Href = r.AbsoluteURL(sectionPath(r, fmt.Sprint("/lists/", l.ID)))
	}
	return sendFeed(r, feed{title: r.T("feed.lists"), page: sectionPath(r, "/lists")}, entries)
}

// feedTags sends the newest tags.
func feedTags(r *page.Request) error {
	found, err := r.Store.Tags(r.Viewer(), newestFirst, waymark.Pagination{Limit: maxFeedEntries}).Page(r.Context())
	if err != nil {
		return err
	}
	names, err := userNames(r, ownersOf(found.Entities, tagOwner))
	if err != nil {
		return err
	}
	entries := make([]atomEntry, len(found.Entities))
	for i, tag := range found.Entities {
		entries[i] = newEntry("tag", int64(tag.ID), tag.Name, names[tag.Owner], "", tag.CreatedAt, tag.UpdatedAt)
		entries[i].Link.Href = r.AbsoluteURL(sectionPath(r, fmt.Sprint("/tags/", tag.ID)))
	}
	return sendFeed(r, feed{title: r.T("feed.tags"), page: sectionPath(r, "/tags")}, entries)
}

// newEntry returns an entry without the URL of its link, and without categories.
func newEntry(kind string, id int64, title, author, description string, created, updated waymark.Time) atomEntry {
	return atomEntry{
		ID: entryID(kind, id, created), Title: title, Author: author, Link: atomLink{Rel: "alternate"},
		Published: atomTime(created), Updated: atomTime(updated), Summary: cut(description, maxFeedSummary),
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

// sendFeed sends a feed with these entries.
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
	for _, e := range entries {
		out.Updated = max(out.Updated, e.Updated)
	}
	body := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(body).Encode(out); err != nil {
		return err
	}
	r.Send(http.StatusOK, atomType, body.Bytes())
	return nil
}

// sectionPath returns the path of a page for users, or of the same page for guests.
func sectionPath(r *page.Request, path string) string {
	if r.ForGuests() {
		return "/guest" + path
	}
	return path
}

// searchPath returns the path of the page with the links that a query selects.
func searchPath(r *page.Request, q linksQuery) string {
	switch {
	case !r.ForGuests():
		return q.path()
	case q.Text == "":
		return "/guest/links"
	}
	return page.JoinQuery("/guest/search", page.QueryOf("query", q.Text))
}
