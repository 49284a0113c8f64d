package linkding

import (
	"context"
	"net/http"
	"strconv"

	"waymark/internal/waymark"
)

// handler writes the response to a request of user, or returns an error. The user is zero for a guest.
type handler func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error

// access is the access level that a route needs.
type access string

const (
	accessOpen   access = "open" // no API key is looked for
	accessAnyone access = ""     // with or without an API key
	accessRead          = access(waymark.AccessRead)
	accessAdd           = access(waymark.AccessAdd)
	accessFull          = access(waymark.AccessFull)
)

// with returns the handler that calls handle with what find finds for the path, which is the user's own.
func with[T any](find func(*API, *http.Request, waymark.User) (T, error), handle func(*API, http.ResponseWriter, *http.Request, waymark.User, T) error) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		found, err := find(a, r, user)
		if err != nil {
			return err
		}
		return handle(a, w, r, user, found)
	}
}

// route is one operation. Its path has no slash at the end; requests may have one.
type route struct {
	method string
	path   string
	access access
	handle handler
}

// routes are all operations of the API. HEAD is handled by the GET routes, and OPTIONS for each path.
var routes = []route{
	{"GET", "/health", accessOpen, (*API).health},
	{"GET", "/api", accessRead, (*API).root},
	{"GET", documentPath, accessOpen, (*API).document},

	{"GET", "/api/bookmarks", accessRead, (*API).listBookmarks},
	{"POST", "/api/bookmarks", accessAdd, (*API).saveBookmark},
	{"GET", "/api/bookmarks/archived", accessRead, (*API).listArchived},
	{"GET", "/api/bookmarks/shared", accessAnyone, (*API).listShared},
	{"GET", "/api/bookmarks/check", accessRead, (*API).checkURL},
	{"GET", "/api/bookmarks/{id}", accessRead, with((*API).ownLink, (*API).getBookmark)},
	{"PUT", "/api/bookmarks/{id}", accessFull, with((*API).ownLink, changeBookmark(false))},
	{"PATCH", "/api/bookmarks/{id}", accessFull, with((*API).ownLink, changeBookmark(true))},
	{"DELETE", "/api/bookmarks/{id}", accessFull, with((*API).ownLink, (*API).deleteBookmark)},
	{"POST", "/api/bookmarks/{id}/archive", accessFull, with((*API).ownLink, archiveBookmark(true))},
	{"POST", "/api/bookmarks/{id}/unarchive", accessFull, with((*API).ownLink, archiveBookmark(false))},

	{"POST", "/api/bookmarks/singlefile", accessAdd, (*API).saveSnapshot},
	{"GET", "/api/bookmarks/{id}/assets", accessRead, with((*API).assetLink, (*API).listAssets)},
	{"POST", "/api/bookmarks/{id}/assets/upload", accessFull, with((*API).assetLink, (*API).addAsset)},
	{"GET", "/api/bookmarks/{id}/assets/{asset}", accessRead, with((*API).asset, (*API).getAsset)},
	{"GET", "/api/bookmarks/{id}/assets/{asset}/download", accessRead, with((*API).asset, (*API).downloadAsset)},
	{"DELETE", "/api/bookmarks/{id}/assets/{asset}", accessFull, with((*API).asset, (*API).deleteAsset)},

	{"GET", "/api/tags", accessRead, (*API).listTags},
	{"POST", "/api/tags", accessAdd, (*API).addTag},
	{"GET", "/api/tags/{id}", accessRead, with((*API).ownTag, (*API).getTag)},
	{"DELETE", "/api/tags/{id}", accessFull, with((*API).ownTag, (*API).deleteTag)},

	{"GET", "/api/bundles", accessRead, (*API).listBundles},
	{"POST", "/api/bundles", accessFull, (*API).addBundle},
	{"GET", "/api/bundles/{id}", accessRead, with((*API).ownBundle, (*API).getBundle)},
	{"PUT", "/api/bundles/{id}", accessFull, with((*API).ownBundle, editBundle(false))},
	{"PATCH", "/api/bundles/{id}", accessFull, with((*API).ownBundle, editBundle(true))},
	{"DELETE", "/api/bundles/{id}", accessFull, with((*API).ownBundle, (*API).deleteBundle)},

	{"GET", "/api/user/profile", accessRead, (*API).getProfile},

	{"GET", "/feeds/{key}/all", accessOpen, userFeed(allFeed)},
	{"GET", "/feeds/{key}/unread", accessOpen, userFeed(unreadFeed)},
	{"GET", "/feeds/{key}/archived", accessOpen, userFeed(archivedFeed)},
	{"GET", "/feeds/{key}/shared", accessOpen, userFeed(sharedFeed)},
	{"GET", "/feeds/shared", accessOpen, (*API).guestFeed},
}

// pathID returns the id in a part of the path, or errNotFound if it is not a number.
func pathID[T waymark.ID](r *http.Request, name string) (T, error) {
	id, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil {
		return 0, errNotFound
	}
	return T(id), nil
}

type accessKey struct{}

// withAccess returns the request with the access level of its API key.
func withAccess(r *http.Request, level waymark.Access) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), accessKey{}, level))
}

// permits reports whether the API key of the request has an access level.
func permits(r *http.Request, need waymark.Access) bool {
	level, ok := r.Context().Value(accessKey{}).(waymark.Access)
	return ok && level.Permits(need)
}
