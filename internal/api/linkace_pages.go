package api

// LinkAce's envelope of a page.

import (
	"encoding/json"
	"strconv"

	"waymark/internal/waymark"
)

// envelope holds the fields of a page around its entities.
type envelope struct {
	path       string
	parameters string // parameters besides page, followed by &, or ""
	page       int
	perPage    string
	// perPageIsNumber writes perPage as a number. LinkAce writes a string.
	perPageIsNumber bool
	last            int
	from, to        int // positions of the first and last entity, from 1; zero on an empty page
	total           int
	instead         []insteadJSON
}

// newEnvelope returns the envelope of a page of a request with the parameters q.
func newEnvelope(path string, q *params, page pageRequest, total int) *envelope {
	e := &envelope{path: path, parameters: q.repeated(page), page: page.number, perPage: page.perPage, last: page.last(total), total: total, instead: page.instead}
	if offset := page.offset(); offset < total {
		e.from, e.to = offset+1, total
		if page.size != waymark.NoLimit {
			e.to = min(e.to, offset+page.size)
		}
	}
	return e
}

// correct makes the numbers agree with the number of entities that were sent: some may have gone while they were read.
func (e *envelope) correct(sent int) {
	if e.last == 1 && e.page == 1 {
		e.total = sent
	}
	e.to = max(e.from+sent-1, 0)
	if sent == 0 {
		e.from = 0
	}
}

type pageJSON struct {
	CurrentPage  int            `json:"current_page"`
	Data         [0]struct{}    `json:"data"` // the entities, which are streamed
	FirstPageURL *string        `json:"first_page_url"`
	From         int            `json:"from"`
	LastPage     int            `json:"last_page"`
	LastPageURL  *string        `json:"last_page_url"`
	Links        []pageLinkJSON `json:"links"`
	NextPageURL  *string        `json:"next_page_url"`
	Path         string         `json:"path"`
	PerPage      any            `json:"per_page"`
	PrevPageURL  *string        `json:"prev_page_url"`
	To           int            `json:"to"`
	Total        int            `json:"total"`
	Instead      *[]insteadJSON `json:"instead,omitempty"`
}

// pageLinkJSON is a link to another page.
type pageLinkJSON struct {
	URL    *string `json:"url"`
	Label  string  `json:"label"`
	Active bool    `json:"active"`
}

func (e *envelope) json() pageJSON {
	page := pageJSON{
		CurrentPage: e.page, FirstPageURL: e.url(1), From: e.from, LastPage: e.last, LastPageURL: e.url(e.last),
		Links:       []pageLinkJSON{{e.url(e.previous()), "« Previous", false}},
		NextPageURL: e.url(e.next()), Path: e.path, PerPage: e.perPage, PrevPageURL: e.url(e.previous()), To: e.to, Total: e.total,
	}
	if e.instead != nil {
		page.Instead = &e.instead
	}
	if e.perPageIsNumber {
		page.PerPage = json.Number(e.perPage)
	}
	for _, number := range e.pageNumbers() {
		link := pageLinkJSON{nil, "...", false}
		if number != 0 {
			link = pageLinkJSON{e.url(number), strconv.Itoa(number), number == e.page}
		}
		page.Links = append(page.Links, link)
	}
	page.Links = append(page.Links, pageLinkJSON{e.url(e.next()), "Next »", false})
	return page
}

// previous returns the number of the previous page, or zero if there is none. The previous
// page of a page beyond the end is the last page.
func (e *envelope) previous() int { return min(e.page-1, e.last) }

// next returns the number of the next page, or zero if there is none.
func (e *envelope) next() int {
	if e.page >= e.last {
		return 0
	}
	return e.page + 1
}

// url returns the URL of a page, or nil for page zero.
func (e *envelope) url(page int) *string {
	if page == 0 {
		return nil
	}
	return optional(e.path + "?" + e.parameters + "page=" + strconv.Itoa(page))
}

// pageNumbers returns the pages to link to: the first and the last two, and three on each
// side of the current page, or ten if it is near the beginning or the end. Zero is a gap.
func (e *envelope) pageNumbers() []int {
	const side, window = 3, 7
	var numbers []int
	appendRange := func(from, to int) {
		for n := from; n <= to; n++ {
			numbers = append(numbers, n)
		}
	}
	switch {
	case e.last < 2*side+8:
		appendRange(1, e.last)
	case e.page <= window:
		appendRange(1, window+side)
		numbers = append(numbers, 0)
		appendRange(e.last-1, e.last)
	case e.page > e.last-window:
		appendRange(1, 2)
		numbers = append(numbers, 0)
		appendRange(e.last-window-side+1, e.last)
	default:
		appendRange(1, 2)
		numbers = append(numbers, 0)
		appendRange(e.page-side, e.page+side)
		numbers = append(numbers, 0)
		appendRange(e.last-1, e.last)
	}
	return numbers
}
