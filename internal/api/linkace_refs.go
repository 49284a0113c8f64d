package api

import (
	"cmp"
	"encoding/json"
	"strings"

	"waymark/internal/waymark"
)

// maxRefs is the maximum number of lists or tags in one field.
const maxRefs = 10_000

// refs returns references to lists or tags, or nil if the field was not sent. Clients send
// them as a string of names separated by commas, or as an array of ids, names and objects
// with an id or a name. An object counts as the array of its values: PHP sends an array
// whose keys are not 0, 1, 2, … as an object.
func (b *jsonBody) refs(field string) *[]waymark.Ref {
	if !b.has(field) {
		return nil
	}
	refs := []waymark.Ref{}
	if b.empty(field) {
		return &refs
	}
	raw := b.fields[field]
	tooMany := func() bool { return len(refs) > maxRefs }
	switch raw[0] {
	case '"':
		for name := range strings.SplitSeq(unquote(raw), ",") {
			if refs = appendName(refs, name); tooMany() {
				break
			}
		}
	case '[', '{':
		for item := range elements(raw) {
			var ok bool
			if refs, ok = appendRef(refs, item); !ok {
				b.fail(field, "The %s must be names, ids, or objects with a name or an id: %s is neither.", fieldLabel(field), excerpt(string(item)))
				return nil
			}
			if tooMany() {
				break
			}
		}
	default:
		b.fail(field, "The %s must be a string or an array.", fieldLabel(field))
		return nil
	}
	if tooMany() {
		b.fail(field, "The %s must not have more than %d items.", fieldLabel(field), maxRefs)
		return nil
	}
	b.refCount += len(refs)
	return &refs
}

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
		object := &jsonBody{}
		if object.fields, ok = objectFields(item); !ok {
			return refs, false
		}
		id, _ := integer(object.fields["id"])
		name := object.text("name")
		if id == 0 && name == nil {
			return refs, false
		}
		if id == 0 {
			return appendName(refs, *name), true
		}
		return append(refs, waymark.Ref{ID: id, Name: waymark.NormalizeName(object.textOrEmpty("name"))}), true
	}
	id, ok := integer(item)
	return append(refs, refByID(id)), ok
}

// refByID returns a reference by id. One to the id zero, which no entity has, is by name.
func refByID(id int64) waymark.Ref { return waymark.Ref{ID: cmp.Or(id, -1)} }
