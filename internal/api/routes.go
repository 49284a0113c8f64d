package api

import (
	"net/http"

	"waymark/internal/waymark"
)

// handler writes the response to a request of user, or returns an error.
type handler func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error

// access is the access level that a route needs, or a lower requirement.
type access string

const (
	accessNone access = ""    // no API key
	accessAny  access = "any" // an API key with any access level
	accessRead        = access(waymark.AccessRead)
	accessAdd         = access(waymark.AccessAdd)
	accessFull        = access(waymark.AccessFull)
)

// route is one operation. Its path is relative to the prefix of each version.
type route struct {
	method string
	path   string
	access access
	handle handler
}

// routes are all operations of the API. PUT is the same as PATCH. HEAD is handled by the
// GET routes.
var routes = []route{
	{"GET", "/version", accessAny, (*API).getVersion},

	{"GET", "/links", accessRead, (*API).listLinks},
	{"POST", "/links", accessAdd, (*API).addLink},
	{"GET", "/links/check", accessRead, (*API).checkLink},
	{"POST", "/links/full-snapshot", accessAdd, (*API).addFullSnapshot},
	{"GET", "/links/{id}", accessRead, (*API).getLink},
	{"PATCH", "/links/{id}", accessFull, (*API).editLink},
	{"PUT", "/links/{id}", accessFull, (*API).editLink},
	{"DELETE", "/links/{id}", accessFull, (*API).deleteLink},
	{"GET", "/links/{id}/check", accessRead, (*API).getChecks},
	{"GET", "/links/{id}/snapshot", accessRead, (*API).getSnapshot},
	{"DELETE", "/links/{id}/snapshot", accessFull, (*API).deleteSnapshot},
	{"GET", "/links/{id}/snapshot-choice", accessRead, (*API).getSnapshotChoice},
	{"PATCH", "/links/{id}/snapshot-choice", accessFull, (*API).editSnapshotChoice},
	{"PUT", "/links/{id}/snapshot-choice", accessFull, (*API).editSnapshotChoice},
	{"GET", "/links/{id}/notes", accessRead, (*API).listLinkNotes},
	{"POST", "/links/{id}/fetch", accessFull, (*API).fetchLink},
	{"POST", "/links/{id}/check", accessFull, (*API).checkLinkNow},
	{"POST", "/links/{id}/confirm", accessFull, (*API).confirmLink},
	{"POST", "/links/{id}/accept-new-url", accessFull, (*API).acceptNewURL},
	{"GET", "/moved-hosts", accessRead, (*API).listMovedHosts},
	{"POST", "/moved-hosts/accept", accessFull, (*API).acceptMovedHost},

	{"GET", "/lists", accessRead, (*API).listLists},
	{"POST", "/lists", accessAdd, (*API).addList},
	{"GET", "/lists/{id}", accessRead, (*API).getList},
	{"PATCH", "/lists/{id}", accessFull, (*API).editList},
	{"PUT", "/lists/{id}", accessFull, (*API).editList},
	{"DELETE", "/lists/{id}", accessFull, (*API).deleteList},
	{"POST", "/lists/{id}/move", accessFull, (*API).moveList},
	{"POST", "/lists/{id}/merge", accessFull, (*API).mergeLists},
	{"GET", "/lists/{id}/links", accessRead, (*API).listLinksOfList},
	{"DELETE", "/lists/{id}/links/{link_id}", accessFull, (*API).removeFromList},

	{"GET", "/tags", accessRead, (*API).listTags},
	{"POST", "/tags", accessAdd, (*API).addTag},
	{"GET", "/tags/{id}", accessRead, (*API).getTag},
	{"PATCH", "/tags/{id}", accessFull, (*API).editTag},
	{"PUT", "/tags/{id}", accessFull, (*API).editTag},
	{"DELETE", "/tags/{id}", accessFull, (*API).deleteTag},
	{"POST", "/tags/{id}/merge", accessFull, (*API).mergeTags},
	{"GET", "/tags/{id}/links", accessRead, (*API).listLinksOfTag},
	{"DELETE", "/tags/{id}/links/{link_id}", accessFull, (*API).removeTag},

	{"POST", "/notes", accessAdd, (*API).addNote},
	{"PATCH", "/notes/{id}", accessFull, (*API).editNote},
	{"PUT", "/notes/{id}", accessFull, (*API).editNote},
	{"DELETE", "/notes/{id}", accessFull, (*API).deleteNote},

	{"GET", "/search/links", accessRead, (*API).searchLinks},
	{"GET", "/search/lists", accessRead, (*API).searchLists},
	{"GET", "/search/tags", accessRead, (*API).searchTags},

	{"GET", "/saved-searches", accessRead, (*API).listSavedSearches},
	{"POST", "/saved-searches", accessAdd, (*API).addSavedSearch},
	{"PATCH", "/saved-searches/{id}", accessFull, (*API).editSavedSearch},
	{"PUT", "/saved-searches/{id}", accessFull, (*API).editSavedSearch},
	{"DELETE", "/saved-searches/{id}", accessFull, (*API).deleteSavedSearch},

	{"GET", "/trash/links", accessRead, (*API).listTrashedLinks},
	{"GET", "/trash/lists", accessRead, (*API).listTrashedLists},
	{"GET", "/trash/tags", accessRead, (*API).listTrashedTags},
	{"GET", "/trash/notes", accessRead, (*API).listTrashedNotes},
	{"DELETE", "/trash/clear", accessFull, (*API).clearTrash},
	{"PATCH", "/trash/restore", accessFull, (*API).restore},
	{"PUT", "/trash/restore", accessFull, (*API).restore},

	{"POST", "/bulk/links", accessAdd, (*API).addLinks},
	{"PATCH", "/bulk/links", accessFull, (*API).editLinks},
	{"PUT", "/bulk/links", accessFull, (*API).editLinks},
	{"POST", "/bulk/lists", accessAdd, (*API).addLists},
	{"PATCH", "/bulk/lists", accessFull, (*API).editLists},
	{"PUT", "/bulk/lists", accessFull, (*API).editLists},
	{"POST", "/bulk/tags", accessAdd, (*API).addTags},
	{"PATCH", "/bulk/tags", accessFull, (*API).editTags},
	{"PUT", "/bulk/tags", accessFull, (*API).editTags},
	{"DELETE", "/bulk/delete", accessFull, (*API).bulkDelete},
	{"PATCH", "/bulk/restore", accessFull, (*API).bulkRestore},
	{"PUT", "/bulk/restore", accessFull, (*API).bulkRestore},
	{"POST", "/bulk/fetch", accessFull, (*API).bulkFetch},
	{"POST", "/bulk/check", accessFull, (*API).bulkCheck},

	{"GET", "/export", accessRead, (*API).export},
	{"GET", "/imports", accessRead, (*API).listImports},
	{"POST", "/imports", accessFull, (*API).addImport},
	{"GET", "/imports/{id}", accessRead, (*API).getImport},
	{"POST", "/imports/{id}/undo", accessFull, (*API).undoImport},

	{"POST", "/undo/{token}", accessFull, (*API).undo},

	{"GET", "/settings", accessRead, (*API).getSettings},
	{"PATCH", "/settings", accessFull, (*API).editSettings},
	{"PUT", "/settings", accessFull, (*API).editSettings},
}
