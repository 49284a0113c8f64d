package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// maxRefs is the maximum number of lists or tags in one field.
const maxRefs = 10_000

// refs are references to lists or tags, nil if the field was not sent. Clients send them as a string of names separated
// by commas, or as an array of ids, names and objects with an id or a name. An object counts as the array of its
// values: PHP sends an array whose keys are not 0, 1, 2, … as an object.
type refs struct{ value *[]waymark.Ref }

// refs returns the references, nil if there are none.
func (r *refs) refs() []waymark.Ref {
	if r.value == nil {
		return nil
	}
	return *r.value
}

func (r *refs) UnmarshalJSON(raw []byte) error {
	found := []waymark.Ref{}
	switch {
	case isEmpty(raw):
	case raw[0] == '"':
		for name := range strings.SplitSeq(unquote(raw), ",") {
			if found = appendName(found, name); len(found) > maxRefs {
				return errTooManyRefs
			}
		}
	case raw[0] == '[', raw[0] == '{':
		for item := range rest.Elements(raw) {
			var ok bool
			if found, ok = appendRef(found, item); !ok {
				return wording("The {field} must be names, ids, or objects with a name or an id: " + rest.Excerpt(string(item)) + " is neither.")
			}
			if len(found) > maxRefs {
				return errTooManyRefs
			}
		}
	default:
		return wording("The {field} must be a string or an array.")
	}
	r.value = &found
	return nil
}

var errTooManyRefs = wording(fmt.Sprintf("The {field} must not have more than %d items.", maxRefs))

func appendName(refs []waymark.Ref, name string) []waymark.Ref {
	if name = waymark.NormalizeName(name); name != "" {
		refs = append(refs, waymark.Ref{Name: name})
	}
	return refs
}

// appendRef appends the reference in one element of an array: an id, a name, or an object.
func appendRef(refs []waymark.Ref, item json.RawMessage) (_ []waymark.Ref, ok bool) {
	switch item[0] {
	case 'n': // null
		return refs, true
	case '"':
		var name string
		err := json.Unmarshal(item, &name)
		return appendName(refs, name), err == nil
	case '{':
		var ref struct {
			ID   number `json:"id"`
			Name text   `json:"name"`
		}
		(&mistakes{}).decode(item, &ref) // what cannot be decoded counts as missing
		switch {
		case ref.ID.value != 0:
			return append(refs, waymark.Ref{ID: ref.ID.value, Name: waymark.NormalizeName(ref.Name.orEmpty())}), true
		case ref.Name.value == nil:
			return refs, false
		}
		return appendName(refs, ref.Name.orEmpty()), true
	}
	id, ok := integer(item)
	return append(refs, refByID(id)), ok
}

// refByID returns a reference by id. One to the id zero, which no entity has, is by name.
func refByID(id int64) waymark.Ref { return waymark.Ref{ID: cmp.Or(id, -1)} }
