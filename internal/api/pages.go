package api

import (
	"iter"
	"net/http"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// appendEntity appends the JSON of an entity to b.
type appendEntity[T any] func(b []byte, e *encoder, entity *T) []byte

// writePage returns a function that writes a page of a listing within LinkAce's envelope.
func writePage[T any](a *API, w http.ResponseWriter, r *http.Request, q *params, page pageRequest, write appendEntity[T]) func(int, iter.Seq2[T, error]) error {
	return func(total int, entities iter.Seq2[T, error]) error {
		e := newEnvelope(a.base(r)+r.URL.Path, q, page, total)
		// LinkActor decodes per_page strictly as an integer.
		e.perPageIsNumber = strings.HasPrefix(r.UserAgent(), "LinkActor")
		return writeEntities(a, w, r, e.appendHead, entities, write, e.appendTail)
	}
}

// writeArray returns a function that writes a listing as a plain array.
func writeArray[T any](a *API, w http.ResponseWriter, r *http.Request, write appendEntity[T]) func(int, iter.Seq2[T, error]) error {
	return func(_ int, entities iter.Seq2[T, error]) error {
		head := func(b []byte) []byte { return append(b, '[') }
		tail := func(b []byte, _ *encoder) []byte { return append(b, ']') }
		return writeEntities(a, w, r, head, entities, write, tail)
	}
}

func (a *API) newStream(w http.ResponseWriter, r *http.Request) *httpx.StreamWriter {
	return httpx.NewStreamWriter(w, r, "application/json", a.settings.StreamTimeout, a.permitted(r))
}

// writeEntity writes one entity that is in memory.
func writeEntity[T any](a *API, w http.ResponseWriter, r *http.Request, entity *T, write appendEntity[T]) error {
	out := a.newStream(w, r)
	_, err := out.Write(write(out.AvailableBuffer(), &encoder{prefix: a.prefix(r), out: out}, entity))
	return out.Close(err)
}

// writeEntities streams entities with commas between them.
func writeEntities[T any](a *API, w http.ResponseWriter, r *http.Request,
	head func([]byte) []byte, entities iter.Seq2[T, error], write appendEntity[T], tail func([]byte, *encoder) []byte,
) error {
	out := a.newStream(w, r)
	e := &encoder{prefix: a.prefix(r), out: out}
	send := func() error {
		b := head(out.AvailableBuffer())
		first := true
		var entity T // one variable for all, since write takes its address
		for next, err := range entities {
			if err != nil {
				return err
			}
			if !first {
				b = append(b, ',')
			}
			entity, first = next, false
			if _, err := out.Write(write(b, e, &entity)); err != nil {
				return err
			}
			b = out.AvailableBuffer()
		}
		_, err := out.Write(tail(b, e))
		return err
	}
	return out.Close(send())
}

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
}

// newEnvelope returns the envelope of a page of a request with the parameters q.
func newEnvelope(path string, q *params, page pageRequest, total int) *envelope {
	e := &envelope{path: path, parameters: q.repeated(page), page: page.number, perPage: page.perPage, last: page.last(total), total: total}
	if offset := page.offset(); offset < total {
		e.from, e.to = offset+1, total
		if page.size != waymark.NoLimit {
			e.to = min(e.to, offset+page.size)
		}
	}
	return e
}

func (e *envelope) appendHead(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"current_page":`...), int64(e.page), 10)
	return append(b, `,"data":[`...)
}

// appendTail passes parts of a long result to the response: a page has up to 19 URLs, and each
// repeats the parameters of the request.
func (e *envelope) appendTail(b []byte, enc *encoder) []byte {
	b = e.appendURL(append(b, `],"first_page_url":`...), 1)
	b = strconv.AppendInt(append(b, `,"from":`...), int64(e.from), 10)
	b = strconv.AppendInt(append(b, `,"last_page":`...), int64(e.last), 10)
	b = e.appendURL(append(b, `,"last_page_url":`...), e.last)
	b = append(b, `,"links":[`...)
	b = e.appendLink(b, e.previous(), "« Previous", false)
	for _, number := range e.pageNumbers() {
		b = append(b, ',')
		if number == 0 {
			b = append(b, `{"url":null,"label":"...","active":false}`...)
			continue
		}
		b = enc.part(e.appendLink(b, number, strconv.Itoa(number), number == e.page))
	}
	b = e.appendLink(append(b, ','), e.next(), "Next »", false)
	b = e.appendURL(append(b, `],"next_page_url":`...), e.next())
	b = appendString(append(b, `,"path":`...), e.path)
	b = append(b, `,"per_page":`...)
	if e.perPageIsNumber {
		b = append(b, e.perPage...)
	} else {
		b = appendString(b, e.perPage)
	}
	b = e.appendURL(append(b, `,"prev_page_url":`...), e.previous())
	b = strconv.AppendInt(append(b, `,"to":`...), int64(e.to), 10)
	b = strconv.AppendInt(append(b, `,"total":`...), int64(e.total), 10)
	return append(b, '}')
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

// appendURL appends the URL of a page, or null for page zero.
func (e *envelope) appendURL(b []byte, page int) []byte {
	if page == 0 {
		return append(b, "null"...)
	}
	return appendString(b, e.path+"?"+e.parameters+"page="+strconv.Itoa(page))
}

func (e *envelope) appendLink(b []byte, page int, label string, active bool) []byte {
	b = e.appendURL(append(b, `{"url":`...), page)
	b = appendString(append(b, `,"label":`...), label)
	return append(strconv.AppendBool(append(b, `,"active":`...), active), '}')
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
