package api

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// has reports whether a field was sent, even if it is null.
func (b *jsonBody) has(field string) bool {
	_, ok := b.fields[field]
	return ok
}

// empty reports whether a field counts as null: not sent, null, or an empty string.
func (b *jsonBody) empty(field string) bool {
	raw := b.fields[field]
	return string(raw) == "null" || unquote(raw) == ""
}

// text returns a string without surrounding space: nil if it was not sent, "" for null.
func (b *jsonBody) text(field string) *string {
	raw, ok := b.fields[field]
	if !ok {
		return nil
	}
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil {
		b.fail(field, "The %s must be a string.", fieldLabel(field))
		return nil
	}
	if s == nil {
		return new(string)
	}
	*s = strings.TrimSpace(*s)
	return s
}

// textOrEmpty returns a string, or "" if the field was not sent.
func (b *jsonBody) textOrEmpty(field string) string {
	if s := b.text(field); s != nil {
		return *s
	}
	return ""
}

// boolean returns a boolean, or nil if the field is empty.
func (b *jsonBody) boolean(field string) *bool {
	if b.empty(field) {
		return nil
	}
	var value bool
	switch unquote(b.fields[field]) {
	case "true", "1":
		value = true
	case "false", "0":
	default:
		b.fail(field, "The %s field must be true or false.", fieldLabel(field))
		return nil
	}
	return &value
}

// flags returns the flags that were sent.
func (b *jsonBody) flags() waymark.FlagsInput {
	return waymark.FlagsInput{Unread: b.boolean("unread"), Archived: b.boolean("archived"), Favorite: b.boolean("favorite")}
}

// unquote returns the content of a JSON string without surrounding space: "7" counts as 7.
func unquote(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(raw)
}

// integer parses a JSON integer, or a string that contains one.
func integer(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(unquote(raw), 10, 64)
	return n, err == nil
}

// id returns a required id, or zero if it is missing or not a number.
func (b *jsonBody) id(field string) int64 {
	if b.empty(field) {
		b.fail(field, "The %s field is required.", fieldLabel(field))
		return 0
	}
	n, ok := integer(b.fields[field])
	if !ok {
		b.fail(field, "The %s must be a number.", fieldLabel(field))
	}
	return n
}

// optionalID returns an id, zero if the field is empty, and nil if it was not sent or is not a number.
func (b *jsonBody) optionalID(field string) *int64 {
	if !b.has(field) {
		return nil
	}
	if b.empty(field) {
		return new(int64)
	}
	n, ok := integer(b.fields[field])
	if !ok {
		b.fail(field, "The %s must be a number.", fieldLabel(field))
		return nil
	}
	return &n
}

// enum returns a required string, which must be in values, or "".
func (b *jsonBody) enum(field string, values ...string) string {
	if b.empty(field) {
		b.fail(field, "The %s field is required.", fieldLabel(field))
		return ""
	}
	s := unquote(b.fields[field])
	if !slices.Contains(values, s) {
		b.fail(field, "The selected %s is invalid.", fieldLabel(field))
		return ""
	}
	return s
}

// visibility returns a visibility, or nil if the field is empty.
func (b *jsonBody) visibility() *waymark.Visibility { return b.visibilityOf("visibility") }

// visibilityOf returns the visibility in a field, or nil if the field is empty.
func (b *jsonBody) visibilityOf(field string) *waymark.Visibility {
	if b.empty(field) {
		return nil
	}
	n, ok := integer(b.fields[field])
	v := waymark.Visibility(n)
	if !ok || n != int64(v) || !v.Valid() {
		b.fail(field, "The selected %s is invalid.", fieldLabel(field))
		return nil
	}
	return &v
}

// visibilityInput returns the visibility in either of its two forms.
func (b *jsonBody) visibilityInput() waymark.VisibilityInput {
	return waymark.VisibilityInput{Visibility: b.visibility(), Private: b.boolean("is_private")}
}

// status returns the status of a link. Invalid values are ignored.
func (b *jsonBody) status() *waymark.Status {
	n, ok := integer(b.fields["status"])
	s := waymark.Status(n)
	if !ok || n != int64(s) || !s.Valid() {
		return nil
	}
	return &s
}

// ids returns the required models of a bulk edit or delete, without duplicates.
func (b *jsonBody) ids() []int64 {
	var ids []int64
	seen := map[int64]bool{}
	for _, raw := range b.array("models") {
		id, ok := integer(raw)
		if !ok {
			b.fail("models", "The models must be numbers: %s is none.", excerpt(string(raw)))
			return nil
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// models yields the required models of a bulk create one by one.
func (b *jsonBody) models() iter.Seq[*jsonBody] {
	return func(yield func(*jsonBody) bool) {
		for i, raw := range b.array("models") {
			model := &jsonBody{limits: b.limits, prefix: modelPath(i, "")}
			var ok bool
			if raw[0] != '{' {
				model.errors.add("models."+strconv.Itoa(i), "The models.%d must be an object.", i)
			} else if model.fields, ok = objectFields(raw); !ok {
				model.errors.add("models."+strconv.Itoa(i), "The models.%d must not have more than %d fields.", i, maxFields)
			}
			if !yield(model) {
				return
			}
		}
	}
}

// array yields the elements of a required array that must not be empty. If the array has more than
// BulkLimit elements, the others are not decoded, and the response reports only this error.
func (b *jsonBody) array(field string) iter.Seq2[int, json.RawMessage] {
	return func(yield func(int, json.RawMessage) bool) {
		raw := b.fields[field]
		if !b.empty(field) && raw[0] != '[' {
			b.fail(field, "The %s must be an array.", fieldLabel(field))
			return
		}
		n := 0
		for element := range elements(raw) {
			if n == b.limits.BulkLimit {
				b.errors = nil
				b.fail(field, "The %s must not have more than %d items.", fieldLabel(field), b.limits.BulkLimit)
				return
			}
			if !yield(n, element) {
				return
			}
			n++
		}
		if n == 0 {
			b.fail(field, "The %s field is required.", fieldLabel(field))
		}
	}
}
