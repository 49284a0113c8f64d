package api

import (
	"net/http"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/rest"
)

// The two versions of the API, by the last part of their prefixes.
const (
	v1 = "v1"
	v2 = "v2"
)

// versionOf returns the version of the API that a request uses.
func versionOf(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, "/api/"+v1+"/") {
		return v1
	}
	return v2
}

// apiKey returns the API key of a request, or "". Only v1 also accepts it in the query.
func apiKey(r *http.Request) string {
	if key := rest.Secret(r, "Bearer"); key != "" {
		return key
	}
	if versionOf(r) == v1 {
		return httpx.ParseQuery(r.URL.RawQuery).Get("api_token")
	}
	return ""
}
