package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// Guard admits the requests of the clients of an API: it finds the user of an API key, and limits how many
// requests a user, or a client without a valid key, can send.
type Guard struct {
	// Authenticate returns the user of an API key, or waymark.ErrNotFound.
	Authenticate func(ctx context.Context, secret string) (waymark.User, waymark.APIKey, error)
	Users        *httpx.UserLimit
	Guests       *httpx.GuestLimit
	Memory       *httpx.Memory

	tooMany error // the error of a request beyond a limit
}

// user returns the user of an API key and the key. It returns unknown if there is no such key.
func (g *Guard) user(w http.ResponseWriter, r *http.Request, route, secret string, unknown error) (waymark.User, waymark.APIKey, error) {
	user, key, err := g.Authenticate(r.Context(), secret)
	if errors.Is(err, waymark.ErrNotFound) {
		return user, key, g.limitGuest(w, r, unknown)
	}
	if err != nil {
		return user, key, err
	}
	httpx.SetRoute(r.Context(), route, user)
	httpx.SetAPIKey(r.Context(), key.Name)
	if g.Users.Exceeded(w, r, user.ID) {
		err = g.tooMany
	}
	return user, key, err
}

// limitGuest counts a request that needs no key, has no valid key, or has an unknown path or method. It
// returns err, or tooMany. The rest of the body of a refused request must arrive soon.
func (g *Guard) limitGuest(w http.ResponseWriter, r *http.Request, err error) error {
	if g.Guests.Exceeded(w, r) {
		err = g.tooMany
	}
	if err != nil {
		httpx.HurryBody(w)
	}
	return err
}

// prepare sets the headers of all responses, responds to preflight requests and removes a trailing slash.
// ServeMux would redirect requests for some paths, and clients do not send the body again: those are not found.
func (f *front[A]) prepare(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		SetHeaders(w.Header())
		if r.Method == http.MethodOptions {
			preflight(w, r)
			return
		}
		r = httpx.WithoutSlash(r)
		if path := r.URL.Path; path == "" || strings.Contains(path, "//") || strings.Contains(path, "/.") {
			f.notFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// ParseID returns the id that a part of a path names, or waymark.ErrNotFound if it is not the text of an id.
func ParseID[T waymark.ID](text string) (T, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 || text[0] == '+' {
		return 0, waymark.ErrNotFound
	}
	return T(id), nil
}

// SetHeaders sets the headers that every response to API clients has: those for CORS and caches.
func SetHeaders(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["Cache-Control"] = noCache
}

// Header values that all responses share. They must not be modified.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{"ETag, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"}
	noCache   = []string{"no-cache, private"}
)

// preflight allows requests of any site with any method and header. This is safe because
// each request needs an API key, which browsers do not send on their own.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	httpx.AddVary(h, "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "authorization, content-type, accept")
	if requested := r.Header.Get("Access-Control-Request-Headers"); requested != "" {
		h.Set("Access-Control-Allow-Headers", requested)
	}
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}
