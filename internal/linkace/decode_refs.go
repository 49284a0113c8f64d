package linkace

import (
	"encoding/json"
	"strings"

	"waymark/internal/waymark"
)

// refs returns the lists or tags that a field names, nil where it is not sent. They
// come as a text of names with commas between them, or as an array of ids, names
// and objects that have either.
func (f *jsonBody) refs(field string) *[]waymark.Ref {
	if !f.has(field) {
		return nil
	}
	refs := []waymark.Ref{}
	if f.empty(field) {
		return &refs
	}
	raw := f.fields[field]
	var text string
	var items []json.RawMessage
	switch {
	case json.Unmarshal(raw, &text) == nil:
		for name := range strings.SplitSeq(text, ",") {
			refs = addName(refs, name)
		}
	case json.Unmarshal(raw, &items) == nil:
		for _, item := range items {
			var ok bool
			if refs, ok = addItem(refs, item); !ok {
				f.problem(field, "The %s must be names, ids, or objects with a name or an id: %s is neither.", fieldLabel(field), excerpt(string(item)))
				return nil
			}
		}
	default:
		f.problem(field, "The %s must be a string or an array.", fieldLabel(field))
		return nil
	}
	if len(refs) > f.limits.MaxListsAndTags {
		f.problem(field, "The %s must not have more than %d items.", fieldLabel(field), f.limits.MaxListsAndTags)
		return nil
	}
	return &refs
}

func addName(refs []waymark.Ref, name string) []waymark.Ref {
	if name = waymark.NormalizeName(name); name != "" {
		refs = append(refs, waymark.Ref{Name: name})
	}
	return refs
}

// addItem adds what one element of an array names: an id, a name, or an object.
func addItem(refs []waymark.Ref, item json.RawMessage) (_ []waymark.Ref, ok bool) {
	switch item[0] {
	case 'n': // null
		return refs, true
	case '"':
		var name string
		err := json.Unmarshal(item, &name)
		return addName(refs, name), err == nil
	case '{':
		object := &jsonBody{}
		if json.Unmarshal(item, &object.fields) != nil {
			return refs, false
		}
		if !object.empty("id") {
			id, ok := integer(object.fields["id"])
			return addID(refs, id), ok
		}
		name := object.text("name")
		if name == nil {
			return refs, false
		}
		return addName(refs, *name), true
	}
	id, ok := integer(item)
	return addID(refs, id), ok
}

// addID adds an id. One that no entry can have points at nothing.
func addID(refs []waymark.Ref, id int64) []waymark.Ref {
	if id > 0 {
		refs = append(refs, waymark.Ref{ID: id})
	}
	return refs
}
