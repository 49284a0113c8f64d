package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// The types in this file are fields of bodies. They accept what LinkAce accepts: "" counts as null, and a number or a
// boolean may be a string. In the errors {field} stands for the name of the field.

// wording is an error of a field in the words of LinkAce.
type wording string

// Error returns the sentence.
func (w wording) Error() string { return string(w) }

// text is a string without surrounding space: nil if it was not sent, "" for null.
type text struct{ value *string }

func (t *text) UnmarshalJSON(raw []byte) error {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil {
		return wording("The {field} must be a string.")
	}
	if s == nil {
		s = new(string)
	}
	t.value = new(strings.TrimSpace(*s))
	return nil
}

// orEmpty returns the text, or "" if it was not sent.
func (t text) orEmpty() string {
	if t.value == nil {
		return ""
	}
	return *t.value
}

// boolean is nil if it was not sent or is null.
type boolean struct{ value *bool }

func (b *boolean) UnmarshalJSON(raw []byte) error {
	switch unquote(raw) {
	case "null", "":
		b.value = nil
	case "true", "1":
		b.value = new(true)
	case "false", "0":
		b.value = new(false)
	default:
		return wording("The {field} field must be true or false.")
	}
	return nil
}

// number is an integer, such as an id.
type number struct {
	value int64
	sent  bool // also as null
	null  bool
}

func (n *number) UnmarshalJSON(raw []byte) error {
	value, ok := integer(raw)
	if !ok && !isEmpty(raw) {
		return wording("The {field} must be a number.")
	}
	*n = number{value, true, !ok}
	return nil
}

// idIn returns the id in a field, zero for null, and nil if it was not sent.
func idIn[T waymark.ID](n number) *T {
	if !n.sent {
		return nil
	}
	return new(T(n.value))
}

// position is the position of a list.
type position struct{ value *int }

func (p *position) UnmarshalJSON(raw []byte) error {
	if isEmpty(raw) {
		return nil
	}
	n, ok := integer(raw)
	if !ok || n < 0 || n > waymark.MaxListPosition {
		return wording(fmt.Sprintf("The {field} must be a number from 0 to %d.", waymark.MaxListPosition))
	}
	p.value = new(int(n))
	return nil
}

// visibility is nil if it was not sent or is null.
type visibility struct{ value *waymark.Visibility }

func (v *visibility) UnmarshalJSON(raw []byte) error {
	if isEmpty(raw) {
		return nil
	}
	n, ok := integer(raw)
	value := waymark.Visibility(n)
	if !ok || n != int64(value) || !value.Valid() {
		return wording("The selected {field} is invalid.")
	}
	v.value = &value
	return nil
}

// status is the status of a link. Invalid values are ignored.
type status struct{ value *waymark.Status }

func (s *status) UnmarshalJSON(raw []byte) error {
	n, ok := integer(raw)
	if value := waymark.Status(n); ok && n == int64(value) && value.Valid() {
		s.value = &value
	}
	return nil
}

// visibilityFields are the visibility in either of its two forms.
type visibilityFields struct {
	Visibility visibility `json:"visibility"`
	IsPrivate  boolean    `json:"is_private"`
}

func (f *visibilityFields) visibility() waymark.VisibilityInput {
	return waymark.VisibilityInput{Visibility: f.Visibility.value, Private: f.IsPrivate.value}
}

type flagFields struct {
	Unread   boolean `json:"unread"`
	Archived boolean `json:"archived"`
	Favorite boolean `json:"favorite"`
}

func (f *flagFields) flags() waymark.FlagsInput {
	return waymark.FlagsInput{Unread: f.Unread.value, Archived: f.Archived.value, Favorite: f.Favorite.value}
}

// word is one of some values: see choose.
type word struct{ value string }

func (w *word) UnmarshalJSON(raw []byte) error {
	w.value = ""
	if !isEmpty(raw) {
		w.value = unquote(raw)
	}
	return nil
}

// errTooMany is the error of an array with more elements than the limit. The rest of the body does not matter then.
type errTooMany int

func (e errTooMany) Error() string {
	return fmt.Sprintf("The {field} must not have more than %d items.", int(e))
}

// unquote returns the content of a JSON string without surrounding space: "7" counts as 7.
func unquote(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(raw)
}

// isEmpty reports whether a value counts as null.
func isEmpty(raw json.RawMessage) bool { return string(raw) == "null" || unquote(raw) == "" }

// integer parses a JSON integer, or a string that contains one.
func integer(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(unquote(raw), 10, 64)
	return n, err == nil
}
