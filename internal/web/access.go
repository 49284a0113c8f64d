package web

import "net/http"

// access says who may use a route.
type access int

// The kinds of access. Their order matters: from forGuests on, permit requires a signed-in user
// unless the response is shared.
const (
	anyone     access = iota // also before anyone has signed in: sign-in, set-up
	sameForAll               // anyone; the session is not read, because the response is the same
	forGuests                // the pages of guests: sameForAll if they are enabled, else forUsers
	forReaders               // users, and feed readers with the token of a user
	forUsers
	forAdmins
)

// handler answers a request. Its error determines the page that is shown instead.
type handler func(*visit) error

// route is one page, or one change.
type route struct {
	method string
	path   string
	access access
	handle handler
}

// get returns the route of a page.
func get(path string, access access, handle handler) route {
	return route{http.MethodGet, path, access, handle}
}

// post returns the route of a change.
func post(path string, access access, handle handler) route {
	return route{http.MethodPost, path, access, handle}
}

// redirectTo returns the handler of an address that has moved. The query is kept.
func redirectTo(path string) handler {
	return func(v *visit) error { return v.redirect(joinQuery(path, v.r.URL.RawQuery)) }
}
