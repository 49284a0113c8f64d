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
		begin, _, err := e.split()
		if err != nil {
			return err
		}
		return httpx.StreamJSON(w, begin, entities, encodeWith(a.prefix(r), encode), func(sent int) (string, error) {
			e.correct(sent)
			_, end, err := e.split()
			return end, err
		})
	}
}

// split returns the JSON before and after the entities of a page.
func (e *envelope) split() (before, after string, err error) {
	var b bytes.Buffer
	err = httpx.EncodeJSON(&b, e.json())
	before, after, _ = strings.Cut(b.String(), "[]")
	return before + "[", "]" + after, err
}

// writeArray returns a function that writes a listing as a plain array.
func writeArray[T, J any](a *API, w http.ResponseWriter, r *http.Request, encode func(string, *T) J) func(int, iter.Seq2[T, error]) error {
	return func(_ int, entities iter.Seq2[T, error]) error {
		return httpx.StreamJSON(w, "[", entities, encodeWith(a.prefix(r), encode), httpx.End("]"))
	}
}

func encodeWith[T, J any](prefix string, encode func(string, *T) J) func(*bytes.Buffer, T) error {
	var current T // these two are allocated once
	var encoded J
	return func(b *bytes.Buffer, entity T) error {
		current = entity
		encoded = encode(prefix, &current)
		return httpx.EncodeJSON(b, &encoded)
	}
}

func writeEntity[T, J any](a *API, w http.ResponseWriter, r *http.Request, entity *T, encode func(string, *T) J) error {
	return httpx.WriteJSON(w, http.StatusOK, encode(a.prefix(r), entity))
}
