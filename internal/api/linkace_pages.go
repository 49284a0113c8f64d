package api

import (
	"bytes"
	"iter"
	"net/http"
	"strings"

	"waymark/internal/httpx"
)

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

// writePage returns a function that writes a page of a listing within LinkAce's envelope. encode returns
// what encoding/json encodes for an entity; its first argument is API.prefix.
func writePage[T, J any](a *API, w http.ResponseWriter, r *http.Request, q *params, page pageRequest, encode func(string, *T) J) func(int, iter.Seq2[T, error]) error {
	return func(total int, entities iter.Seq2[T, error]) error {
		e := newEnvelope(a.base(r)+r.URL.Path, q, page, total)
		// LinkActor decodes per_page strictly as an integer.
		e.perPageIsNumber = strings.HasPrefix(r.UserAgent(), "LinkActor")
		begin, _, err := e.split()
		if err != nil {
			return err
		}
		return httpx.StreamJSON(w, begin, entities, encodeWith(a.prefix(r), encode), func(sent int) (string, error) {
			e.correct(sent)
			_, end, err := e.split()
			return end, err
		})
	}
}

// split returns the JSON before and after the entities of a page.
func (e *envelope) split() (before, after string, err error) {
	var b bytes.Buffer
	err = httpx.EncodeJSON(&b, e.json())
	before, after, _ = strings.Cut(b.String(), "[]")
	return before + "[", "]" + after, err
}

// writeArray returns a function that writes a listing as a plain array.
func writeArray[T, J any](a *API, w http.ResponseWriter, r *http.Request, encode func(string, *T) J) func(int, iter.Seq2[T, error]) error {
	return func(_ int, entities iter.Seq2[T, error]) error {
		return httpx.StreamJSON(w, "[", entities, encodeWith(a.prefix(r), encode), httpx.End("]"))
	}
}

func encodeWith[T, J any](prefix string, encode func(string, *T) J) func(*bytes.Buffer, T) error {
	var current T // these two are allocated once
	var encoded J
	return func(b *bytes.Buffer, entity T) error {
		current = entity
		encoded = encode(prefix, &current)
		return httpx.EncodeJSON(b, &encoded)
	}
}

func writeEntity[T, J any](a *API, w http.ResponseWriter, r *http.Request, entity *T, encode func(string, *T) J, err error) error {
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, encode(a.prefix(r), entity))
}
