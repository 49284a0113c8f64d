package web

import (
	"cmp"
	"io"
	"net/url"
	"strconv"

	"waymark/internal/epub"
	"waymark/internal/httpx"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// The catalogue is for e-readers: feeds of OPDS 1.2 (https://specs.opds.io/opds-1.2). The token of feeds is a part of their
// paths, because some readers send no password and drop the query.

const booksPerPage = 50

// The media types of the catalogue, by the kind of a feed.
const (
	navigationType  = "application/atom+xml;profile=opds-catalog;kind=navigation"
	acquisitionType = "application/atom+xml;profile=opds-catalog;kind=acquisition"
)

func catalogPath(r *page.Request, path string) string {
	return r.AbsoluteURL("/opds/" + url.PathEscape(r.HTTP.PathValue(page.FeedKey)) + path)
}

// newCatalogFeed returns a feed of the catalogue without entries. Its id has no token.
func newCatalogFeed(r *page.Request, title, path, kind string) atomFeed {
	return atomFeed{
		ID: r.AbsoluteURL("/opds" + path), Title: title, Updated: atomTime(r.User.CreatedAt),
		Links: []atomLink{
			{"self", kind, catalogPath(r, path)}, {"start", navigationType, catalogPath(r, "/")}, {"search", searchType, catalogPath(r, "/search.xml")},
		},
	}
}

// section returns an entry that leads to another feed.
func section(r *page.Request, title, path, kind string, updated waymark.Time) atomEntry {
	return atomEntry{
		ID: r.AbsoluteURL("/opds" + path), Title: title, Updated: atomTime(updated),
		Link: atomLink{"subsection", kind, catalogPath(r, path)},
	}
}

func showCatalog(r *page.Request) error {
	f := newCatalogFeed(r, "Waymark", "/", navigationType)
	created := r.User.CreatedAt
	f.Entries = []atomEntry{
		section(r, r.T("flags.unread"), "/unread", acquisitionType, created), section(r, r.T("flags.favorites"), "/favorites", acquisitionType, created),
		section(r, r.T("shell.lists"), "/lists", navigationType, created),
	}
	saved, err := r.Store.Accounts.SavedSearches(r.Context(), r.User.ID)
	for _, search := range saved {
		if search.InLists {
			f.Entries = append(f.Entries, section(r, search.Name, searchPathOf(search.ID), acquisitionType, search.CreatedAt))
		}
	}
	if err != nil {
		return err
	}
	return f.send(r, navigationType)
}

func showCatalogLists(r *page.Request) error {
	all, err := r.Store.ListTree(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	f := newCatalogFeed(r, r.T("shell.lists"), "/lists", navigationType)
	for _, list := range all {
		if list.Parent == 0 && list.Owner == r.User.ID {
			f.Entries = append(f.Entries, section(r, list.Name, listPath(list.ID), acquisitionType, list.UpdatedAt))
		}
	}
	return f.send(r, navigationType)
}

func showCatalogList(r *page.Request, list waymark.List) error {
	var sublists []waymark.List
	if page.NumberOf(r) == 1 {
		var err error
		if sublists, _, err = r.Store.Sublists(r.Context(), r.User.ID, list.ID, maxSublists); err != nil {
			return err
		}
	}
	entries := waymark.Map(sublists, func(l waymark.List) atomEntry {
		return section(r, l.Name, listPath(l.ID), acquisitionType, l.UpdatedAt)
	})
	label := hasID(waymark.Lists, int64(list.ID))
	label.Direct = true
	return sendBooks(r, list.Name, listPath(list.ID), nil, waymark.LinkFilter{Where: label}, entries)
}

// showCatalogMark sends the books of the links with a mark.
func showCatalogMark(title string, path string, mark waymark.Condition) page.Handler {
	return func(r *page.Request) error {
		return sendBooks(r, r.T(title), path, nil, waymark.LinkFilter{Where: waymark.And{waymark.IsMine, mark}}, nil)
	}
}

func showCatalogSmartList(r *page.Request, saved waymark.SavedSearch) error {
	filter, err := linksOfSearch(r, saved)
	if err != nil {
		return err
	}
	return sendBooks(r, saved.Name, searchPathOf(saved.ID), nil, filter, nil)
}

func searchCatalog(r *page.Request) error {
	s, err := readSearch(r, "/links", r.Parameters)
	if err != nil {
		return err
	}
	return sendBooks(r, r.T("feed.search", "query", s.Typed), "/search", url.Values{"q": {r.Parameters.Get("q")}}, s.filter(r), nil)
}

// describeCatalogSearch describes the search of the catalogue (https://github.com/dewitt/opensearch).
func describeCatalogSearch(r *page.Request) error {
	return describeSearch(r, openSearchURL{Type: acquisitionType, Template: catalogPath(r, "/search?q={searchTerms}")})
}

// sendBooks sends a page of the books that a filter selects, the newest first, after other entries. Archived links are left out.
func sendBooks(r *page.Request, title, path string, parameters url.Values, filter waymark.LinkFilter, entries []atomEntry) error {
	filter.Where = waymark.AndOf(filter.Where, waymark.HasSnapshot, waymark.NotOf(waymark.IsArchived))
	found, err := r.Store.SearchLinks(r.User.ID, filter, newestFirst, pagination(r, booksPerPage)).Page(r.Context())
	if err != nil {
		return err
	}
	f := newCatalogFeed(r, title, path, acquisitionType)
	f.Entries = entries
	number := page.NumberOf(r)
	for rel, other := range map[string]int{"next": number + 1, "previous": number - 1} {
		if other > 0 && (other-1)*booksPerPage < found.Total && other != number {
			values := url.Values{"page": {strconv.Itoa(other)}}
			for name, value := range parameters {
				values[name] = value
			}
			f.Links = append(f.Links, atomLink{rel, acquisitionType, page.JoinQuery(catalogPath(r, path), values.Encode())})
		}
	}
	books, err := bookEntries(r, found)
	if err != nil {
		return err
	}
	f.Entries = append(f.Entries, books...)
	return f.send(r, acquisitionType)
}

func bookEntries(r *page.Request, found store.Page[waymark.Link]) ([]atomEntry, error) {
	ids := waymark.Map(found.Entities, func(l waymark.Link) waymark.LinkID { return l.ID })
	texts, err := r.Store.Snapshots.TextsWithoutHTML(r.Context(), r.User.ID, ids)
	if err != nil {
		return nil, err
	}
	var entries []atomEntry
	for _, link := range found.Entities {
		text, ok := texts[link.ID]
		if !ok { // only a full snapshot
			continue
		}
		entries = append(entries, atomEntry{
			ID:    entryID("book", int64(link.ID), link.CreatedAt),
			Title: cmp.Or(link.Title, text.Title, link.URL), Updated: atomTime(text.FetchedAt),
			Author: cmp.Or(text.Byline, waymark.Host(link.URL)), Summary: page.Cut(link.Description, maxFeedSummary),
			Link: atomLink{"http://opds-spec.org/acquisition", epub.MediaType, catalogPath(r, linkPath(link.ID)+"/snapshot.epub")},
		})
	}
	return entries, nil
}

func sendLinkBook(r *page.Request, link waymark.Link) error {
	return sendBook(r, transfer.LinkBook(link, r.BaseURL()))
}

func sendListBook(r *page.Request, list waymark.List) error {
	return sendBookOf(r, list.Name, listPath(list.ID), hasID(waymark.Lists, int64(list.ID)))
}

func sendTagBook(r *page.Request, tag waymark.Tag) error {
	return sendBookOf(r, "#"+tag.Name, tagPath(tag.ID), hasID(waymark.Tags, int64(tag.ID)))
}

func sendSearchBook(r *page.Request) error {
	s, err := readSearch(r, "/links", r.Parameters)
	if err != nil {
		return err
	}
	s.Order, s.View = "", ""
	return sendBookOf(r, cmp.Or(s.Typed, r.T("links.title")), s.path(), s.filter(r).Where)
}

// sendBookOf sends the texts of the links that a condition selects. path is the page with these links.
func sendBookOf(r *page.Request, title, path string, where waymark.Condition) error {
	oldest := waymark.Order{By: waymark.SortByCreatedAt}
	filter := waymark.LinkFilter{Where: where, Zone: r.Zone}
	found, err := r.Store.SearchLinks(r.Viewer(), filter, oldest, waymark.Pagination{Limit: transfer.MaxBookLinks}).Page(r.Context())
	if err != nil {
		return err
	}
	return sendBook(r, transfer.Book{
		Title: title, URL: r.AbsoluteURL(path), Links: found.Entities, Contents: r.T("books.contents"), Others: r.T("books.others"),
	})
}

func sendBook(r *page.Request, b transfer.Book) error {
	return sendStream(r, func() error {
		return httpx.SendAttachment(r.W, b.FileName(), epub.MediaType, func(w io.Writer) error {
			return r.Transfer.WriteBook(r.Context(), r.Viewer(), b, w)
		})
	})
}
