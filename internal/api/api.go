// Package api implements LinkAce's REST API under /api/v1 and /api/v2. A handler decodes a request,
// runs one query of the store or one use case of the service, and writes the response or returns an
// error. The files linkace_*.go have LinkAce's peculiarities: sentences of errors, pages, names of
// orders, references, icons, and differences between the two versions.
package api

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// API handles the requests under /api.
type API struct{ Options }

// Options are the parts of the server that the API uses.
type Options struct {
	Service  *service.Service
	Accounts *accounts.Accounts
	Crawler  *crawl.Crawler
	Transfer *transfer.Transfer
	Uploads  *transfer.Uploads // imports the files that clients send
	Store    *store.Store
	Settings config.API
	Guard    httpx.Guard // shared with the other APIs
	Version  string      // of Waymark
	Log      *slog.Logger
}

// New returns the handler for all paths under /api.
func New(o Options) http.Handler {
	a := &API{o}
	a.Guard.TooMany = errTooManyRequests
	allRoutes := append(docsRoutes(o.Settings.BaseURL.EscapedPath()), route{"GET", "/api/version", accessNone, (*API).getVersion})
	for _, r := range routes {
		for _, version := range []string{v1, v2} {
			r := route{r.method, "/api/" + version + r.path, r.access, r.handle}
			allRoutes = append(allRoutes, r)
			if r.method == http.MethodPatch {
				r.method = http.MethodPut
				allRoutes = append(allRoutes, r)
			}
		}
	}
	byPath := map[string][]route{}
	for _, r := range allRoutes {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, routes := range byPath {
		mux.Handle(path, a.byMethod(path, routes))
	}
	mux.HandleFunc("/", a.notFound)
	return httpx.APIHandler(mux, func(r *http.Request) bool { return r.Method == http.MethodOptions }, a.notFound)
}

// byMethod returns the handler for a path. It calls the route with the method of the
// request, and responds with 405 if there is none.
func (a *API) byMethod(path string, routes []route) http.Handler {
	byMethod := map[string]route{}
	for _, r := range routes {
		byMethod[r.method] = r
		if r.method == http.MethodGet {
			byMethod[http.MethodHead] = r
		}
	}
	allow := strings.Join(slices.Sorted(maps.Keys(byMethod)), ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpx.SetRoute(r.Context(), path, waymark.User{})
		route, ok := byMethod[r.Method]
		if !ok {
			w.Header().Set("Allow", allow)
			a.handleError(w, r, a.Guard.LimitGuest(w, r, statusError{http.StatusMethodNotAllowed, "The method " + excerpt(r.Method) + " is not supported here. Supported: " + allow + "."}))
			return
		}
		if err := a.authenticate(w, r, route); err != nil {
			a.handleError(w, r, err)
		}
	})
}

// authenticate identifies the user by the API key, applies the rate limit, and calls the
// handler of the route if the key has the access that it needs.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request, route route) error {
	var user waymark.User
	if route.access != accessNone {
		var key waymark.APIKey
		var err error
		if user, key, err = a.Guard.User(w, r, route.path, apiKey(r), errUnauthenticated); err != nil {
			return err
		}
		if route.access != accessAny && !key.Access.Permits(waymark.Access(route.access)) {
			return waymark.ErrForbidden
		}
		if route.access == accessAdd && key.Access.Permits(waymark.AccessFull) {
			r = r.WithContext(context.WithValue(r.Context(), editorKey{}, true))
		}
	} else if err := a.Guard.LimitGuest(w, r, nil); err != nil {
		return err
	}
	body := a.Guard.Memory.Body(r, user.ID)
	defer body.Release()
	r.Body = body
	return route.handle(a, w, r, user)
}

// editorKey is the key of a context whose API key has full access, though the route needs only access to add.
type editorKey struct{}

// mayEdit reports whether the API key of a request for a route with accessAdd has full access.
func mayEdit(r *http.Request) bool { return r.Context().Value(editorKey{}) != nil }

func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	a.handleError(w, r, a.Guard.LimitGuest(w, r, waymark.ErrNotFound))
}

// getVersion responds with the version of the API and, if the request has a key, with that of Waymark.
func (a *API) getVersion(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	versions := map[string]string{"version": versionOf(r)}
	if user.ID != 0 {
		versions["waymark"] = a.Version
	}
	return writeJSON(w, versions)
}

// prefix returns the URL that all paths of the request's API version begin with.
func (a *API) prefix(r *http.Request) string { return a.base(r) + "/api/" + versionOf(r) }

// base returns the URL under which the client reaches the server.
func (a *API) base(r *http.Request) string {
	return httpx.BaseURL(r, a.Settings.BaseURL, a.Settings.TrustedProxies)
}
