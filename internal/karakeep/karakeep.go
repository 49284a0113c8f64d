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

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// root is the beginning of all paths.
const root = "/karakeep/api/v1"

// API handles the requests of clients for Karakeep.
type API struct{ Options }

// Options are the parts of the server that the API uses.
type Options struct {
	Service  *service.Service
	Store    *store.Store
	Settings config.API
	Guard    httpx.Guard // shared with the other APIs
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

// with returns the handler that calls handle with what find finds for the path, which is the caller's own.
func with[T any](find func(*API, *http.Request, caller) (T, error), handle func(*API, http.ResponseWriter, *http.Request, caller, T) error) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, c caller) error {
		found, err := find(a, r, c)
		if err != nil {
			return err
		}
		return handle(a, w, r, c, found)
	}
}

// change calls do in one transaction. All that do changes can be undone together with the other changes of the
// same sync.
func (a *API) change(r *http.Request, c caller, do func(ctx context.Context, s *service.Service) error) error {
	_, err := a.Service.WithUndo(r.Context(), service.UndoOptions{User: c.User, APIKey: c.key}, do)
	return err
}

// routes are all operations of the API. Their paths are below root.
var routes = []route{
	{"GET", "/lists", waymark.AccessRead, (*API).listLists},
	{"POST", "/lists", waymark.AccessAdd, (*API).addList},
	{"GET", "/lists/{id}", waymark.AccessRead, with((*API).ownList, (*API).getList)},
	{"PATCH", "/lists/{id}", waymark.AccessFull, with((*API).ownList, (*API).editList)},
	{"DELETE", "/lists/{id}", waymark.AccessFull, with((*API).ownList, (*API).deleteList)},
	{"GET", "/lists/{id}/bookmarks", waymark.AccessRead, with((*API).ownList, (*API).listBookmarksOfList)},
	{"PUT", "/lists/{id}/bookmarks/{bookmark}", waymark.AccessFull, with((*API).ownList, changeMembership(waymark.AppendRefs))},
	{"DELETE", "/lists/{id}/bookmarks/{bookmark}", waymark.AccessFull, with((*API).ownList, changeMembership(waymark.RemoveRefs))},

	{"GET", "/bookmarks", waymark.AccessRead, (*API).listBookmarks},
	{"POST", "/bookmarks", waymark.AccessAdd, (*API).addBookmark},
	{"GET", "/bookmarks/{id}", waymark.AccessRead, with((*API).ownLink, (*API).getBookmark)},
	{"PATCH", "/bookmarks/{id}", waymark.AccessFull, with((*API).ownLink, (*API).editBookmark)},
	{"DELETE", "/bookmarks/{id}", waymark.AccessFull, with((*API).ownLink, (*API).deleteBookmark)},
	{"GET", "/bookmarks/{id}/lists", waymark.AccessRead, with((*API).ownLink, (*API).listsOfBookmark)},
}

// New returns the handler for the paths for which Handles returns true.
func New(o Options) http.Handler {
	a := &API{o}
	a.Guard.TooMany = errTooManyRequests
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.HandleFunc(route.method+" "+root+route.path, func(w http.ResponseWriter, r *http.Request) {
			if err := a.authenticate(w, r, route); err != nil {
				a.handleError(w, r, err)
			}
		})
	}
	notFound := func(w http.ResponseWriter, r *http.Request) {
		a.handleError(w, r, a.Guard.LimitGuest(w, r, waymark.ErrNotFound))
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
		return a.Guard.LimitGuest(w, r, errUnauthorized)
	}
	user, key, err := a.Guard.User(w, r, root+route.path, strings.TrimSpace(secret), errUnauthorized)
	if err != nil {
		return err
	}
	if !key.Access.Permits(route.access) {
		return waymark.ErrForbidden
	}
	body := a.Guard.Memory.Body(r, user.ID)
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
