// Package karakeep implements the part of Karakeep's REST API that floccus needs, so that this browser
// extension and app can keep bookmark trees in sync with Waymark: a folder is a list, and a bookmark is a
// link. A client's base URL is Waymark's with /karakeep at its end.
package karakeep

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// root is the beginning of all paths.
const root = "/karakeep/api/v1"

// API handles the requests of clients for Karakeep.
type API struct {
	service  *service.Service
	accounts *accounts.Accounts
	store    *store.Store
	limit    int64 // of a body, in bytes
	log      *slog.Logger
	guard    httpx.Guard
}

// Options are the parts of the server that the API uses.
type Options struct {
	Service  *service.Service
	Accounts *accounts.Accounts
	Store    *store.Store
	Settings config.API
	Users    *httpx.UserLimit  // shared with the other APIs
	Memory   *httpx.Memory     // the budget that the API shares with the other interfaces
	Guests   *httpx.GuestLimit // of requests without a valid key, shared with the other interfaces
	Log      *slog.Logger
}

// route is one operation, with the access level that it needs.
type route struct {
	method, path string
	access       waymark.Access
	handle       handler
}

// handler writes the response to a request, or returns an error.
type handler func(a *API, w http.ResponseWriter, r *http.Request, c caller) error

type caller struct {
	waymark.User
	key waymark.APIKeyID
}

// change calls do in one transaction. All that do changes can be undone together with the other changes of the
// same sync.
func (a *API) change(r *http.Request, c caller, do func(ctx context.Context, s *service.Service) error) error {
	_, err := a.service.WithUndo(r.Context(), service.UndoOptions{User: c.User, APIKey: c.key}, do)
	return err
}

// routes are all operations of the API. Their paths are below root.
var routes = []route{
	{"GET", "/lists", waymark.AccessRead, (*API).listLists},
	{"POST", "/lists", waymark.AccessAdd, (*API).addList},
	{"GET", "/lists/{id}", waymark.AccessRead, (*API).getList},
	{"PATCH", "/lists/{id}", waymark.AccessFull, (*API).editList},
	{"DELETE", "/lists/{id}", waymark.AccessFull, (*API).deleteList},
	{"GET", "/lists/{id}/bookmarks", waymark.AccessRead, (*API).listBookmarksOfList},
	{"PUT", "/lists/{id}/bookmarks/{bookmark}", waymark.AccessFull, changeMembership(waymark.AppendRefs)},
	{"DELETE", "/lists/{id}/bookmarks/{bookmark}", waymark.AccessFull, changeMembership(waymark.RemoveRefs)},

	{"GET", "/bookmarks", waymark.AccessRead, (*API).listBookmarks},
	{"POST", "/bookmarks", waymark.AccessAdd, (*API).addBookmark},
	{"GET", "/bookmarks/{id}", waymark.AccessRead, (*API).getBookmark},
	{"PATCH", "/bookmarks/{id}", waymark.AccessFull, (*API).editBookmark},
	{"DELETE", "/bookmarks/{id}", waymark.AccessFull, (*API).deleteBookmark},
	{"GET", "/bookmarks/{id}/lists", waymark.AccessRead, (*API).listsOfBookmark},
}

// New returns the handler for the paths for which Handles returns true.
func New(o Options) http.Handler {
	a := &API{
		service: o.Service, accounts: o.Accounts, store: o.Store, limit: int64(o.Settings.BodyLimit), log: o.Log,
		guard: httpx.Guard{Authenticate: o.Accounts.Authenticate, Users: o.Users, Guests: o.Guests, Memory: o.Memory, TooMany: errTooManyRequests},
	}
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.HandleFunc(route.method+" "+root+route.path, func(w http.ResponseWriter, r *http.Request) {
			if err := a.authenticate(w, r, route); err != nil {
				a.handleError(w, r, err)
			}
		})
	}
	notFound := func(w http.ResponseWriter, r *http.Request) {
		a.handleError(w, r, a.guard.LimitGuest(w, r, waymark.ErrNotFound))
	}
	mux.HandleFunc("/", notFound)
	return httpx.APIHandler(mux, httpx.IsPreflight, notFound)
}

// Handles reports whether a path is one of this API.
func Handles(path string) bool { return path == "/karakeep" || strings.HasPrefix(path, "/karakeep/") }

// authenticate identifies the user by the API key, applies the rate limit, and calls the handler of the
// route if the key has the access that it needs.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request, route route) error {
	httpx.SetRoute(r.Context(), root+route.path, waymark.User{})
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return a.guard.LimitGuest(w, r, errUnauthorized)
	}
	user, key, err := a.guard.User(w, r, root+route.path, strings.TrimSpace(secret), errUnauthorized)
	if err != nil {
		return err
	}
	if !key.Access.Permits(route.access) {
		return waymark.ErrForbidden
	}
	body := a.guard.Memory.Body(r)
	defer body.Release()
	r.Body = body
	return route.handle(a, w, r, caller{user, key.ID})
}

// pathID returns the id in a part of the path, or waymark.ErrNotFound if it is not the text of an id.
func pathID[T waymark.ID](r *http.Request, name string) (T, error) {
	return httpx.ParseID[T](r.PathValue(name))
}

// idText returns an id as clients see it. They tell it from a number.
func idText[T waymark.ID](id T) string { return strconv.FormatInt(int64(id), 10) }
