package linkding

import (
	"bytes"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"
	"unicode"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// feedType is the media type of RSS feeds.
const feedType = "application/rss+xml; charset=utf-8"

// feed is a feed of bookmarks: RSS 2.0, as linkding sends it.
type feed struct {
	title, description string
	states             []waymark.Condition // of the bookmarks
	shared             bool                // those that users share, otherwise the user's own
}

var (
	notArchived  = waymark.NotOf(waymark.IsArchived)
	allFeed      = feed{title: "All bookmarks", description: "All bookmarks", states: []waymark.Condition{notArchived}}
	unreadFeed   = feed{title: "Unread bookmarks", description: "All unread bookmarks", states: []waymark.Condition{notArchived, waymark.IsUnread}}
	archivedFeed = feed{title: "Archived bookmarks", description: "All archived bookmarks", states: []waymark.Condition{waymark.IsArchived}}
	sharedFeed   = feed{title: "Shared bookmarks", description: "All shared bookmarks", shared: true}
	publicFeed   = feed{title: "Public shared bookmarks", description: "All public shared bookmarks", shared: true}
)

// userFeed returns the handler of a feed for the user whose token is in the path.
func userFeed(f feed) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, _ waymark.User) error {
		owner, err := a.Store.Accounts.FeedTokenOwner(r.Context(), r.PathValue("key"))
		if errors.Is(err, waymark.ErrNotFound) || err == nil && owner.Disabled {
			return errNotFound
		}
		if err != nil {
			return err
		}
		httpx.SetRoute(r.Context(), "/feeds", owner)
		return a.sendFeed(w, r, owner, f)
	}
}

// guestFeed sends the public bookmarks of all users.
func (a *API) guestFeed(w http.ResponseWriter, r *http.Request, guest waymark.User) error {
	return a.sendFeed(w, r, guest, publicFeed)
}

// sendFeed streams the newest bookmarks that the viewer sees, or all if the limit is empty. Unlike a list, a
// feed with an unknown bundle does not exist.
func (a *API) sendFeed(w http.ResponseWriter, r *http.Request, viewer waymark.User, f feed) error {
	q := httpx.ParseQuery(r.URL.RawQuery)
	if parameter(q, "bundle") != "" {
		if _, err := a.bundleOf(r.Context(), viewer, q); err != nil {
			return err
		}
	}
	where, known := waymark.Condition(waymark.OwnedBy{ID: viewer.ID}), true
	if f.shared {
		var err error
		if where, known, err = a.sharedBy(r.Context(), viewer, parameter(q, "user")); err != nil {
			return err
		}
	}
	if !known {
		where = waymark.Or{} // unlike the list, as in linkding
	}
	filters, err := a.filters(r.Context(), viewer, q)
	if err != nil {
		return err
	}
	pagination := waymark.Pagination{Limit: paginationOf(q).Limit}
	if q.Has("limit") && parameter(q, "limit") == "" {
		pagination.Limit = waymark.NoLimit
	}
	listing := a.Store.SearchLinks(viewer.ID, waymark.LinkFilter{Where: waymark.AndOf(append(f.states, where, filters)...)}, newestFirst, pagination)
	return listing.Stream(r.Context(), func(_ int, links iter.Seq2[waymark.Link, error]) error {
		return writeFeed(w, f, a.absolute(r, r.URL.Path), a.Store.Now(), links)
	})
}

// writeFeed writes a feed whose URL is self. It was last built when its first entry was saved.
func writeFeed(w http.ResponseWriter, f feed, self string, now waymark.Time, links iter.Seq2[waymark.Link, error]) error {
	out := httpx.NewStreamWriter(w, feedType)
	send := func() error {
		var b bytes.Buffer
		begin := func(built waymark.Time) {
			b.WriteString(`<?xml version="1.0" encoding="utf-8"?>` + "\n" + `<rss xmlns:atom="http://www.w3.org/2005/Atom" version="2.0"><channel>`)
			element(&b, "title", f.title)
			element(&b, "link", self)
			element(&b, "description", f.description)
			b.WriteString(`<atom:link href="` + attributeEscapes.Replace(self) + `" rel="self"/>`)
			element(&b, "language", "en-us")
			element(&b, "lastBuildDate", mailTime(built))
		}
		first := true
		for link, err := range links {
			if err != nil {
				return err
			}
			if first {
				begin(link.CreatedAt)
				first = false
			}
			writeItem(&b, &link)
			if _, err := out.Write(b.Bytes()); err != nil {
				return err
			}
			b.Reset()
		}
		if first {
			begin(now)
		}
		b.WriteString("</channel></rss>")
		_, err := out.Write(b.Bytes())
		return err
	}
	return out.Close(send())
}

func writeItem(b *bytes.Buffer, link *waymark.Link) {
	bookmark := newBookmarkJSON(link, "")
	title := bookmark.Title
	if title == "" {
		title = link.URL
	}
	b.WriteString("<item>")
	element(b, "title", title)
	element(b, "link", link.URL)
	element(b, "description", bookmark.Description)
	element(b, "pubDate", mailTime(link.CreatedAt))
	element(b, "guid", link.URL)
	for _, name := range bookmark.TagNames {
		element(b, "category", name)
	}
	b.WriteString("</item>")
}

// element writes an element with a text, without control characters, which XML does not permit.
func element(b *bytes.Buffer, name, text string) {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) && !strings.ContainsRune("\n\r\t", r) {
			return -1
		}
		return r
	}, text)
	if text == "" {
		b.WriteString("<" + name + "/>")
		return
	}
	b.WriteString("<" + name + ">" + textEscapes.Replace(text) + "</" + name + ">")
}

var (
	textEscapes      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

// mailTime returns a time as RFC 2822 has it.
func mailTime(t waymark.Time) string { return t.Time().Format(time.RFC1123Z) }
