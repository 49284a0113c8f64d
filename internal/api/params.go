package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// pageSize is how many entries a page has unless the request says otherwise.
const pageSize = 24

// params are the parameters in a request's query.
type params struct {
	url.Values
	problems waymark.InvalidError
}

func query(r *http.Request) *params { return &params{Values: r.URL.Query()} }

// text returns a parameter without space around it, "" where it is missing or not
// valid UTF-8, which no text that we keep is either.
func (p *params) text(name string) string {
	return strings.TrimSpace(strings.ToValidUTF8(p.Get(name), "\uFFFD"))
}

// flag understands what clients send for yes and no. Anything that does not say no
// says yes: some send the search text itself.
func (p *params) flag(name string) bool {
	switch strings.ToLower(p.text(name)) {
	case "", "0", "false", "off", "no":
		return false
	}
	return true
}

// page returns which page is asked for, and its size as the answer repeats it.
func (p *params) page() (waymark.Page, string) {
	page := waymark.Page{Number: 1, Size: pageSize}
	if n, err := strconv.Atoi(p.text("page")); err == nil && n > 1 {
		page.Number = n
	}
	n, err := strconv.Atoi(p.text("per_page"))
	switch {
	case err != nil, n < -1:
		return page, strconv.Itoa(page.Size)
	case n <= 0:
		page.Size = waymark.All
	default:
		page.Size = n
	}
	return page, strconv.Itoa(n)
}

// order returns the order that is asked for.
func (p *params) order(known []string, fallback waymark.Order) waymark.Order {
	return waymark.ParseOrder(strings.ToLower(p.text("order_by")), p.text("order_dir"), known, fallback)
}

// newestFirst is the order of whole collections.
var newestFirst = waymark.Order{By: "created_at", Desc: true}

// visibility returns the visibility that is asked for, zero for any.
func (p *params) visibility() waymark.Visibility {
	text := p.text("visibility")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	v := waymark.Visibility(n)
	if err != nil || !v.Valid() {
		p.problems.Add("visibility", "The selected visibility is invalid.")
	}
	return v
}

// refs returns the lists or tags that a parameter names: ids and names with commas
// between them.
func (p *params) refs(name string) []waymark.Ref {
	var refs []waymark.Ref
	for piece := range strings.SplitSeq(p.text(name), ",") {
		piece = strings.TrimSpace(piece)
		if id, err := strconv.ParseInt(piece, 10, 64); err == nil && id != 0 {
			refs = append(refs, waymark.Ref{ID: id})
		} else if piece != "" {
			refs = append(refs, waymark.Ref{Name: piece})
		}
	}
	return refs
}
