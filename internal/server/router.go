package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// pingTimeout is how long the store may take to say that it is well.
const pingTimeout = 2 * time.Second

// router sends a request to the door that it asks for. It is no http.ServeMux
// because that one redirects an address with two slashes, which clients do not
// follow with a body.
type router struct {
	api   http.Handler
	ping  func(context.Context) error
	base  *url.URL    // empty where none is set
	limit config.Size // of a request's URL, in bytes
}

func (d *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if int64(len(r.RequestURI)) > int64(d.limit) {
		writeError(w, r, http.StatusRequestURITooLong, fmt.Sprintf("The URL must not be longer than %d bytes.", d.limit))
		return
	}
	r = d.stripBasePath(r)
	switch path := r.URL.Path; {
	case path == "/api", strings.HasPrefix(path, "/api/"):
		d.api.ServeHTTP(w, r)
	case path == "/healthz":
		d.health(w, r)
	case path == "/":
		d.root(w, r)
	default:
		writeError(w, r, http.StatusNotFound, "Not found.")
	}
}

// stripBasePath takes the path of the base URL off the request's, since some proxies
// do so and some do not.
func (d *router) stripBasePath(r *http.Request) *http.Request {
	if d.base.Path == "" {
		return r
	}
	rest, ok := strings.CutPrefix(r.URL.Path, d.base.Path)
	if !ok || rest != "" && rest[0] != '/' {
		return r
	}
	below, address := *r, *r.URL
	address.Path = "/" + strings.TrimPrefix(rest, "/")
	address.RawPath = strings.TrimPrefix(r.URL.RawPath, d.base.EscapedPath())
	below.URL = &address
	return &below
}

// health answers whether the server can do its work. It is ready when it answers
// at all, since it listens last.
func (d *router) health(w http.ResponseWriter, r *http.Request) {
	onRoute(r.Context(), "/healthz", waymark.User{})
	if !allowGET(w, r) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
	defer cancel()
	w.Header().Set("Cache-Control", "no-store")
	if err := d.ping(ctx); err != nil {
		w.Header().Set("Retry-After", "5")
		writeError(w, r, http.StatusServiceUnavailable, "The store does not answer.")
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// root leads a person who opens the server in a browser to what there is to see.
func (d *router) root(w http.ResponseWriter, r *http.Request) {
	onRoute(r.Context(), "/", waymark.User{})
	if allowGET(w, r) {
		http.Redirect(w, r, d.base.String()+"/api/docs", http.StatusSeeOther)
	}
}

func allowGET(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	writeError(w, r, http.StatusMethodNotAllowed, "Only GET and HEAD work here.")
	return false
}

// writeError answers with an error in the form that the API has, readable for scripts
// of any origin where the API is.
func writeError(w http.ResponseWriter, r *http.Request, status int, message string) {
	if strings.HasPrefix(r.URL.Path, "/api") {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
	writeJSON(w, status, map[string]string{"message": message})
}

func writeJSON(w http.ResponseWriter, status int, value map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value) //nolint:errcheck // nobody is left to tell
}
