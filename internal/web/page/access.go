package page

import "net/http"

// Access says who may use a route.
type Access int

// The kinds of access. Their order matters: from ForGuests on, a route requires a signed-in
// user unless the response is shared.
const (
	Anyone       Access = iota // also before anyone has signed in: sign-in, set-up
	SameForAll                 // anyone; the session is not read, because the response is the same
	ForGuests                  // the pages of guests: SameForAll if they are enabled, else ForUsers
	ForReaders                 // users, and feed readers with the token of a user
	ForCatalog                 // e-readers with this token in the path, as FeedKey
	ForNewcomers               // users, also those who must first set up a second factor
	ForUsers
	ForAdmins
)

// Handler answers a request. Its error determines the page that is shown instead.
type Handler func(*Request) error

// Route is one page, or one change.
type Route struct {
	Method string
	Path   string
	Access Access
	upload bool // handle reads the body
	handle Handler
}

// Get returns the route of a page.
func Get(path string, access Access, handle Handler) Route {
	return Route{Method: http.MethodGet, Path: path, Access: access, handle: handle}
}

// Post returns the route of a change. The fields of its form are read before the handler runs.
func Post(path string, access Access, handle Handler) Route {
	return Route{Method: http.MethodPost, Path: path, Access: access, handle: handle}
}

// Upload returns the route of a change whose handler reads the body of the request, which has a file.
func Upload(path string, access Access, handle Handler) Route {
	return Route{Method: http.MethodPost, Path: path, Access: access, upload: true, handle: handle}
}

// RedirectTo returns the handler of a URL that has moved. The query is kept.
func RedirectTo(path string) Handler {
	return func(r *Request) error { return r.Redirect(JoinQuery(path, r.HTTP.URL.RawQuery)) }
}

// With returns a handler that calls handle with what find returns, such as the entity in the path.
func With[T any](find func(*Request) (T, error), handle func(*Request, T) error) Handler {
	return func(r *Request) error {
		found, err := find(r)
		if err != nil {
			return err
		}
		return handle(r, found)
	}
}

// Show returns the handler of a page with the data that read returns.
func Show[T any](page string, read func(*Request) (T, error)) Handler {
	return With(read, func(r *Request, data T) error { return r.Render(page, data) })
}
