package httpx

import (
	"bytes"
	"encoding/json"
	"iter"
	"net/http"
)

// JSONType is the media type of JSON.
const JSONType = "application/json"

// EncodeJSON appends the JSON of value to b. As in LinkAce and linkding, <, > and & are not escaped.
func EncodeJSON(b *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n")) // which Encode adds
	return nil
}

// WriteJSON writes a response with the JSON of EncodeJSON.
func WriteJSON(w http.ResponseWriter, status int, value any) error {
	var b bytes.Buffer
	if err := EncodeJSON(&b, value); err != nil {
		return err
	}
	WriteBody(w, status, JSONType, b.Bytes())
	return nil
}

// Object is a JSON object whose members are in this order. EncodeJSON encodes the values.
type Object []Member

// Member is a name and a value in an Object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := m.Encode(b); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Encode appends the name and the value, with a colon between them.
func (m Member) Encode(b *bytes.Buffer) error {
	if err := EncodeJSON(b, m.Name); err != nil {
		return err
	}
	b.WriteByte(':')
	return EncodeJSON(b, m.Value)
}

// WithoutErrors yields the elements of a slice, for StreamJSON.
func WithoutErrors[T any](elements []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, element := range elements {
			if !yield(element, nil) {
				return
			}
		}
	}
}

// End returns an end for StreamJSON that is always the same.
func End(text string) func(int) (string, error) {
	return func(int) (string, error) { return text, nil }
}

// StreamJSON streams the JSON of elements, with commas between them, from the text begin to the text that end
// returns for the number of elements.
func StreamJSON[T any](w http.ResponseWriter, begin string, elements iter.Seq2[T, error], encode func(*bytes.Buffer, T) error, end func(n int) (string, error)) error {
	out := NewStreamWriter(w, JSONType)
	send := func() error {
		b := bytes.NewBufferString(begin)
		separator, n := "", 0
		for element, err := range elements {
			if err != nil {
				return err
			}
			b.WriteString(separator)
			separator, n = ",", n+1
			if err := encode(b, element); err != nil {
				return err
			}
			if _, err := out.Write(b.Bytes()); err != nil {
				return err
			}
			b.Reset()
		}
		text, err := end(n)
		if err != nil {
			return err
		}
		b.WriteString(text)
		_, err = out.Write(b.Bytes())
		return err
	}
	return out.Close(send())
}
