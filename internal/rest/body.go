package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"waymark/internal/httpx"
)

// ReadBody reads the body of a request up to limit bytes. Its errors are ErrIncomplete and those for which the
// front has a status.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := httpx.ReadBody(w, r, limit)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err == nil || tooLarge || errors.Is(err, httpx.ErrNoMemory) {
		return body, err
	}
	return nil, ErrIncomplete
}

// byteOrderMark at the beginning of a body is ignored, as RFC 8259, section 8.1, permits.
var byteOrderMark = []byte("\ufeff")

// Value returns the JSON value in a body without white space around it, nil if there is none. The error says what
// is wrong in it, and where.
func Value(body []byte) (json.RawMessage, error) {
	value := bytes.TrimPrefix(body, byteOrderMark)
	begin := len(body) - len(value)
	if at := invalidUTF8(value); at >= 0 {
		return nil, fmt.Errorf("invalid UTF-8 at byte %d", begin+at+1)
	}
	if len(bytes.TrimSpace(value)) == 0 {
		return nil, nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(value, new(ignored))); ok {
		return nil, fmt.Errorf("%w at byte %d", syntax, int64(begin)+syntax.Offset)
	}
	return bytes.TrimSpace(value), nil
}

// ignored is a JSON value that is checked but not decoded.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }

// invalidUTF8 returns the offset of the first invalid byte, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// Decode decodes the members of a JSON object into the fields of a struct with their names in the tag json, of
// which the last counts if there are several. Unknown ones are ignored. decode is called for each field that was
// sent, in the order of the struct.
func Decode(object json.RawMessage, into any, decode func(name string, field json.Unmarshaler, value json.RawMessage)) {
	fields := fieldsOf(reflect.ValueOf(into).Elem(), nil)
	for name, value := range Members(object) {
		for i := range fields {
			if fields[i].name == name {
				fields[i].value = value
			}
		}
	}
	for _, f := range fields {
		if f.value != nil {
			decode(f.name, f.field, f.value)
		}
	}
}

type field struct {
	name  string
	field json.Unmarshaler
	value json.RawMessage // nil if it was not sent
}

// fieldsOf appends the fields of a struct and those of its embedded structs.
func fieldsOf(of reflect.Value, fields []field) []field {
	for i := range of.NumField() {
		name := of.Type().Field(i).Tag.Get("json")
		if name == "" {
			fields = fieldsOf(of.Field(i), fields)
			continue
		}
		fields = append(fields, field{name: name, field: of.Field(i).Addr().Interface().(json.Unmarshaler)})
	}
	return fields
}

// encoding/json would copy each part of a body, which may have many megabytes. The functions below yield parts of
// valid JSON in place.

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

// Members yields the names and values of a JSON object in order.
func Members(object json.RawMessage) iter.Seq2[string, json.RawMessage] {
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

// Elements yields the elements of a JSON array, or the values of a JSON object, in order.
func Elements(raw json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if len(raw) > 0 && raw[0] == '{' {
			for _, value := range Members(raw) {
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
