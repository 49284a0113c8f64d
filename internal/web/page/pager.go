package page

import (
	"maps"
	"net/url"
	"strconv"
	"strings"
)

// Pager is the navigation between the pages of a listing.
type Pager struct {
	Page     int // from 1
	Pages    int
	Total    int // of entities
	From, To int // the numbers of the first and the last entity on the page
	// Previous and Next are the paths of the pages before and after this one, "" if there is none.
	Previous, Next string
	Links          []pageLink
	last           string // the path of the last page if a later one was requested, otherwise ""
}

// pageLink is a page in the navigation. Number is 0 for a gap.
type pageLink struct {
	Number int
	Path   string
}

// NewPager returns the pager of the listing that a request is for, with total entities.
func NewPager(r *Request, total, perPage int) Pager {
	return PagerAt(r.HTTP.URL.Path, r.Parameters, NumberOf(r), total, perPage)
}

// PagerAt returns the pager of the listing at a path with a query. page is limited to the pages
// that exist.
func PagerAt(path string, query url.Values, page, total, perPage int) Pager {
	pages := max(1, (total+perPage-1)/perPage)
	at := func(page int) string {
		if page < 1 || page > pages {
			return ""
		}
		query := maps.Clone(query)
		query.Del("page")
		if page > 1 {
			query.Set("page", strconv.Itoa(page))
		}
		return JoinQuery(path, query.Encode())
	}
	p := Pager{Page: min(page, pages), Pages: pages, Total: total}
	if page > pages {
		p.last = at(pages)
	}
	p.From, p.To = (p.Page-1)*perPage+1, min(p.Page*perPage, total)
	p.Previous, p.Next = at(p.Page-1), at(p.Page+1)
	for _, n := range shownPages(p.Page, pages) {
		p.Links = append(p.Links, pageLink{n, at(n)})
	}
	return p
}

// shownPages returns the numbers of the first and the last page, and of those around page, with 0
// for each gap.
func shownPages(page, pages int) []int {
	var shown []int
	for _, n := range []int{1, page - 1, page, page + 1, pages} {
		last := 0
		if len(shown) > 0 {
			last = shown[len(shown)-1]
		}
		if n <= last || n > pages {
			continue
		}
		if n > last+1 {
			shown = append(shown, 0)
		}
		shown = append(shown, n)
	}
	return shown
}

// BeyondEnd returns the path of the last page if the request is for a later one, and "" otherwise.
func (p Pager) BeyondEnd() string { return p.last }

// RenderListing sends a page of a listing, or leads to the last page if the request is for a later one.
func (r *Request) RenderListing(page string, pager Pager, data any) error {
	if pager.last != "" {
		return r.Redirect(pager.last)
	}
	return r.Render(page, data)
}

// NumberOf returns the number of the page in the request, from 1.
func NumberOf(r *Request) int {
	n, err := strconv.Atoi(r.Parameters.Get("page"))
	if err != nil || n < 1 || n > maxPage {
		return 1
	}
	return n
}

// maxPage limits page numbers, so that offsets do not overflow.
const maxPage = 1_000_000_000

// QueryOf returns a query string of pairs of names and values. Empty values are left out.
func QueryOf(pairs ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query.Encode()
}

// JoinQuery returns a URL with more parameters.
func JoinQuery(path, query string) string {
	switch {
	case query == "":
		return path
	case strings.Contains(path, "?"):
		return path + "&" + query
	}
	return path + "?" + query
}
