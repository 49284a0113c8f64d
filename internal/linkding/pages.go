package linkding

import (
	"bytes"
	"iter"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// defaultLimit is the number of entities of a page if the client names none. There is no maximum: pages
// are streamed.
const defaultLimit = 100

// paginationOf returns the part of a listing that a request asks for. A limit or an offset that is no number
// counts as missing.
func paginationOf(q url.Values) waymark.Pagination {
	p := waymark.Pagination{Limit: defaultLimit}
	if n, ok := positive(parameter(q, "limit")); ok && n > 0 {
		p.Limit = n
	}
	if n, ok := positive(parameter(q, "offset")); ok {
		p.Offset = n
	}
	return p
}

// parameter returns the last value of a parameter, as linkding does, or "" if it is missing.
func parameter(q url.Values, name string) string {
	if values := q[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// positive parses a number that is not negative. Numbers that are too large become the largest one.
func positive(text string) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil && n != math.MaxInt64 || n < 0 {
		return 0, false
	}
	return int(min(n, math.MaxInt32)), true
}

// pageWriter writes a page of a listing.
type pageWriter struct {
	w          http.ResponseWriter
	url        string // of the listing, with a slash at the end and without a query
	parameters url.Values
	pagination waymark.Pagination
}

func (a *API) newPageWriter(w http.ResponseWriter, r *http.Request) pageWriter {
	q := httpx.ParseQuery(r.URL.RawQuery)
	return pageWriter{w, a.absolute(r, r.URL.Path+"/"), q, paginationOf(q)}
}

// absolute returns the public URL of a path.
func (a *API) absolute(r *http.Request, path string) string {
	return httpx.BaseURL(r, a.Settings.BaseURL, a.Settings.TrustedProxies) + path
}

// writePage streams entities within the envelope of a page, each as the JSON of encode.
func writePage[T, J any](p pageWriter, total int, entities iter.Seq2[T, error], encode func(T) J) error {
	var envelope bytes.Buffer
	if err := httpx.EncodeJSON(&envelope, struct {
		Count    int         `json:"count"`
		Next     *string     `json:"next"`
		Previous *string     `json:"previous"`
		Results  [0]struct{} `json:"results"`
	}{Count: total, Next: p.next(total), Previous: p.previous()}); err != nil {
		return err
	}
	begin, _ := strings.CutSuffix(envelope.String(), "]}")
	return httpx.StreamJSON(p.w, begin, entities, func(b *bytes.Buffer, entity T) error { return httpx.EncodeJSON(b, encode(entity)) }, httpx.End("]}"))
}

// writePart writes the part of all entities that the page has.
func writePart[T, J any](p pageWriter, all []T, encode func(T) J) error {
	begin := min(p.pagination.Offset, len(all))
	part := all[begin : begin+min(p.pagination.Limit, len(all)-begin)]
	return writePage(p, len(all), httpx.WithoutErrors(part), encode)
}

// next returns the URL of the next page, nil if there is none.
func (p pageWriter) next(total int) *string {
	end := p.pagination.Offset + p.pagination.Limit
	if end >= total {
		return nil
	}
	return p.at(end)
}

// previous returns the URL of the previous page, nil if there is none.
func (p pageWriter) previous() *string {
	if p.pagination.Offset == 0 {
		return nil
	}
	return p.at(max(0, p.pagination.Offset-p.pagination.Limit))
}

// at returns the URL of the page at an offset. It has the parameters of the request, sorted.
func (p pageWriter) at(offset int) *string {
	q := url.Values{}
	for name, values := range p.parameters {
		q[name] = values
	}
	q.Set("limit", strconv.Itoa(p.pagination.Limit))
	q.Del("offset")
	if offset > 0 {
		q.Set("offset", strconv.Itoa(offset))
	}
	at := p.url + "?" + q.Encode()
	return &at
}
