// Package karakeep implements the part of Karakeep's REST API that other programs use: floccus, which keeps the
// bookmarks of browsers in sync, Miniflux, and clients of Karakeep's SDK. A folder is a list, and a bookmark is
// a link. A client's base URL is Waymark's with /karakeep at its end.
package karakeep

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"waymark/internal/config"
	"waymark/internal/rest"
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
	Guard    rest.Guard // shared with the other APIs
	Log      *slog.Logger
}

// change calls do in one transaction. All that do changes can be undone together with the other changes of the
// same sync.
func (a *API) change(r *http.Request, user waymark.User, do func(ctx context.Context, s *service.Service) error) error {
	_, err := a.Service.WithUndo(r.Context(), service.UndoOptions{User: user, APIKey: rest.Key(r).ID}, do)
	return err
}

// deleteEntity returns the handler that moves a bookmark or a tag into the trash. The bookmarks of a tag stay.
func deleteEntity[T any](kind waymark.EntityKind, idOf func(T) int64) func(*API, http.ResponseWriter, *http.Request, waymark.User, T) error {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, entity T) error {
		return writeDone(w, a.change(r, user, func(ctx context.Context, s *service.Service) error {
			return s.Delete(ctx, user, kind, idOf(entity))
		}))
	}
}

// routes are all operations of the API.
var routes = []rest.Route[*API]{
	rest.On("GET "+root+"/lists", rest.Read, (*API).listLists),
	rest.On("POST "+root+"/lists", rest.Add, (*API).addList),
	rest.On("GET "+root+"/lists/{id}", rest.Read, rest.With((*API).ownList, (*API).getList)),
	rest.On("PATCH "+root+"/lists/{id}", rest.Full, rest.With((*API).ownList, (*API).editList)),
	rest.On("DELETE "+root+"/lists/{id}", rest.Full, rest.With((*API).ownList, (*API).deleteList)),
	rest.On("GET "+root+"/lists/{id}/bookmarks", rest.Read, rest.With((*API).ownList, (*API).listBookmarksOfList)),
	rest.On("PUT "+root+"/lists/{id}/bookmarks/{bookmark}", rest.Full, rest.With((*API).ownList, changeMembership(waymark.AppendRefs))),
	rest.On("DELETE "+root+"/lists/{id}/bookmarks/{bookmark}", rest.Full, rest.With((*API).ownList, changeMembership(waymark.RemoveRefs))),

	rest.On("GET "+root+"/bookmarks", rest.Read, (*API).listBookmarks),
	rest.On("POST "+root+"/bookmarks", rest.Add, (*API).addBookmark),
	rest.On("GET "+root+"/bookmarks/search", rest.Read, (*API).search),
	rest.On("GET "+root+"/bookmarks/check-url", rest.Read, (*API).checkURL),
	rest.On("GET "+root+"/bookmarks/{id}", rest.Read, rest.With((*API).ownLink, (*API).getBookmark)),
	rest.On("PATCH "+root+"/bookmarks/{id}", rest.Full, rest.With((*API).ownLink, (*API).editBookmark)),
	rest.On("DELETE "+root+"/bookmarks/{id}", rest.Full, rest.With((*API).ownLink, deleteEntity(waymark.Links, func(l waymark.Link) int64 { return int64(l.ID) }))),
	rest.On("POST "+root+"/bookmarks/{id}/tags", rest.Full, rest.With((*API).ownLink, changeTags(waymark.AppendRefs, "attached"))),
	rest.On("DELETE "+root+"/bookmarks/{id}/tags", rest.Full, rest.With((*API).ownLink, changeTags(waymark.RemoveRefs, "detached"))),
	rest.On("GET "+root+"/bookmarks/{id}/lists", rest.Read, rest.With((*API).ownLink, (*API).listsOfBookmark)),
	rest.On("GET "+root+"/bookmarks/{id}/highlights", rest.Read, rest.With((*API).ownLink, (*API).noHighlights)),

	rest.On("GET "+root+"/tags", rest.Read, (*API).listTags),
	rest.On("POST "+root+"/tags", rest.Add, (*API).addTag),
	rest.On("GET "+root+"/tags/{id}", rest.Read, rest.With((*API).ownTag, (*API).getTag)),
	rest.On("PATCH "+root+"/tags/{id}", rest.Full, rest.With((*API).ownTag, (*API).editTag)),
	rest.On("DELETE "+root+"/tags/{id}", rest.Full, rest.With((*API).ownTag, deleteEntity(waymark.Tags, func(t waymark.Tag) int64 { return int64(t.ID) }))),
	rest.On("GET "+root+"/tags/{id}/bookmarks", rest.Read, rest.With((*API).ownTag, (*API).listBookmarksOfTag)),

	rest.On("GET "+root+"/users/me", rest.Read, (*API).getUser),
	rest.On("GET "+root+"/users/me/stats", rest.Read, (*API).getStats),
}

// New returns the handler for the paths for which Handles returns true.
func New(o Options) http.Handler { return rest.New(&API{o}, routes, o.Guard, dialect(o.Log)) }

// Handles reports whether a path is one of this API.
func Handles(path string) bool { return path == "/karakeep" || strings.HasPrefix(path, "/karakeep/") }

// idText returns an id as clients see it. They tell it from a number.
func idText[T waymark.ID](id T) string { return strconv.FormatInt(int64(id), 10) }
