package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/karakeep"
	"waymark/internal/linkding"
	"waymark/internal/mcp"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// pingTimeout limits how long the database may take for a health check.
const pingTimeout = 2 * time.Second

// healthRoute is the path of health checks.
const healthRoute = "/healthz"

// maxURL is the maximum length of a request URL, in bytes.
const maxURL = 32 << 10

// router passes each request to its interface. It is not an http.ServeMux because a
// ServeMux redirects a path that contains two slashes, and clients do not send their
// body again when they follow a redirect.
type router struct {
	api       http.Handler                                             // LinkAce's
	linkding  http.Handler                                             // linkding's
	karakeep  http.Handler                                             // Karakeep's, for floccus
	mcp       http.Handler                                             // of assistants
	pages     http.Handler                                             // of all other paths
	showError func(w http.ResponseWriter, r *http.Request, status int) // sends the page for an error
	ping      func(context.Context) error
	base      config.BaseURL
}

// httpsOnly lets browsers reach the host with https only, for a year.
var httpsOnly = []string{"max-age=31536000"}

func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.TLS != nil || strings.HasPrefix(rt.base.String(), "https://") {
		w.Header()["Strict-Transport-Security"] = httpsOnly
	}
	if len(r.RequestURI) > maxURL {
		rt.fail(w, r, http.StatusRequestURITooLong, fmt.Sprintf("The URL must not be longer than %d bytes.", maxURL))
		return
	}
	r = rt.stripBasePath(oneSlash(r))
	switch path := r.URL.Path; {
	case linkding.Handles(path):
		rt.linkding.ServeHTTP(w, r)
	case karakeep.Handles(path):
		rt.karakeep.ServeHTTP(w, r)
	case mcp.Handles(path):
		rt.mcp.ServeHTTP(w, r)
	case isAPI(path):
		rt.api.ServeHTTP(w, r)
	case path == healthRoute:
		rt.health(w, r)
	default:
		rt.pages.ServeHTTP(w, r)
	}
}

// slashes are several slashes after each other.
var slashes = regexp.MustCompile(`//+`)

// oneSlash returns the request with one slash for several in its path: clients append their path to a base URL that may
// end with one. A redirect would lose the body.
func oneSlash(r *http.Request) *http.Request {
	if !strings.Contains(r.URL.Path, "//") {
		return r
	}
	return httpx.WithPath(r, slashes.ReplaceAllString(r.URL.Path, "/"), slashes.ReplaceAllString(r.URL.RawPath, "/"))
}

func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// fail responds to a URL that is too long or a panic, with JSON below /api and else a page.
func (rt *router) fail(w http.ResponseWriter, r *http.Request, status int, message string) {
	if isAPI(rt.stripBasePath(r).URL.Path) {
		rest.SetHeaders(w.Header())
		writeError(w, status, message)
		return
	}
	rt.showError(w, r, status)
}

// stripBasePath removes the path of the base URL, which some proxies leave in requests.
func (rt *router) stripBasePath(r *http.Request) *http.Request {
	if rt.base.Path() == "" {
		return r
	}
	rest, ok := strings.CutPrefix(r.URL.Path, rt.base.Path())
	if !ok || rest != "" && rest[0] != '/' {
		return r
	}
	return httpx.WithPath(r, "/"+strings.TrimPrefix(rest, "/"), strings.TrimPrefix(r.URL.RawPath, rt.base.EscapedPath()))
}

// health reports whether the server can reach and write its database. While the server starts, it
// accepts connections but does not respond.
func (rt *router) health(w http.ResponseWriter, r *http.Request) {
	httpx.SetRoute(r.Context(), r.URL.Path, waymark.User{})
	if !allowGET(w, r) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
	defer cancel()
	w.Header().Set("Cache-Control", "no-store")
	if err := rt.ping(ctx); err != nil {
		w.Header().Set("Retry-After", httpx.RetryAfter)
		writeError(w, http.StatusServiceUnavailable, "The database is not responding or cannot be written. The log of the server says why.")
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func allowGET(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	writeError(w, http.StatusMethodNotAllowed, "Only GET and HEAD are supported here.")
	return false
}

// writeError responds with an error in the format of the API.
func writeError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"message": message})
}

func writeJSON(w http.ResponseWriter, status int, value map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value) //nolint:errcheck // the client is gone
}
