package api

import (
	"bytes"
	"encoding/json"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// encoding/json would copy each part of a body, which may have many megabytes. The functions in this
// file yield parts of valid JSON in place.

// newScanner returns a decoder of valid JSON.
func newScanner(raw json.RawMessage) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// nextValue returns the next value of d, a scanner of raw, as a part of raw.
func nextValue(raw json.RawMessage, d *jsontext.Decoder) (json.RawMessage, error) {
	value, err := d.ReadValue()
	end := int(d.InputOffset())
	return raw[end-len(value) : end : end], err
}

// members yields the names and values of a JSON object in order.
func members(object json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		d := newScanner(object)
		_, err := d.ReadToken() // the brace
		for err == nil && d.PeekKind() != '}' {
			var name jsontext.Token
			if name, err = d.ReadToken(); err != nil {
				return
			}
			text := name.String() // before the next read
			var value json.RawMessage
			if value, err = nextValue(object, d); err != nil || !yield(text, value) {
				return
			}
		}
	}
}

// elements yields the elements of a JSON array, or the values of a JSON object, in order.
func elements(raw json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if len(raw) > 0 && raw[0] == '{' {
			for _, value := range members(raw) {
				if !yield(value) {
					return
				}
			}
			return
		}
		d := newScanner(raw)
		begin, err := d.ReadToken()
		for err == nil && begin.Kind() == '[' && d.PeekKind() != ']' {
			var value json.RawMessage
			if value, err = nextValue(raw, d); err != nil || !yield(value) {
				return
			}
		}
	}
}
