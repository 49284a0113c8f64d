package api

import (
	"bytes"
	"iter"
	"net/http"
	"strings"

	"waymark/internal/httpx"
)

// writePage returns a function that writes a page of a listing within LinkAce's envelope. encode returns
// what encoding/json encodes for an entity; its first argument is API.prefix.
func writePage[T, J any](a *API, w http.ResponseWriter, r *http.Request, q *params, page pageRequest, encode func(string, *T) J) func(int, iter.Seq2[T, error]) error {
	return func(total int, entities iter.Seq2[T, error]) error {
		e := newEnvelope(a.base(r)+r.URL.Path, q, page, total)
		// LinkActor decodes per_page strictly as an integer.
		e.perPageIsNumber = strings.HasPrefix(r.UserAgent(), "LinkActor")
		var b bytes.Buffer
		if err := httpx.EncodeJSON(&b, e.json()); err != nil {
			return err
		}
		begin, end, _ := strings.Cut(b.String(), "[]") // where the entities are
		return writeStream(a, w, r, begin+"[", entities, encodeWith(a.prefix(r), encode), "]"+end)
	}
}

// writeArray returns a function that writes a listing as a plain array.
func writeArray[T, J any](a *API, w http.ResponseWriter, r *http.Request, encode func(string, *T) J) func(int, iter.Seq2[T, error]) error {
	return func(_ int, entities iter.Seq2[T, error]) error {
		return writeStream(a, w, r, "[", entities, encodeWith(a.prefix(r), encode), "]")
	}
}

func encodeWith[T, J any](prefix string, encode func(string, *T) J) func(*bytes.Buffer, *T) error {
	return func(b *bytes.Buffer, entity *T) error { return httpx.EncodeJSON(b, encode(prefix, entity)) }
}

// writeEntity writes one entity.
func writeEntity[T, J any](a *API, w http.ResponseWriter, r *http.Request, entity *T, encode func(string, *T) J) error {
	return writeValue(w, http.StatusOK, encode(a.prefix(r), entity))
}

// writeStream streams entities with commas between them, after the text begin and before the text end.
func writeStream[T any](a *API, w http.ResponseWriter, r *http.Request, begin string, entities iter.Seq2[T, error], encode func(*bytes.Buffer, *T) error, end string) error {
	out := httpx.NewStreamWriter(w, "application/json")
	send := func() error {
		b := bytes.NewBufferString(begin)
		first := true
		for entity, err := range entities {
			if err != nil {
				return err
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			if err := encode(b, &entity); err != nil {
				return err
			}
			if _, err := out.Write(b.Bytes()); err != nil {
				return err
			}
			b.Reset()
		}
		b.WriteString(end)
		_, err := out.Write(b.Bytes())
		return err
	}
	return out.Close(send())
}
