package web

import (
	"html/template"
	"maps"
	"net/url"
	"strconv"
	"strings"
)

// pager is the navigation between the pages of a listing.
type pager struct {
	v       *visit
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
	return pager{v: v, Page: min(pageNumber(v), pages), Pages: pages, Total: total, perPage: perPage, path: v.r.URL.Path, query: v.parameters}
}

// pageNumber returns the number of the page in the request, from 1.
func pageNumber(v *visit) int {
	n, err := strconv.Atoi(v.parameters.Get("page"))
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

// HTML returns the navigation, or nothing if there is only one page.
func (p pager) HTML() template.HTML {
	if p.Pages <= 1 {
		return ""
	}
	var w htmlWriter
	link := func(path string, label template.HTML, rest ...template.HTML) {
		w.add(`<li><a href="`, escaped(p.v.url(path)), `" aria-label="`, label, `"`)
		w.add(rest...)
		w.add(`</a></li>`)
	}
	w.add(`<nav class="pager" aria-label="`, escaped(p.v.t("pager.label")), `"><span>`, escaped(p.v.t("pager.range", "from", p.From(), "to", p.To(), "total", p.Total)), `</span><ol>`)
	if previous := p.previous(); previous != "" {
		link(previous, escaped(p.v.t("pager.previous")), ` rel="prev">`, icon("chevron-left"))
	}
	for _, page := range p.links() {
		switch n := escaped(p.v.locale.number(page.Number)); page.Number {
		case 0:
			w.add(`<li class="quiet"><span>…</span></li>`)
		case p.Page:
			w.add(`<li><span aria-current="page">`, n, `</span></li>`)
		default:
			link(page.Address, escaped(p.v.t("pager.page", "page", page.Number)), `>`, n)
		}
	}
	if next := p.next(); next != "" {
		link(next, escaped(p.v.t("pager.next")), ` rel="next">`, icon("chevron-right"))
	}
	w.add(`</ol></nav>`)
	return w.written()
}

// pageLink is a page in the navigation. Number is 0 for a gap.
type pageLink struct {
	Number  int
	Address string
}

// links returns the first and the last page, and those around the current one.
func (p pager) links() []pageLink {
	var links []pageLink
	for n := 1; n <= p.Pages; n++ {
		switch {
		case n == 1 || n == p.Pages || n >= p.Page-1 && n <= p.Page+1:
			links = append(links, pageLink{n, p.at(n)})
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

// previous returns the address of the page before this one, or "".
func (p pager) previous() string { return p.at(p.Page - 1) }

// next returns the address of the next page, or "".
func (p pager) next() string { return p.at(p.Page + 1) }

// at returns the address of a page, or "" if there is no such page.
func (p pager) at(page int) string {
	if page < 1 || page > p.Pages {
		return ""
	}
	query := maps.Clone(p.query)
	query.Del("page")
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	return joinQuery(p.path, query.Encode())
}

// beyondEnd returns the address of the last page if the request is for a later one, and "" otherwise.
func (p pager) beyondEnd() string {
	if pageNumber(p.v) > p.Pages {
		return p.at(p.Pages)
	}
	return ""
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

// joinQuery returns an address with more parameters.
func joinQuery(address, query string) string {
	switch {
	case query == "":
		return address
	case strings.Contains(address, "?"):
		return address + "&" + query
	}
	return address + "?" + query
}
