package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// This file implements the Idempotency-Key header of
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ for POST
// requests.

// maxIdempotencyKey is the maximum length of a key in bytes.
const maxIdempotencyKey = 255

// idempotencyKey returns the key of a request, or "" if it has none. The draft requires
// quotation marks; many clients send the key without them, which is the same key.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(values[0])
	if quoted, ok := strings.CutPrefix(key, `"`); ok {
		if key, ok = strings.CutSuffix(quoted, `"`); !ok {
			key = ""
		}
	}
	invalid := func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }
	if len(values) > 1 || key == "" || len(key) > maxIdempotencyKey || strings.ContainsFunc(key, invalid) {
		return "", statusError{http.StatusBadRequest, fmt.Sprintf(
			"The Idempotency-Key %s is invalid: send one, of 1 to %d printable ASCII characters, such as a UUID.", excerpt(strings.Join(values, ", ")), maxIdempotencyKey)}
	}
	return key, nil
}

// largeResponse is the size of a response in bytes above which memory is reserved for it.
const largeResponse = 128 << 10

// keyedBody is the body of a request with an idempotency key. It computes the hash of what
// is requested while the body is read.
type keyedBody struct {
	io.ReadCloser
	key  string
	hash hash.Hash
}

// withKeyedBody returns r with a keyedBody if it has an idempotency key.
func withKeyedBody(r *http.Request) (*http.Request, error) {
	key, err := idempotencyKey(r)
	if err != nil || key == "" {
		return r, err
	}
	body := &keyedBody{ReadCloser: r.Body, key: key, hash: sha256.New()}
	fmt.Fprintf(body.hash, "%s %s\n", r.Method, r.URL.Path)
	keyed := *r
	keyed.Body = body
	return &keyed, nil
}

// Read implements io.Reader.
func (b *keyedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.hash.Write(p[:n])
	return n, err
}

// add is the operation of a POST request. It returns the new entities.
type add[T any] func(ctx context.Context, s *service.Service) (store.Changed[T], error)

// addOne calls add and writes the new entity: see addEntities.
func addOne[T any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User, add func(context.Context, *service.Service) (T, error), write appendEntity[T]) error {
	return addEntities(a, w, r, user, false, func(ctx context.Context, s *service.Service) (store.Changed[T], error) {
		entity, err := add(ctx, s)
		return store.ChangedInMemory([]T{entity}), err
	}, write)
}

// addEntities calls add and writes the new entities: an array if bulk is set, otherwise the one
// entity. If the request has an idempotency key, it calls add only once for the key. The caller must
// have read the body of the request.
func addEntities[T any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User, bulk bool, add add[T], write appendEntity[T]) error {
	if keyed, ok := r.Body.(*keyedBody); ok {
		return addOnce(a, w, r, user, keyed, bulk, add, write)
	}
	added, err := add(r.Context(), a.service)
	switch {
	case err != nil:
		return err
	case bulk:
		return added.Stream(r.Context(), writeArray(a, w, r, write))
	}
	return added.Stream(r.Context(), func(_ int, entities iter.Seq2[T, error]) error {
		for entity, err := range entities {
			if err != nil {
				return err
			}
			return writeEntity(a, w, r, &entity, write)
		}
		return nil
	})
}

// addOnce is addEntities for a request with an idempotency key. Repeated requests get the same
// response, including responses that report an error of the client.
func addOnce[T any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User, keyed *keyedBody, bulk bool, add add[T], write appendEntity[T]) error {
	if bulk { // the whole response is in memory until the client has received it
		if err := httpx.Reserve(w, int64(a.settings.IdempotencyBytes)); err != nil {
			return err
		}
	}
	request := store.OnceRequest{User: user.ID, Key: keyed.key, Hash: [sha256.Size]byte(keyed.hash.Sum(nil)), Bulk: bulk}
	response, err := a.service.Once(r.Context(), request, func(ctx context.Context, s *service.Service) (store.Response, error) {
		added, err := add(ctx, s)
		switch {
		case err == nil:
			e := &encoder{prefix: a.prefix(r), viewer: user.ID}
			body, err := appendAll(ctx, a, e, added, bulk, write)
			return store.Response{Status: http.StatusOK, Body: body, Others: e.others}, err
		case !isMistake(err):
			return store.Response{}, err
		}
		var buffer responseBuffer
		a.handleError(&buffer, r, err)
		return buffer.Response, nil
	})
	if err != nil {
		return idempotencyError(w, err)
	}
	if len(response.Body) > largeResponse { // of a link with many lists
		if err := httpx.Reserve(w, int64(len(response.Body))); err != nil {
			return err // the client can repeat the request
		}
	}
	writeBody(w, response.Status, response.Body)
	return nil
}

// appendAll returns the JSON of entities, an array if bulk is set, or store.ErrResponseTooLarge.
func appendAll[T any](ctx context.Context, a *API, e *encoder, added store.Changed[T], bulk bool, write appendEntity[T]) (b []byte, err error) {
	if bulk {
		b = append(b, '[')
	}
	i := 0
	err = added.Stream(ctx, func(_ int, entities iter.Seq2[T, error]) error {
		for entity, err := range entities {
			if err != nil {
				return err
			}
			b = write(comma(b, i), e, &entity)
			i++
			if len(b) > int(a.settings.IdempotencyBytes) {
				return store.ErrResponseTooLarge
			}
		}
		return nil
	})
	if bulk {
		b = append(b, ']')
	}
	return b, err
}

// idempotencyError returns the response for an error of service.Once.
func idempotencyError(w http.ResponseWriter, err error) error {
	var problems fieldErrors
	switch {
	case errors.Is(err, store.ErrKeyInProgress):
		w.Header().Set("Retry-After", "1")
		return statusError{http.StatusConflict, "A request with this Idempotency-Key is in progress. Please try again soon."}
	case errors.Is(err, store.ErrResponseEmptied):
		problems.add("idempotency_key", "The request with this Idempotency-Key was carried out before. Its response is no longer stored, because it contained a list or tag that is no longer visible to you.")
		return problems
	case errors.Is(err, store.ErrKeyReused):
		problems.add("idempotency_key", "The Idempotency-Key was sent with another request before: use a new key for each request.")
		return problems
	case errors.Is(err, store.ErrResponseTooLarge):
		problems.add("idempotency_key", "The response would be too large to be stored for the Idempotency-Key: add fewer entities at once, or send no key.")
		return problems
	}
	return err
}

// isMistake reports whether err is an error of the client. Responses for such errors are stored.
func isMistake(err error) bool {
	var status statusError
	var fields fieldErrors
	var invalid *waymark.ValidationError
	return errors.As(err, &status) && status.status < http.StatusInternalServerError ||
		errors.As(err, &fields) || errors.As(err, &invalid) ||
		errors.Is(err, waymark.ErrNotFound) || errors.Is(err, waymark.ErrForbidden)
}

// responseBuffer is a ResponseWriter that keeps the response.
type responseBuffer struct {
	store.Response
	header http.Header
}

// Header implements http.ResponseWriter.
func (b *responseBuffer) Header() http.Header {
	if b.header == nil {
		b.header = http.Header{}
	}
	return b.header
}

// WriteHeader implements http.ResponseWriter.
func (b *responseBuffer) WriteHeader(status int) { b.Status = status }

// Write implements http.ResponseWriter.
func (b *responseBuffer) Write(p []byte) (int, error) {
	b.Body = append(b.Body, p...)
	return len(p), nil
}
