package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// params are the parameters in the query of a request.
type params struct {
	sent   url.Values
	errors fieldErrors
}

func queryParams(r *http.Request) *params {
	return &params{sent: httpx.ParseQuery(r.URL.RawQuery)}
}

// text returns a parameter without surrounding space, or "" if it is missing. The last one counts if
// it was sent several times, as in PHP.
func (p *params) text(name string) string {
	values := p.sent[name]
	if len(values) == 0 {
		return ""
	}
	return strings.TrimSpace(httpx.ReplaceInvalid(values[len(values)-1]))
}

// bool returns a boolean: true unless the value is one for false. Some clients send the text.
func (p *params) bool(name string) bool {
	switch strings.ToLower(p.text(name)) {
	case "", "0", "false", "off", "no":
		return false
	}
	return true
}

// flags returns the flags that links must have, or must not have. An empty parameter stands for both.
func (p *params) flags() waymark.FlagsInput {
	flag := func(name string) *bool {
		if p.text(name) == "" {
			return nil
		}
		on := p.bool(name)
		return &on
	}
	return waymark.FlagsInput{Unread: flag("unread"), Archived: flag("archived"), Favorite: flag("favorite")}
}

// is reports whether a parameter has this value in any case.
func (p *params) is(name, value string) bool { return strings.EqualFold(p.text(name), value) }

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

// result returns the result of the last check to search for, or waymark.CheckNone for any.
func (p *params) result() waymark.CheckResult {
	name := strings.ToLower(p.text("check"))
	if name == "" {
		return waymark.CheckNone
	}
	v, ok := waymark.ParseCheckResult(name)
	if !ok {
		p.errors.add("check", "The selected check is invalid.")
	}
	return v
}

// refs returns the lists or tags in a parameter: ids and names, separated by commas or in a
// JSON array. A number that is not a valid id matches nothing.
func (p *params) refs(name string) []waymark.Ref {
	var refs []waymark.Ref
	seen := map[waymark.Ref]bool{}
	for _, value := range arrayValues(p.sent, name) {
		for _, item := range p.items(name, value) {
			item = waymark.NormalizeName(httpx.ReplaceInvalid(item))
			if item == "" {
				continue
			}
			ref := waymark.Ref{Name: item}
			if id, err := strconv.ParseInt(item, 10, 64); !errors.Is(err, strconv.ErrSyntax) {
				ref = refByID(id)
			}
			if !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// items splits a value at its commas, or returns the numbers and strings in a JSON array.
func (p *params) items(name, value string) []string {
	var array []json.RawMessage
	if json.Unmarshal([]byte(value), &array) != nil || array == nil { // or it is null, which is a name
		return strings.Split(value, ",")
	}
	var items []string
	for _, item := range array {
		_, isInteger := integer(item)
		switch {
		case string(item) == "null":
		case isInteger, item[0] == '"':
			items = append(items, unquote(item))
		default:
			p.errors.add(name, "The %s must be ids or names: %s is neither.", fieldLabel(name), rest.Excerpt(string(item)))
		}
	}
	return items
}
