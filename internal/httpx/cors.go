package httpx

import "net/http"

// SetAPIHeaders sets the headers that every response to API clients has: those for CORS and caches.
func SetAPIHeaders(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["Cache-Control"] = noCache
}

// Header values that all responses share. They must not be modified.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{"Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"}
	noCache   = []string{"no-cache, private"}
)

// IsPreflight reports whether a browser asks whether a page of another site may send a request.
func IsPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != ""
}

// Preflight allows requests of any site with any method and header. This is safe because
// each request needs an API key, which browsers do not send on their own.
func Preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "authorization, content-type, accept")
	if requested := r.Header.Get("Access-Control-Request-Headers"); requested != "" {
		h.Set("Access-Control-Allow-Headers", requested)
	}
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}
