// Package linkace is the REST door: JSON in, JSON out, under /api/v1 and /api/v2
// alike. A handler decodes a request, asks the store one question or makes one
// change through the library, and answers or returns its error.
package linkace

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/httprate"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// API answers the requests of programs.
type API struct {
	service  *service.Service
	store    *store.Store
	settings config.API
	log      *slog.Logger
	onRoute  func(ctx context.Context, route string, user waymark.User)
	limiter  *httprate.RateLimiter // nil for no limit
}

// New returns the handler for everything under /api. It tells seen which route a
// request takes, and again whose it is once that is known.
func New(lib *service.Service, s *store.Store, settings config.API, log *slog.Logger, seen func(ctx context.Context, route string, user waymark.User)) http.Handler {
	a := &API{service: lib, store: s, settings: settings, log: log, onRoute: seen}
	if settings.RateLimit.Count > 0 {
		a.limiter = httprate.NewRateLimiter(settings.RateLimit.Count, settings.RateLimit.Per, httprate.WithLimitHandler(a.rateLimited))
	}
	all := append(docsRoutes(settings.BaseURL.EscapedPath()), route{"GET", "/api/version", accessNone, (*API).getVersion})
	for _, r := range routes {
		for _, version := range []string{v1, v2} {
			all = append(all, route{r.method, "/api/" + version + r.path, r.access, r.handle})
		}
	}
	byPath := map[string][]route{}
	for _, r := range all {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, routes := range byPath {
		mux.Handle(path, a.byMethod(path, routes))
	}
	mux.HandleFunc("/", a.notFound)
	return a.commonHeaders(mux)
}

// commonHeaders answers what is the same for every path: the headers for scripts of
// other sites (CORS), their preflight requests, and a slash at the end of a path.
func (a *API) commonHeaders(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposed
		if r.Method == http.MethodOptions {
			preflight(w, r)
			return
		}
		h["Cache-Control"] = noCache
		r = withoutSlash(r)
		if path := r.URL.Path; path == "" || strings.Contains(path, "//") || strings.Contains(path, "/.") {
			a.notFound(w, r) // the mux would redirect, which clients do not follow with a body
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// withoutSlash takes the slash off the end of a path, so that /links/ is /links.
func withoutSlash(r *http.Request) *http.Request {
	path, found := strings.CutSuffix(r.URL.Path, "/")
	if !found {
		return r
	}
	return httpx.WithPath(r, path, strings.TrimSuffix(r.URL.RawPath, "/"))
}

// Headers that every answer has. They are shared, so nobody may change an element.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{"Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"}
	noCache   = []string{"no-cache, private"}
	jsonType  = []string{"application/json"}
)

// preflight lets any site call with any method and header: a key is needed all the
// same, and browsers add none by themselves.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "authorization, content-type, accept")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// byMethod answers a path by the routes that it has, and 405 otherwise.
func (a *API) byMethod(path string, routes []route) http.Handler {
	byMethod := map[string]route{}
	for _, r := range routes {
		byMethod[r.method] = r
		if r.method == http.MethodGet {
			byMethod[http.MethodHead] = r
		}
	}
	var names []string
	for name := range byMethod {
		names = append(names, name)
	}
	slices.Sort(names)
	allow := strings.Join(names, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.onRoute(r.Context(), path, waymark.User{})
		route, ok := byMethod[r.Method]
		if !ok {
			w.Header().Set("Allow", allow)
			a.handleError(w, r, problem{http.StatusMethodNotAllowed, "The method " + excerpt(r.Method) + " is not supported here. Supported: " + allow + "."})
			return
		}
		if err := a.authenticate(w, r, path, route); err != nil {
			a.handleError(w, r, err)
		}
	})
}

// authenticate finds out whose request it is, and hands it on if the key permits that.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request, path string, route route) error {
	var user waymark.User
	if route.access != accessNone {
		var key waymark.APIKey
		var err error
		user, key, err = a.service.Authenticate(r.Context(), apiKey(r))
		if errors.Is(err, waymark.ErrNotFound) {
			return errUnauthenticated
		}
		if err != nil {
			return err
		}
		a.onRoute(r.Context(), path, user)
		if a.limiter != nil && a.limiter.RespondOnLimit(w, r, strconv.FormatInt(int64(user.ID), 10)) {
			return nil
		}
		if route.access != accessAny && !key.Access.Permits(waymark.Access(route.access)) {
			return waymark.ErrForbidden
		}
	}
	return route.handle(a, w, r, user)
}

// apiKey returns the API key that comes with a request, "" for none. Only v1 takes
// it from the query too.
func apiKey(r *http.Request) string {
	scheme, key, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	if strings.HasPrefix(r.URL.Path, "/api/"+v1+"/") {
		return r.URL.Query().Get("api_token")
	}
	return ""
}

func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	a.handleError(w, r, waymark.ErrNotFound)
}

func (a *API) rateLimited(w http.ResponseWriter, r *http.Request) {
	a.handleError(w, r, problem{http.StatusTooManyRequests, "Too Many Attempts."})
}

// pathID returns the id in the path. What is no id belongs to no entry.
func pathID[T waymark.ID](r *http.Request) (T, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 || r.PathValue("id")[0] == '+' {
		return 0, waymark.ErrNotFound
	}
	return T(id), nil
}

// version returns the version that a request asks for.
func version(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, "/api/"+v1+"/") {
		return v1
	}
	return v2
}

func (a *API) getVersion(w http.ResponseWriter, r *http.Request, _ waymark.User) error {
	return writeJSON(w, map[string]string{"version": version(r)})
}

// writeJSON sends a small value.
func writeJSON(w http.ResponseWriter, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	writeBody(w, http.StatusOK, body)
	return nil
}

// writeEmpty answers an operation that has nothing to say.
func writeEmpty(w http.ResponseWriter) error {
	writeBody(w, http.StatusOK, []byte("{}"))
	return nil
}

// writeBody sends a whole body.
func writeBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // nobody is left to tell
}
