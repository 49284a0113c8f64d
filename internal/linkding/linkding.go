// Package linkding implements the REST API of linkding, as of version 1.46, so that the apps and extensions
// for linkding work with Waymark: the paths below /api that package api does not have, /health, and the
// feeds. A bookmark is a link of the user's, with the oldest of the owner's notes on it. The responses have
// the form, the statuses and the sentences of linkding and of the framework that it uses.
package linkding

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// Version is the version of linkding whose API this is. Clients ask for it before they use a feature.
const Version = "1.46.2"

// API handles the requests of clients for linkding.
type API struct{ Options }

// Options are the parts of the server that the API uses.
type Options struct {
	Service  *service.Service
	Crawler  *crawl.Crawler
	Uploads  *transfer.Uploads // receives the files that clients send
	Store    *store.Store
	Settings config.API
	Guard    httpx.Guard // shared with the other APIs
	Log      *slog.Logger
}

// New returns the handler for the paths for which Handles returns true.
func New(o Options) http.Handler {
	a := &API{o}
	a.Guard.TooMany = errTooManyRequests
	byPath := map[string][]route{}
	for _, r := range routes {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, routes := range byPath {
		mux.Handle(path, a.byMethod(path, routes))
	}
	notFound := func(w http.ResponseWriter, r *http.Request) {
		a.handleError(w, r, a.Guard.LimitGuest(w, r, errNotFound))
	}
	mux.HandleFunc("/", notFound)
	handler := httpx.APIHandler(mux, httpx.IsPreflight, notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Vary"] = []string{"Accept"}
		handler.ServeHTTP(w, r)
	})
}

// Handles reports whether a path is one of this API. Paths may end with a slash.
func Handles(path string) bool {
	path = strings.TrimSuffix(path, "/")
	for _, root := range []string{"/api/bookmarks", "/api/tags", "/api/bundles", "/api/user"} {
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return path == "/api" || path == documentPath || path == "/health" || strings.HasPrefix(path, "/feeds/")
}

// methodOrder is the order in which the header Allow names methods.
var methodOrder = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

// byMethod returns the handler for a path. As in linkding, a request is authenticated before its method is
// looked at.
func (a *API) byMethod(path string, routes []route) http.Handler {
	byMethod := map[string]route{"OPTIONS": {path: path, access: accessRead, handle: options(path, routes)}}
	for _, r := range routes {
		byMethod[r.method] = r
		if r.method == http.MethodGet {
			byMethod[http.MethodHead] = r
		}
	}
	methods := slices.SortedFunc(maps.Keys(byMethod), func(a, b string) int {
		return slices.Index(methodOrder, a) - slices.Index(methodOrder, b)
	})
	allow := []string{strings.Join(methods, ", ")}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpx.SetRoute(r.Context(), path, waymark.User{})
		w.Header()["Allow"] = allow
		route, ok := byMethod[r.Method]
		if !ok {
			route.path, route.access, route.handle = path, accessRead, methodNotAllowed
		}
		if err := a.authenticate(w, r, route); err != nil {
			a.handleError(w, r, err)
		}
	})
}

func methodNotAllowed(_ *API, _ http.ResponseWriter, r *http.Request, _ waymark.User) error {
	return statusError{http.StatusMethodNotAllowed, `Method "` + r.Method + `" not allowed.`}
}

// nameOf returns the name that linkding's framework gives to a path, such as Bookmark List.
func nameOf(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	last, suffix := segments[len(segments)-1], " List"
	if strings.HasPrefix(last, "{") {
		last, suffix = segments[len(segments)-2], " Instance"
	}
	switch last {
	case "api":
		return "Api Root"
	case "bookmarks", "tags":
		return strings.ToUpper(last[:1]) + last[1:len(last)-1] + suffix
	case "bundles", "assets":
		return "Bookmark " + strings.ToUpper(last[:1]) + last[1:len(last)-1] + suffix
	}
	return strings.ToUpper(last[:1]) + last[1:]
}

// authenticate identifies the user by the API key, applies the rate limit, and calls the handler of the
// route if the key has the access that it needs.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request, route route) error {
	if route.access == accessOpen {
		if err := a.Guard.LimitGuest(w, r, nil); err != nil {
			return err
		}
		return route.handle(a, w, r, waymark.User{})
	}
	if err := negotiate(r); err != nil {
		return a.Guard.LimitGuest(w, r, err)
	}
	secret, err := apiKey(r)
	if err != nil {
		return a.Guard.LimitGuest(w, r, err)
	}
	var user waymark.User
	switch {
	case secret != "":
		var key waymark.APIKey
		if user, key, err = a.Guard.User(w, r, route.path, secret, unauthorized("Invalid token.")); err != nil {
			return err
		}
		if route.access != accessAnyone && !key.Access.Permits(waymark.Access(route.access)) {
			return waymark.ErrForbidden
		}
		r = withAccess(r, key.Access)
	case route.access != accessAnyone:
		return a.Guard.LimitGuest(w, r, unauthorized("Authentication credentials were not provided."))
	default:
		if err := a.Guard.LimitGuest(w, r, nil); err != nil {
			return err
		}
	}
	body := a.Guard.Memory.Body(r, user.ID)
	defer body.Release()
	r.Body = body
	return route.handle(a, w, r, user)
}

// apiKey returns the secret in the header Authorization, "" if there is none.
func apiKey(r *http.Request) (string, error) {
	parts := strings.Fields(r.Header.Get("Authorization"))
	if len(parts) == 0 || !strings.EqualFold(parts[0], "Token") && !strings.EqualFold(parts[0], "Bearer") {
		return "", nil
	}
	switch {
	case len(parts) == 1:
		return "", unauthorized("Invalid token header. No credentials provided.")
	case len(parts) > 2:
		return "", unauthorized("Invalid token header. Token string should not contain spaces.")
	case strings.ToValidUTF8(parts[1], "") != parts[1]:
		return "", unauthorized("Invalid token header. Token string should not contain invalid characters.")
	}
	return parts[1], nil
}

// negotiate returns an error if the client does not accept JSON. A client that accepts HTML gets JSON:
// linkding has pages for people who open a URL of the API in a browser.
func negotiate(r *http.Request) error {
	switch parameter(httpx.ParseQuery(r.URL.RawQuery), "format") {
	case "", "json", "api":
	default:
		return errNotFound
	}
	accepted, ok := r.Header["Accept"]
	if !ok {
		return nil
	}
	for media := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		media, _, _ = strings.Cut(media, ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "*/*", "application/*", jsonType, "text/*", "text/html":
			return nil
		}
	}
	return statusError{http.StatusNotAcceptable, "Could not satisfy the request Accept header."}
}
