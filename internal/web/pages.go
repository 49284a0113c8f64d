package web

import (
	"net/url"
	"strconv"
)

// pager is the navigation between the pages of a listing.
type pager struct {
	Page    int // from 1
	Pages   int
	Total   int
	perPage int
	path    string
	query   url.Values
}

// newPager returns the pager of a listing with total entities. The page of the request is
// limited to those that exist.
func newPager(v *visit, total, perPage int) pager {
	pages := max(1, (total+perPage-1)/perPage)
	return pager{Page: min(pageNumber(v), pages), Pages: pages, Total: total, perPage: perPage, path: v.r.URL.Path, query: v.r.URL.Query()}
}

// pageNumber returns the number of the page in the request, from 1.
func pageNumber(v *visit) int {
	n, err := strconv.Atoi(v.r.URL.Query().Get("page"))
	if err != nil || n < 1 || n > maxPage {
		return 1
	}
	return n
}

// maxPage limits page numbers, so that offsets do not overflow.
const maxPage = 1_000_000_000

// From and To are the numbers of the first and the last entity on the page.
func (p pager) From() int { return (p.Page-1)*p.perPage + 1 }

// To is described with From.
func (p pager) To() int { return min(p.Page*p.perPage, p.Total) }

// pageLink is a page in the navigation. Number is 0 for a gap.
type pageLink struct {
	Number  int
	Address string
}

// Links returns the first and the last page, and those around the current one.
func (p pager) Links() []pageLink {
	var links []pageLink
	for n := 1; n <= p.Pages; n++ {
		switch {
		case n == 1 || n == p.Pages || n >= p.Page-1 && n <= p.Page+1:
			links = append(links, pageLink{n, p.At(n)})
		case links[len(links)-1].Number != 0:
			links = append(links, pageLink{})
			if n < p.Page-1 {
				n = p.Page - 2
			} else {
				n = p.Pages - 1
			}
		}
	}
	return links
}

// Previous returns the address of the page before this one, or "".
func (p pager) Previous() string { return p.At(p.Page - 1) }

// Next returns the address of the next page, or "".
func (p pager) Next() string { return p.At(p.Page + 1) }

// At returns the address of a page, or "" if there is no such page.
func (p pager) At(page int) string {
	if page < 1 || page > p.Pages {
		return ""
	}
	query := url.Values{}
	for name, values := range p.query {
		query[name] = values
	}
	query.Del("page")
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	if len(query) == 0 {
		return p.path
	}
	return p.path + "?" + query.Encode()
}

// queryOf returns a query string of pairs of names and values. Empty values are left out.
func queryOf(pairs ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query.Encode()
}
