// Package api implements LinkAce's REST API under /api/v1 and /api/v2. A handler decodes a request,
// runs one query of the store or one use case of the service, and writes the response or returns an
// error. The files linkace_*.go have LinkAce's peculiarities: sentences of errors, pages, names of
// orders, references, icons, and differences between the two versions.
package api

import (
	"log/slog"
	"net/http"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/rest"
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
	Guard    rest.Guard // shared with the other APIs
	Version  string     // of Waymark
	Log      *slog.Logger
}

// getVersion responds with the version of the API and, if the request has a key, with that of Waymark.
func (a *API) getVersion(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	versions := map[string]string{"version": versionOf(r)}
	if user.ID != 0 {
		versions["waymark"] = a.Version
	}
	return writeJSON(w, versions, nil)
}

// prefix returns the URL that all paths of the request's API version begin with.
func (a *API) prefix(r *http.Request) string { return a.base(r) + "/api/" + versionOf(r) }

// base returns the URL under which the client reaches the server.
func (a *API) base(r *http.Request) string {
	return httpx.BaseURL(r, a.Settings.BaseURL, a.Settings.TrustedProxies)
}

type (
	handler = rest.Handler[*API]
	route   = rest.Route[*API] // in routes, its path is relative to the prefix of each version
)
