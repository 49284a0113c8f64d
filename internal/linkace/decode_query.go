package linkace

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// params are the parameters in the query of a request.
type params struct {
	url.Values
	errors fieldErrors
}

func query(r *http.Request) *params { return &params{Values: parseQuery(r.URL.RawQuery)} }

// parseQuery parses a query as browsers do (URL Standard, application/x-www-form-urlencoded):
// a semicolon is part of a value, and a malformed percent escape stands for itself.
// url.ParseQuery would drop such parameters.
func parseQuery(raw string) url.Values {
	values := url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			values.Add(unescape(name), unescape(value))
		}
	}
	return values
}

// unescape decodes the plus signs and the well-formed percent escapes of a name or value.
func unescape(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		escape := s[i:min(i+3, len(s))]
		decoded, err := url.QueryUnescape(escape)
		switch {
		case s[i] == '%' && err == nil:
			b.WriteString(decoded)
			i += 2
		case s[i] == '+':
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// text returns a parameter without surrounding space, or "" if it is missing. Invalid UTF-8
// and NUL are replaced, because PostgreSQL rejects them and no stored text contains them.
func (p *params) text(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(p.Get(name), "\uFFFD"), "\x00", "\uFFFD"))
}

// bool returns a boolean. Every value except those for false is true, because some clients
// send the search text itself.
func (p *params) bool(name string) bool {
	switch strings.ToLower(p.text(name)) {
	case "", "0", "false", "off", "no":
		return false
	}
	return true
}

// int returns an integer. A value that is out of range becomes the nearest int.
func (p *params) int(name string) (n int, ok bool) {
	n, err := strconv.Atoi(p.text(name))
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// visibility returns the visibility to search for, or zero for any.
func (p *params) visibility() waymark.Visibility {
	if p.text("visibility") == "" {
		return 0
	}
	n, ok := p.int("visibility")
	v := waymark.Visibility(n)
	if !ok || !v.Valid() {
		p.errors.add("visibility", "The selected visibility is invalid.")
	}
	return v
}

// refs returns the lists or tags in a parameter: ids and names, separated by commas. A
// number that is not a valid id matches nothing.
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
			refs = append(refs, refByID(id))
		}
	}
	return refs
}
