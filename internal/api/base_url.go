package api

import (
	"net/http"

	"waymark/internal/httpx"
)

// prefix returns the URL that all paths of the request's API version begin with.
func (a *API) prefix(r *http.Request) string { return a.base(r) + "/api/" + versionOf(r) }

// base returns the URL under which the client reaches the server.
func (a *API) base(r *http.Request) string {
	return httpx.BaseURL(r, a.settings.BaseURL, a.settings.TrustedProxies)
}
