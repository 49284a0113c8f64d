// Package rest is the front of the APIs for other programs. It finds the route and the user of a request,
// checks the access of the API key, reads bodies of JSON, and writes the responses for errors. Each API has a
// table of routes and a Dialect: the words in which its errors are sent.
package rest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// Route is one operation of the API A. HEAD is handled by GET routes. Its path has no slash at the end;
// requests may have one.
type Route[A any] struct {
	Method string
	Path   string
	Access Access
	Handle Handler[A]
}

// On returns a route for a pattern such as "GET /links/{id}".
func On[A any](pattern string, access Access, handle Handler[A]) Route[A] {
	method, path, _ := strings.Cut(pattern, " ")
	return Route[A]{Method: method, Path: path, Access: access, Handle: handle}
}

// Handler writes the response to a request of user, or returns an error.
type Handler[A any] func(api A, w http.ResponseWriter, r *http.Request, user waymark.User) error

// Access is the access level that a route needs, or a lower requirement.
type Access string

// The requirements of routes.
const (
	Open  Access = "open"  // no API key is looked for
	Guest Access = "guest" // a request without an API key is one of a guest
	Any   Access = "any"   // an API key with any access level
	Read         = Access(waymark.AccessRead)
	Add          = Access(waymark.AccessAdd)
	Full         = Access(waymark.AccessFull)
)

// front handles the requests of an API.
type front[A any] struct {
	api     A
	guard   *Guard
	dialect Dialect
}

// New returns the handler of an API with these routes.
func New[A any](api A, routes []Route[A], guard Guard, dialect Dialect) http.Handler {
	f := &front[A]{api, &guard, dialect}
	guard.tooMany = Error{http.StatusTooManyRequests, dialect.TooMany}
	byPath := map[string][]Route[A]{}
	for _, r := range routes {
		byPath[r.Path] = append(byPath[r.Path], r)
	}
	mux := http.NewServeMux()
	for path, routes := range byPath {
		mux.Handle(path, f.byMethod(path, routes))
	}
	mux.HandleFunc("/", f.notFound)
	return f.prepare(mux)
}

// byMethod returns the handler of a path, which calls the route with the method of the request.
func (f *front[A]) byMethod(path string, routes []Route[A]) http.Handler {
	byMethod := map[string]Route[A]{}
	for _, r := range routes {
		byMethod[r.Method] = r
		if r.Method == http.MethodGet {
			byMethod[http.MethodHead] = r
		}
	}
	allow := strings.Join(slices.Sorted(maps.Keys(byMethod)), ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpx.SetRoute(r.Context(), path, waymark.User{})
		route, ok := byMethod[r.Method]
		if !ok {
			w.Header().Set("Allow", allow)
			f.dialect.WriteError(w, r, f.guard.limitGuest(w, r, Error{http.StatusMethodNotAllowed, f.dialect.WrongMethod(Excerpt(r.Method), allow)}))
			return
		}
		if err := f.serve(w, r, route); err != nil {
			f.dialect.WriteError(w, r, err)
		}
	})
}

// serve identifies the user by the API key, applies the rate limit, and calls the handler of the route if the
// key has the access that it needs.
func (f *front[A]) serve(w http.ResponseWriter, r *http.Request, route Route[A]) error {
	var user waymark.User
	secret := ""
	if route.Access != Open {
		secret = f.dialect.APIKey(r)
	}
	switch {
	case secret != "":
		var key waymark.APIKey
		var err error
		if user, key, err = f.guard.user(w, r, route.Path, secret, Error{http.StatusUnauthorized, f.dialect.UnknownKey}); err != nil {
			return err
		}
		if !route.Access.permits(key.Access) {
			return waymark.ErrForbidden
		}
		r = r.WithContext(context.WithValue(r.Context(), keyOfRequest{}, key))
	case route.Access == Open, route.Access == Guest:
		if err := f.guard.limitGuest(w, r, nil); err != nil {
			return err
		}
	default:
		return f.guard.limitGuest(w, r, Error{http.StatusUnauthorized, f.dialect.NoKey})
	}
	body := f.guard.Memory.Body(r, user.ID)
	defer body.Release()
	r.Body = body
	return route.Handle(f.api, w, r, user)
}

// permits reports whether an API key with an access level may use the route.
func (a Access) permits(level waymark.Access) bool {
	return a == Guest || a == Any || level.Permits(waymark.Access(a))
}

// keyOfRequest is the key of a context with the API key of its request.
type keyOfRequest struct{}

// Key returns the API key of a request, which is zero for guests.
func Key(r *http.Request) waymark.APIKey {
	key, _ := r.Context().Value(keyOfRequest{}).(waymark.APIKey)
	return key
}

// MayEdit reports whether the API key of a request has full access, for routes that need less.
func MayEdit(r *http.Request) bool { return Key(r).Access.Permits(waymark.AccessFull) }

// Secret returns the API key in the header Authorization, if that has one of the schemes, and else "".
func Secret(r *http.Request, schemes ...string) string {
	scheme, secret, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if slices.ContainsFunc(schemes, func(s string) bool { return strings.EqualFold(s, scheme) }) {
		return strings.TrimSpace(secret)
	}
	return ""
}

// With returns the handler that calls handle with what find finds for the path of the request.
func With[A, T any](find func(A, *http.Request, waymark.User) (T, error), handle func(A, http.ResponseWriter, *http.Request, waymark.User, T) error) Handler[A] {
	return func(api A, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		found, err := find(api, r, user)
		if err != nil {
			return err
		}
		return handle(api, w, r, user, found)
	}
}

// PathID returns the id in a part of the path, or waymark.ErrNotFound if it is not the text of an id.
func PathID[T waymark.ID](r *http.Request, name string) (T, error) {
	return ParseID[T](r.PathValue(name))
}

func (f *front[A]) notFound(w http.ResponseWriter, r *http.Request) {
	f.dialect.WriteError(w, r, f.guard.limitGuest(w, r, waymark.ErrNotFound))
}
