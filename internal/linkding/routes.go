package linkding

import (
	"net/http"
	"strings"

	"waymark/internal/rest"
)

// routes are all operations of the API.
var routes = []route{
	rest.On("GET /health", rest.Open, (*API).health),
	rest.On("GET /api", rest.Read, (*API).root),
	rest.On("GET "+documentPath, rest.Open, (*API).document),

	rest.On("GET /api/bookmarks", rest.Read, (*API).listBookmarks),
	rest.On("POST /api/bookmarks", rest.Add, (*API).saveBookmark),
	rest.On("GET /api/bookmarks/archived", rest.Read, (*API).listArchived),
	rest.On("GET /api/bookmarks/shared", rest.Guest, (*API).listShared),
	rest.On("GET /api/bookmarks/check", rest.Read, (*API).checkURL),
	rest.On("GET /api/bookmarks/{id}", rest.Read, rest.With((*API).ownLink, (*API).getBookmark)),
	rest.On("PUT /api/bookmarks/{id}", rest.Full, rest.With((*API).ownLink, changeBookmark(false))),
	rest.On("PATCH /api/bookmarks/{id}", rest.Full, rest.With((*API).ownLink, changeBookmark(true))),
	rest.On("DELETE /api/bookmarks/{id}", rest.Full, rest.With((*API).ownLink, (*API).deleteBookmark)),
	rest.On("POST /api/bookmarks/{id}/archive", rest.Full, rest.With((*API).ownLink, archiveBookmark(true))),
	rest.On("POST /api/bookmarks/{id}/unarchive", rest.Full, rest.With((*API).ownLink, archiveBookmark(false))),

	rest.On("POST /api/bookmarks/singlefile", rest.Add, (*API).saveSnapshot),
	rest.On("GET /api/bookmarks/{id}/assets", rest.Read, rest.With((*API).assetLink, (*API).listAssets)),
	rest.On("POST /api/bookmarks/{id}/assets/upload", rest.Full, rest.With((*API).assetLink, (*API).addAsset)),
	rest.On("GET /api/bookmarks/{id}/assets/{asset}", rest.Read, rest.With((*API).asset, (*API).getAsset)),
	rest.On("GET /api/bookmarks/{id}/assets/{asset}/download", rest.Read, rest.With((*API).asset, (*API).downloadAsset)),
	rest.On("DELETE /api/bookmarks/{id}/assets/{asset}", rest.Full, rest.With((*API).asset, (*API).deleteAsset)),

	rest.On("GET /api/tags", rest.Read, (*API).listTags),
	rest.On("POST /api/tags", rest.Add, (*API).addTag),
	rest.On("GET /api/tags/{id}", rest.Read, rest.With((*API).ownTag, (*API).getTag)),
	rest.On("DELETE /api/tags/{id}", rest.Full, rest.With((*API).ownTag, (*API).deleteTag)),

	rest.On("GET /api/bundles", rest.Read, (*API).listBundles),
	rest.On("POST /api/bundles", rest.Full, (*API).addBundle),
	rest.On("GET /api/bundles/{id}", rest.Read, rest.With((*API).ownBundle, (*API).getBundle)),
	rest.On("PUT /api/bundles/{id}", rest.Full, rest.With((*API).ownBundle, editBundle(false))),
	rest.On("PATCH /api/bundles/{id}", rest.Full, rest.With((*API).ownBundle, editBundle(true))),
	rest.On("DELETE /api/bundles/{id}", rest.Full, rest.With((*API).ownBundle, (*API).deleteBundle)),

	rest.On("GET /api/user/profile", rest.Read, (*API).getProfile),

	rest.On("GET /feeds/{key}/all", rest.Open, userFeed(allFeed)),
	rest.On("GET /feeds/{key}/unread", rest.Open, userFeed(unreadFeed)),
	rest.On("GET /feeds/{key}/archived", rest.Open, userFeed(archivedFeed)),
	rest.On("GET /feeds/{key}/shared", rest.Open, userFeed(sharedFeed)),
	rest.On("GET /feeds/shared", rest.Open, (*API).guestFeed),
}

// New returns the handler for the paths for which Handles returns true.
func New(o Options) http.Handler { return rest.New(&API{o}, routes, o.Guard, dialect(o.Log)) }

// Handles reports whether a path is one of this API. Paths may end with a slash.
func Handles(path string) bool {
	path = strings.TrimSuffix(path, "/")
	for _, root := range []string{"/api/bookmarks", "/api/tags", "/api/bundles", "/api/user"} {
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return path == "/api" || path == documentPath || path == "/health" || strings.HasPrefix(path, "/feeds/")
}
