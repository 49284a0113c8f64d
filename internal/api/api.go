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
type API struct {
	service  *service.Service
	accounts *accounts.Accounts
	crawler  *crawl.Crawler
	transfer *transfer.Transfer
	uploads  *transfer.Uploads
	store    *store.Store
	settings config.API
	version  string // of Waymark
	log      *slog.Logger
	guard    httpx.Guard
}

// Options are the parts of the server that the API uses.
type Options struct {
	Service  *service.Service
	Accounts *accounts.Accounts
	Crawler  *crawl.Crawler
	Transfer *transfer.Transfer
	Uploads  *transfer.Uploads // imports the files that clients send
	Store    *store.Store
	Settings config.API
	Users    *httpx.UserLimit  // shared with the other API
	Memory   *httpx.Memory     // the budget that the API shares with the pages
	Guests   *httpx.GuestLimit // of requests without a valid key, shared with the pages
	Version  string            // of Waymark
	Log      *slog.Logger
}

// New returns the handler for all paths under /api.
func New(o Options) http.Handler {
	settings := o.Settings
	a := &API{
		service: o.Service, accounts: o.Accounts, crawler: o.Crawler, transfer: o.Transfer, uploads: o.Uploads, store: o.Store,
		settings: settings, version: o.Version, log: o.Log,
		guard: httpx.Guard{Authenticate: o.Accounts.Authenticate, Users: o.Users, Guests: o.Guests, Memory: o.Memory, TooMany: errTooManyRequests},
	}
	allRoutes := append(docsRoutes(settings.BaseURL.EscapedPath()), route{"GET", "/api/version", accessNone, (*API).getVersion})
	for _, r := range routes {
		for _, version := range []string{v1, v2} {
			allRoutes = append(allRoutes, route{r.method, "/api/" + version + r.path, r.access, r.handle})
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
			a.handleError(w, r, a.guard.LimitGuest(w, r, statusError{http.StatusMethodNotAllowed, "The method " + excerpt(r.Method) + " is not supported here. Supported: " + allow + "."}))
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
		if user, key, err = a.guard.User(w, r, route.path, apiKey(r), errUnauthenticated); err != nil {
			return err
		}
		if route.access != accessAny && !key.Access.Permits(waymark.Access(route.access)) {
			return waymark.ErrForbidden
		}
		if route.access == accessAdd && key.Access.Permits(waymark.AccessFull) {
			r = r.WithContext(context.WithValue(r.Context(), editorKey{}, true))
		}
	} else if err := a.guard.LimitGuest(w, r, nil); err != nil {
		return err
	}
	body := a.guard.Memory.Body(r)
	defer body.Release()
	r.Body = body
	return route.handle(a, w, r, user)
}

// editorKey is the key of a context whose API key has full access, though the route needs only access to add.
type editorKey struct{}

// mayEdit reports whether the API key of a request for a route with accessAdd has full access.
func mayEdit(r *http.Request) bool { return r.Context().Value(editorKey{}) != nil }

func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	a.handleError(w, r, a.guard.LimitGuest(w, r, waymark.ErrNotFound))
}

// pathID returns the id in the path, or waymark.ErrNotFound if it is not a valid id.
func pathID[T waymark.ID](r *http.Request) (T, error) { return namedPathID[T](r, "id") }

func namedPathID[T waymark.ID](r *http.Request, name string) (T, error) {
	return httpx.ParseID[T](r.PathValue(name))
}

// getVersion responds with the version of the API and, if the request has a key, with that of Waymark.
func (a *API) getVersion(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	versions := map[string]string{"version": versionOf(r)}
	if user.ID != 0 {
		versions["waymark"] = a.version
	}
	return writeJSON(w, versions)
}

// prefix returns the URL that all paths of the request's API version begin with.
func (a *API) prefix(r *http.Request) string { return a.base(r) + "/api/" + versionOf(r) }

// base returns the URL under which the client reaches the server.
func (a *API) base(r *http.Request) string {
	return httpx.BaseURL(r, a.settings.BaseURL, a.settings.TrustedProxies)
}
