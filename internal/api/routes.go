package api

import (
	"net/http"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/store"
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

// routes are all operations of the API. PUT is the same as PATCH. GET routes handle HEAD.
var routes = []route{
	{"GET", "/version", accessAny, (*API).getVersion},

	{"GET", "/links", accessRead, (*API).listLinks},
	{"POST", "/links", accessAdd, (*API).addLink},
	{"GET", "/links/check", accessRead, (*API).checkLink},
	{"POST", "/links/full-snapshot", accessAdd, (*API).addFullSnapshot},
	{"GET", "/links/{id}", accessRead, (*API).getLink},
	{"PATCH", "/links/{id}", accessFull, editEntity((*jsonBody).linkInput, (*service.Service).EditLink, newLinkJSON)},
	{"PUT", "/links/{id}", accessFull, editEntity((*jsonBody).linkInput, (*service.Service).EditLink, newLinkJSON)},
	{"DELETE", "/links/{id}", accessFull, deleteEntity((*service.Service).DeleteLink)},
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
	{"POST", "/lists", accessAdd, addEntity((*jsonBody).listInput, (*service.Service).AddList, newListJSON)},
	{"GET", "/lists/{id}", accessRead, (*API).getList},
	{"PATCH", "/lists/{id}", accessFull, editEntity((*jsonBody).listInput, (*service.Service).EditList, newListJSON)},
	{"PUT", "/lists/{id}", accessFull, editEntity((*jsonBody).listInput, (*service.Service).EditList, newListJSON)},
	{"DELETE", "/lists/{id}", accessFull, deleteEntity((*service.Service).DeleteList)},
	{"POST", "/lists/{id}/move", accessFull, (*API).moveList},
	{"POST", "/lists/{id}/merge", accessFull, (*API).mergeLists},
	{"GET", "/lists/{id}/links", accessRead, (*API).listLinksOfList},
	{"DELETE", "/lists/{id}/links/{link_id}", accessFull, removeLink((*service.Service).RemoveFromList)},

	{"GET", "/tags", accessRead, (*API).listTags},
	{"POST", "/tags", accessAdd, addEntity((*jsonBody).tagInput, (*service.Service).AddTag, newTagJSON)},
	{"GET", "/tags/{id}", accessRead, (*API).getTag},
	{"PATCH", "/tags/{id}", accessFull, editEntity((*jsonBody).tagInput, (*service.Service).EditTag, newTagJSON)},
	{"PUT", "/tags/{id}", accessFull, editEntity((*jsonBody).tagInput, (*service.Service).EditTag, newTagJSON)},
	{"DELETE", "/tags/{id}", accessFull, deleteEntity((*service.Service).DeleteTag)},
	{"POST", "/tags/{id}/merge", accessFull, (*API).mergeTags},
	{"GET", "/tags/{id}/links", accessRead, (*API).listLinksOfTag},
	{"DELETE", "/tags/{id}/links/{link_id}", accessFull, removeLink((*service.Service).RemoveTag)},

	{"POST", "/notes", accessAdd, (*API).addNote},
	{"PATCH", "/notes/{id}", accessFull, editEntity((*jsonBody).noteInput, (*service.Service).EditNote, newNoteJSON)},
	{"PUT", "/notes/{id}", accessFull, editEntity((*jsonBody).noteInput, (*service.Service).EditNote, newNoteJSON)},
	{"DELETE", "/notes/{id}", accessFull, deleteEntity((*service.Service).DeleteNote)},

	{"GET", "/search/links", accessRead, (*API).searchLinks},
	{"GET", "/search/lists", accessRead, searchNames((*store.Store).SuggestLists, func(l *waymark.List) (waymark.ListID, string) { return l.ID, l.Name })},
	{"GET", "/search/tags", accessRead, searchNames((*store.Store).SuggestTags, func(t *waymark.Tag) (waymark.TagID, string) { return t.ID, t.Name })},

	{"GET", "/saved-searches", accessRead, (*API).listSavedSearches},
	{"POST", "/saved-searches", accessAdd, addEntity((*jsonBody).savedSearchInput, (*service.Service).AddSavedSearch, newSavedSearchJSON)},
	{"PATCH", "/saved-searches/{id}", accessFull, editEntity((*jsonBody).savedSearchInput, (*service.Service).EditSavedSearch, newSavedSearchJSON)},
	{"PUT", "/saved-searches/{id}", accessFull, editEntity((*jsonBody).savedSearchInput, (*service.Service).EditSavedSearch, newSavedSearchJSON)},
	{"DELETE", "/saved-searches/{id}", accessFull, (*API).deleteSavedSearch},

	{"GET", "/trash/links", accessRead, listTrash((*store.Store).TrashedLinks, newLinkJSON)},
	{"GET", "/trash/lists", accessRead, listTrash((*store.Store).TrashedLists, newListJSON)},
	{"GET", "/trash/tags", accessRead, listTrash((*store.Store).TrashedTags, newTagJSON)},
	{"GET", "/trash/notes", accessRead, listTrash((*store.Store).TrashedNotes, newNoteJSON)},
	{"DELETE", "/trash/clear", accessFull, (*API).clearTrash},
	{"PATCH", "/trash/restore", accessFull, (*API).restore},
	{"PUT", "/trash/restore", accessFull, (*API).restore},

	{"POST", "/bulk/links", accessAdd, bulkAdd((*jsonBody).linkInput, (*service.Service).AddLinks, newLinkJSON)},
	{"PATCH", "/bulk/links", accessFull, bulkEdit((*jsonBody).linkEdit, (*service.Service).EditLinks, newLinkJSON)},
	{"PUT", "/bulk/links", accessFull, bulkEdit((*jsonBody).linkEdit, (*service.Service).EditLinks, newLinkJSON)},
	{"POST", "/bulk/lists", accessAdd, bulkAdd((*jsonBody).listInput, (*service.Service).AddLists, newListJSON)},
	{"PATCH", "/bulk/lists", accessFull, bulkEdit((*jsonBody).visibilityEdit, (*service.Service).EditLists, newListJSON)},
	{"PUT", "/bulk/lists", accessFull, bulkEdit((*jsonBody).visibilityEdit, (*service.Service).EditLists, newListJSON)},
	{"POST", "/bulk/tags", accessAdd, bulkAdd((*jsonBody).tagInput, (*service.Service).AddTags, newTagJSON)},
	{"PATCH", "/bulk/tags", accessFull, bulkEdit((*jsonBody).visibilityEdit, (*service.Service).EditTags, newTagJSON)},
	{"PUT", "/bulk/tags", accessFull, bulkEdit((*jsonBody).visibilityEdit, (*service.Service).EditTags, newTagJSON)},
	{"DELETE", "/bulk/delete", accessFull, bulkMove((*service.Service).DeleteMany, "links", "lists", "tags")},
	{"PATCH", "/bulk/restore", accessFull, bulkMove((*service.Service).RestoreMany, "links", "lists", "tags", "notes")},
	{"PUT", "/bulk/restore", accessFull, bulkMove((*service.Service).RestoreMany, "links", "lists", "tags", "notes")},
	{"POST", "/bulk/fetch", accessFull, bulkRequest((*crawl.Crawler).RequestPages)},
	{"POST", "/bulk/check", accessFull, bulkRequest((*crawl.Crawler).RequestChecks)},

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
