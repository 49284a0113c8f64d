package api

import (
	"maps"
	"math"
	"strconv"

	"waymark/internal/waymark"
)

// pageSize is the number of entities on a page unless the request has per_page.
const pageSize = 24

// pageRequest is the page that a client requests.
type pageRequest struct {
	number  int           // from 1
	size    int           // waymark.NoLimit for everything on one page
	perPage string        // the size in the form in which the response repeats it
	instead []insteadJSON // of a search that finds few links, nil for others
}

// insteadJSON is a search that finds more than one that finds few links.
type insteadJSON struct {
	Query string `json:"q"`
	Total int    `json:"total"`
}

// pageRequest returns the requested page. Invalid values are replaced by the default.
func (p *params) pageRequest() pageRequest {
	page := pageRequest{number: 1}
	if n, ok := p.int("page"); ok && n > 1 {
		page.number = n
	}
	n, ok := p.int("per_page")
	if !ok || n < -1 {
		n = pageSize
	}
	if n > 0 {
		page.size = n
	}
	page.perPage = strconv.Itoa(n)
	return page
}

// repeated returns the parameters in the URLs of all pages, followed by &, or "". These are the
// unchanged parameters of the request, without the API key. An invalid per_page is replaced by the
// size of the page, and an empty per_page is omitted.
func (p *params) repeated(page pageRequest) string {
	repeated := maps.Clone(p.sent)
	delete(repeated, "page")
	delete(repeated, "api_token")
	delete(repeated, "per_page")
	if p.text("per_page") != "" {
		repeated.Set("per_page", page.perPage)
	}
	if len(repeated) == 0 {
		return ""
	}
	return repeated.Encode() + "&"
}

// offset is the number of entities before the page, at most the largest int.
func (p pageRequest) offset() int {
	switch {
	case p.number <= 1:
		return 0
	case p.size == waymark.NoLimit, p.number-1 > math.MaxInt/p.size:
		return math.MaxInt
	}
	return (p.number - 1) * p.size
}

func (p pageRequest) pagination() waymark.Pagination {
	return waymark.Pagination{Offset: p.offset(), Limit: p.size}
}

// last is the number of the last page of total entities, at least 1.
func (p pageRequest) last(total int) int {
	if p.size == waymark.NoLimit || total == 0 {
		return 1
	}
	return (total-1)/p.size + 1
}
