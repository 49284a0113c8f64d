package httpx

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// Guard admits the requests of the clients of an API: it finds the user of an API key, and limits how many
// requests a user, or a client without a valid key, can send.
type Guard struct {
	// Authenticate returns the user of an API key, or waymark.ErrNotFound.
	Authenticate func(ctx context.Context, secret string) (waymark.User, waymark.APIKey, error)
	Users        *UserLimit
	Guests       *GuestLimit
	Memory       *Memory
	TooMany      error // the error of a request beyond a limit
}

// User returns the user of an API key and the key. It returns unknown if there is no such key.
func (g *Guard) User(w http.ResponseWriter, r *http.Request, route, secret string, unknown error) (waymark.User, waymark.APIKey, error) {
	user, key, err := g.Authenticate(r.Context(), secret)
	if errors.Is(err, waymark.ErrNotFound) {
		return user, key, g.LimitGuest(w, r, unknown)
	}
	if err != nil {
		return user, key, err
	}
	SetRoute(r.Context(), route, user)
	SetAPIKey(r.Context(), key.Name)
	if g.Users.Exceeded(w, r, user.ID) {
		err = g.TooMany
	}
	return user, key, err
}

// LimitGuest counts a request that needs no key, has no valid key, or has an unknown path or method. It
// returns err, or TooMany. The rest of the body of a refused request must arrive soon.
func (g *Guard) LimitGuest(w http.ResponseWriter, r *http.Request, err error) error {
	if g.Guests.Exceeded(w, r) {
		err = g.TooMany
	}
	if err != nil {
		HurryBody(w)
	}
	return err
}

// APIHandler is the middleware of an API. It sets the headers of all responses, responds to preflight requests
// and removes a trailing slash. ServeMux would redirect requests for some paths, and clients do not send the
// body again: those get notFound.
func APIHandler(mux http.Handler, isPreflight func(*http.Request) bool, notFound http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		SetAPIHeaders(w.Header())
		if isPreflight(r) {
			preflight(w, r)
			return
		}
		r = WithoutSlash(r)
		if path := r.URL.Path; path == "" || strings.Contains(path, "//") || strings.Contains(path, "/.") {
			notFound(w, r)
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

// SetAPIHeaders sets the headers that every response to API clients has: those for CORS and caches.
func SetAPIHeaders(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["Cache-Control"] = noCache
}

// Header values that all responses share. They must not be modified.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{"Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"}
	noCache   = []string{"no-cache, private"}
)

// IsPreflight reports whether a browser asks whether a page of another site may send a request.
func IsPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != ""
}

// preflight allows requests of any site with any method and header. This is safe because
// each request needs an API key, which browsers do not send on their own.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "authorization, content-type, accept")
	if requested := r.Header.Get("Access-Control-Request-Headers"); requested != "" {
		h.Set("Access-Control-Allow-Headers", requested)
	}
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}
