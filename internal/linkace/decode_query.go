package linkace

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// params are the parameters in a request's query.
type params struct {
	url.Values
	problems waymark.ValidationError
}

func query(r *http.Request) *params { return &params{Values: r.URL.Query()} }

// text returns a parameter without space around it, "" where it is missing. What
// no text that we keep can hold, invalid UTF-8 and U+0000, is replaced, because not
// every database takes it.
func (p *params) text(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(p.Get(name), "\uFFFD"), "\x00", "\uFFFD"))
}

// bool understands what clients send for yes and no. Anything that does not say no
// says yes: some send the search text itself.
func (p *params) bool(name string) bool {
	switch strings.ToLower(p.text(name)) {
	case "", "0", "false", "off", "no":
		return false
	}
	return true
}

// int understands a whole number. One that is out of range is the last in it.
func (p *params) int(name string) (n int, ok bool) {
	n, err := strconv.Atoi(p.text(name))
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// visibility returns the visibility that is asked for, zero for any.
func (p *params) visibility() waymark.Visibility {
	if p.text("visibility") == "" {
		return 0
	}
	n, ok := p.int("visibility")
	v := waymark.Visibility(n)
	if !ok || !v.Valid() {
		p.problems.Add("visibility", "The selected visibility is invalid.")
	}
	return v
}

// refs returns the lists or tags that a parameter names: ids and names with commas
// between them. A number that is no id points at nothing.
func (p *params) refs(name string) []waymark.Ref {
	var refs []waymark.Ref
	for piece := range strings.SplitSeq(p.text(name), ",") {
		piece = strings.TrimSpace(piece)
		id, err := strconv.ParseInt(piece, 10, 64)
		switch {
		case piece == "":
		case errors.Is(err, strconv.ErrSyntax):
			refs = append(refs, waymark.Ref{Name: piece})
		default:
			refs = append(refs, waymark.Ref{ID: cmp.Or(id, -1)})
		}
	}
	return refs
}
