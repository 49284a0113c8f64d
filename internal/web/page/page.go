// Package page has what all pages of Waymark share: the request with its user, session and
// settings; the shell around a page; languages, texts and templates; errors, cookies and times.
// The pages themselves are in package web and its other parts.
package page

import (
	"bytes"
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

//go:embed static
var staticFiles embed.FS

// Options are the parts of the server that the pages use.
type Options struct {
	Service  *service.Service
	Accounts *accounts.Accounts
	Crawler  *crawl.Crawler
	Transfer *transfer.Transfer
	Uploads  *transfer.Uploads // imports files
	Store    *store.Store
	Config   config.API
	Memory   *httpx.Memory     // the budget that the pages share with the API
	Guests   *httpx.GuestLimit // of the requests of guests, shared with the API
	Log      *slog.Logger
	Version  string // of Waymark
}

// Site serves the pages.
type Site struct {
	Options
	assets    *httpx.Assets // the files below static
	languages languages
	mux       *http.ServeMux
	buffers   sync.Pool // of *bytes.Buffer, for pages
	sidebarOf func(*Request) (*Sidebar, error)
}

// New returns the handler of all pages. It reads the templates, texts and assets that are
// embedded in the program. sidebar returns what the sidebar of a page shows.
func New(options Options, routes []Route, sidebar func(*Request) (*Sidebar, error)) (*Site, error) {
	s := &Site{Options: options, mux: http.NewServeMux(), sidebarOf: sidebar}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	var err error
	if s.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if s.URL("/") == "/" {
		s.languages, err = languagesWithoutBase()
	} else {
		s.languages, err = s.loadLanguages(textFiles)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range routes {
		s.mux.Handle(r.Method+" "+r.Path, s.handler(r))
	}
	s.mux.HandleFunc("GET /static/{name}", func(w http.ResponseWriter, r *http.Request) {
		httpx.SetRoute(r.Context(), "/static/{name}", waymark.User{})
		s.ServeNamed(w, r, r.PathValue("name"))
	})
	return s, nil
}

// ServeHTTP serves the page at the path of the request, which does not include the path of
// the base URL.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header()["Content-Security-Policy"] = contentPolicy
	w.Header()["Referrer-Policy"] = referrerPolicy
	w.Header()["Cross-Origin-Opener-Policy"] = openerPolicy
	// ServeMux would redirect to the clean path, but without the path of the base URL. For the same
	// reason each route that ends with a slash also exists without it.
	if clean := path.Clean(r.URL.Path); clean != r.URL.Path && clean+"/" != r.URL.Path {
		s.notFound(w, r)
		return
	}
	_, pattern := s.mux.Handler(r)
	switch {
	case pattern != "":
		s.mux.ServeHTTP(w, r)
	case s.existsWithoutSlash(r):
		s.serve(w, r, Route{Access: Anyone, handle: RedirectTo(strings.TrimSuffix(r.URL.EscapedPath(), "/"))})
	default:
		s.noRoute(w, r)
	}
}

// existsWithoutSlash reports whether there is a page at the path of a request without the slash at
// its end. LinkAce and other programs accept their URLs with the slash.
func (s *Site) existsWithoutSlash(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.HasSuffix(r.URL.EscapedPath(), "/") {
		return false
	}
	_, pattern := s.mux.Handler(httpx.WithPath(r, strings.TrimSuffix(r.URL.Path, "/"), strings.TrimSuffix(r.URL.RawPath, "/")))
	return pattern != ""
}

// contentPolicy forbids everything that does not come from this server, and everything that
// is written into the page: hostile text in a link cannot become a script or a style.
var contentPolicy = []string{"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"}

// referrerPolicy lets browsers name a page to this server only. With no-referrer they would send
// Origin: null with the forms of the pages: over plain http at a host other than localhost,
// where they send no Sec-Fetch-Site, crossOrigin would refuse every form.
var referrerPolicy = []string{"same-origin"}

// openerPolicy keeps pages of other sites from holding on to a window with a page of this server.
var openerPolicy = []string{"same-origin"}

// noRoute responds to a path without a page (404) or a method that it does not have (405).
func (s *Site) noRoute(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := *r
		other.Method = method
		if _, pattern := s.mux.Handler(&other); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil {
		s.notFound(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.serve(w, r, Route{Access: Anyone, handle: func(*Request) error {
		return Error{Status: http.StatusMethodNotAllowed}
	}})
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, Route{Access: Anyone, handle: func(*Request) error { return waymark.ErrNotFound }})
}

// ServeNamed serves an embedded file.
func (s *Site) ServeNamed(w http.ResponseWriter, r *http.Request, name string) {
	if handler := s.assets.Handler(name); handler != nil {
		handler.ServeHTTP(w, r)
		return
	}
	s.notFound(w, r)
}

// URL returns the URL of a path below the path of the base URL.
func (s *Site) URL(path string) string {
	if !strings.HasPrefix(path, "/") {
		return path
	}
	return s.Config.BaseURL.EscapedPath() + path
}

// AbsoluteURL returns the URL of a path, with the scheme and the host.
func (r *Request) AbsoluteURL(path string) string { return r.BaseURL() + path }

// loadAssets reads all files of the folder static. All sites of a process share them: minifying and
// compressing them takes most of the time of New, which tests call hundreds of times.
var loadAssets = sync.OnceValues(func() (*httpx.Assets, error) {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		return nil, err
	}
	return httpx.LoadAssets(files)
})

// AssetURL returns the URL of the file below static with this name. It has the hash of the content,
// so that browsers may store the file for good.
func (s *Site) AssetURL(name string) string {
	return s.Config.BaseURL.EscapedPath() + "/static/" + s.assets.HashedNames()[name]
}
