package linkace

import (
	"encoding/json"
	"strings"

	"waymark/internal/waymark"
)

// refs returns references to lists or tags, or nil if the field was not sent. Clients send
// them as a string of names separated by commas, or as an array of ids, names and objects
// with an id or a name.
func (b *jsonBody) refs(field string) *[]waymark.Ref {
	if !b.has(field) {
		return nil
	}
	refs := []waymark.Ref{}
	if b.empty(field) {
		return &refs
	}
	raw := b.fields[field]
	var names string
	var items []json.RawMessage
	switch {
	case json.Unmarshal(raw, &names) == nil:
		for name := range strings.SplitSeq(names, ",") {
			refs = appendName(refs, name)
		}
	case json.Unmarshal(raw, &items) == nil:
		for _, item := range items {
			var ok bool
			if refs, ok = appendRef(refs, item); !ok {
				b.fail(field, "The %s must be names, ids, or objects with a name or an id: %s is neither.", fieldLabel(field), excerpt(string(item)))
				return nil
			}
		}
	default:
		b.fail(field, "The %s must be a string or an array.", fieldLabel(field))
		return nil
	}
	if len(refs) > b.limits.MaxListsAndTags {
		b.fail(field, "The %s must not have more than %d items.", fieldLabel(field), b.limits.MaxListsAndTags)
		return nil
	}
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
		if json.Unmarshal(item, &object.fields) != nil {
			return refs, false
		}
		if !object.empty("id") {
			id, ok := integer(object.fields["id"])
			return appendIDRef(refs, id), ok
		}
		name := object.text("name")
		if name == nil {
			return refs, false
		}
		return appendName(refs, *name), true
	}
	id, ok := integer(item)
	return appendIDRef(refs, id), ok
}

// appendIDRef appends a reference by id. An id that is not positive refers to nothing.
func appendIDRef(refs []waymark.Ref, id int64) []waymark.Ref {
	if id > 0 {
		refs = append(refs, waymark.Ref{ID: id})
	}
	return refs
}
