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

// routes are all operations of the API. PUT is the same as PATCH, and HEAD as GET.
var routes = []route{
	{"GET", "/version", accessAny, (*API).getVersion},

	{"GET", "/links", accessRead, (*API).listLinks},
	{"POST", "/links", accessAdd, (*API).addLink},
	{"GET", "/links/check", accessRead, (*API).checkLink},
	{"POST", "/links/full-snapshot", accessAdd, (*API).addFullSnapshot},
	{"GET", "/links/{id}", accessRead, getEntity((*store.Store).Link, newLinkJSON)},
	{"PATCH", "/links/{id}", accessFull, editEntity((*jsonBody).linkInput, (*service.Service).EditLink, newLinkJSON)},
	{"DELETE", "/links/{id}", accessFull, deleteEntity[waymark.LinkID](waymark.Links)},
	{"GET", "/links/{id}/check", accessRead, withID((*API).writeChecks)},
	{"GET", "/links/{id}/snapshot", accessRead, withID((*API).getSnapshot)},
	{"DELETE", "/links/{id}/snapshot", accessFull, withID((*API).deleteSnapshot)},
	{"GET", "/links/{id}/snapshot-choice", accessRead, withID((*API).getSnapshotChoice)},
	{"PATCH", "/links/{id}/snapshot-choice", accessFull, withID((*API).editSnapshotChoice)},
	{"GET", "/links/{id}/notes", accessRead, withID((*API).listLinkNotes)},
	{"POST", "/links/{id}/fetch", accessFull, withID((*API).fetchLink)},
	{"POST", "/links/{id}/check", accessFull, withID((*API).checkLinkNow)},
	{"POST", "/links/{id}/confirm", accessFull, withID((*API).confirmLink)},
	{"POST", "/links/{id}/accept-new-url", accessFull, withID((*API).acceptNewURL)},
	{"GET", "/moved-hosts", accessRead, (*API).listMovedHosts},
	{"POST", "/moved-hosts/accept", accessFull, (*API).acceptMovedHost},

	{"GET", "/lists", accessRead, (*API).listLists},
	{"POST", "/lists", accessAdd, addEntity((*jsonBody).listInput, (*service.Service).AddList, newListJSON)},
	{"GET", "/lists/{id}", accessRead, getEntity((*store.Store).List, newListJSON)},
	{"PATCH", "/lists/{id}", accessFull, editEntity((*jsonBody).listInput, (*service.Service).EditList, newListJSON)},
	{"DELETE", "/lists/{id}", accessFull, deleteEntity[waymark.ListID](waymark.Lists)},
	{"POST", "/lists/{id}/move", accessFull, withID((*API).moveList)},
	{"POST", "/lists/{id}/merge", accessFull, mergeEntities((*store.Store).List, (*service.Service).MergeLists, newListJSON)},
	{"GET", "/lists/{id}/links", accessRead, withID((*API).listLinksOfList)},
	{"DELETE", "/lists/{id}/links/{link_id}", accessFull, removeLink((*service.Service).RemoveFromList)},

	{"GET", "/tags", accessRead, (*API).listTags},
	{"POST", "/tags", accessAdd, addEntity((*jsonBody).tagInput, (*service.Service).AddTag, newTagJSON)},
	{"GET", "/tags/{id}", accessRead, getEntity((*store.Store).Tag, newTagJSON)},
	{"PATCH", "/tags/{id}", accessFull, editEntity((*jsonBody).tagInput, (*service.Service).EditTag, newTagJSON)},
	{"DELETE", "/tags/{id}", accessFull, deleteEntity[waymark.TagID](waymark.Tags)},
	{"POST", "/tags/{id}/merge", accessFull, mergeEntities((*store.Store).Tag, (*service.Service).MergeTags, newTagJSON)},
	{"GET", "/tags/{id}/links", accessRead, withID((*API).listLinksOfTag)},
	{"DELETE", "/tags/{id}/links/{link_id}", accessFull, removeLink((*service.Service).RemoveTag)},

	{"POST", "/notes", accessAdd, (*API).addNote},
	{"PATCH", "/notes/{id}", accessFull, editEntity((*jsonBody).noteInput, (*service.Service).EditNote, newNoteJSON)},
	{"DELETE", "/notes/{id}", accessFull, deleteEntity[waymark.NoteID](waymark.Notes)},

	{"GET", "/search/links", accessRead, (*API).searchLinks},
	{"GET", "/search/lists", accessRead, searchNames((*store.Store).SuggestLists, func(l *waymark.List) (waymark.ListID, string) { return l.ID, l.Name })},
	{"GET", "/search/tags", accessRead, searchNames((*store.Store).SuggestTags, func(t *waymark.Tag) (waymark.TagID, string) { return t.ID, t.Name })},

	{"GET", "/saved-searches", accessRead, (*API).listSavedSearches},
	{"POST", "/saved-searches", accessAdd, addEntity((*jsonBody).savedSearchInput, (*service.Service).AddSavedSearch, newSavedSearchJSON)},
	{"PATCH", "/saved-searches/{id}", accessFull, editEntity((*jsonBody).savedSearchInput, (*service.Service).EditSavedSearch, newSavedSearchJSON)},
	{"DELETE", "/saved-searches/{id}", accessFull, withID((*API).deleteSavedSearch)},

	{"GET", "/trash/links", accessRead, listTrash((*store.Store).TrashedLinks, newLinkJSON)},
	{"GET", "/trash/lists", accessRead, listTrash((*store.Store).TrashedLists, newListJSON)},
	{"GET", "/trash/tags", accessRead, listTrash((*store.Store).TrashedTags, newTagJSON)},
	{"GET", "/trash/notes", accessRead, listTrash((*store.Store).TrashedNotes, newNoteJSON)},
	{"DELETE", "/trash/clear", accessFull, (*API).clearTrash},
	{"PATCH", "/trash/restore", accessFull, (*API).restore},

	{"POST", "/bulk/links", accessAdd, bulkAdd((*jsonBody).linkInput, (*service.Service).AddLinks, newLinkJSON)},
	{"PATCH", "/bulk/links", accessFull, bulkEdit((*jsonBody).linkEdit, (*service.Service).EditLinks, newLinkJSON)},
	{"POST", "/bulk/lists", accessAdd, bulkAdd((*jsonBody).listInput, (*service.Service).AddLists, newListJSON)},
	{"PATCH", "/bulk/lists", accessFull, bulkEdit((*jsonBody).visibilityEdit, (*service.Service).EditLists, newListJSON)},
	{"POST", "/bulk/tags", accessAdd, bulkAdd((*jsonBody).tagInput, (*service.Service).AddTags, newTagJSON)},
	{"PATCH", "/bulk/tags", accessFull, bulkEdit((*jsonBody).visibilityEdit, (*service.Service).EditTags, newTagJSON)},
	{"DELETE", "/bulk/delete", accessFull, bulkMove((*service.Service).DeleteMany, "links", "lists", "tags")},
	{"PATCH", "/bulk/restore", accessFull, bulkMove((*service.Service).RestoreMany, "links", "lists", "tags", "notes")},
	{"POST", "/bulk/fetch", accessFull, bulkRequest((*crawl.Crawler).RequestPages)},
	{"POST", "/bulk/check", accessFull, bulkRequest((*crawl.Crawler).RequestChecks)},

	{"GET", "/export", accessRead, (*API).export},
	{"GET", "/imports", accessRead, (*API).listImports},
	{"POST", "/imports", accessFull, (*API).addImport},
	{"GET", "/imports/{id}", accessRead, withID((*API).getImport)},
	{"POST", "/imports/{id}/undo", accessFull, withID((*API).undoImport)},

	{"POST", "/undo/{token}", accessFull, (*API).undo},

	{"GET", "/settings", accessRead, (*API).getSettings},
	{"PATCH", "/settings", accessFull, (*API).editSettings},
}
