package api

import (
	"net/http"

	"waymark/internal/crawl"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// routes are all operations of the API. PUT is the same as PATCH, and HEAD as GET.
var routes = []route{
	rest.On("GET /version", rest.Any, (*API).getVersion),

	rest.On("GET /links", rest.Read, (*API).listLinks),
	rest.On("POST /links", rest.Add, (*API).addLink),
	rest.On("GET /links/check", rest.Read, (*API).checkLink),
	rest.On("POST /links/full-snapshot", rest.Add, (*API).addFullSnapshot),
	rest.On("GET /links/{id}", rest.Read, getEntity((*store.Store).Link, newLinkJSON)),
	rest.On("PATCH /links/{id}", rest.Full, withID((*API).editLink)),
	rest.On("DELETE /links/{id}", rest.Full, deleteEntity[waymark.LinkID](waymark.Links)),
	rest.On("GET /links/{id}/check", rest.Read, withID((*API).writeChecks)),
	rest.On("GET /links/{id}/snapshot", rest.Read, withID((*API).getSnapshot)),
	rest.On("GET /links/{id}/snapshot.epub", rest.Read, withID((*API).getBook)),
	rest.On("DELETE /links/{id}/snapshot", rest.Full, withID((*API).deleteSnapshot)),
	rest.On("GET /links/{id}/snapshot-choice", rest.Read, withID((*API).getSnapshotChoice)),
	rest.On("PATCH /links/{id}/snapshot-choice", rest.Full, withID((*API).editSnapshotChoice)),
	rest.On("POST /links/{id}/seen", rest.Full, withID((*API).markSeen)),
	rest.On("GET /links/{id}/notes", rest.Read, withID((*API).listLinkNotes)),
	rest.On("GET /links/{id}/passages", rest.Read, withID((*API).listPassages)),
	rest.On("POST /links/{id}/passages", rest.Add, withID((*API).addPassage)),
	rest.On("PATCH /links/{id}/passages/{passage_id}", rest.Full, withID((*API).editPassage)),
	rest.On("DELETE /links/{id}/passages/{passage_id}", rest.Full, withID((*API).deletePassage)),
	rest.On("POST /links/{id}/fetch", rest.Full, withID((*API).fetchLink)),
	rest.On("POST /links/{id}/check", rest.Full, withID((*API).checkLinkNow)),
	rest.On("POST /links/{id}/confirm", rest.Full, withID((*API).confirmLink)),
	rest.On("GET /links/{id}/changes", rest.Read, listChanges((*service.Service).LinkChanges)),
	rest.On("POST /links/{id}/accept-new-url", rest.Full, withID((*API).acceptNewURL)),
	rest.On("GET /moved-hosts", rest.Read, (*API).listMovedHosts),
	rest.On("POST /moved-hosts/accept", rest.Full, (*API).acceptMovedHost),

	rest.On("GET /duplicates", rest.Read, (*API).listDuplicates),
	rest.On("POST /duplicates/merge", rest.Full, (*API).mergeDuplicates),
	rest.On("POST /duplicates/apart", rest.Full, (*API).keepApart),

	rest.On("GET /lists", rest.Read, (*API).listLists),
	rest.On("POST /lists", rest.Add, addEntity[listFields]((*service.Service).AddList, newListJSON)),
	rest.On("GET /lists/{id}", rest.Read, getEntity((*store.Store).List, newListJSON)),
	rest.On("PATCH /lists/{id}", rest.Full, editEntity[listFields]((*service.Service).EditList, newListJSON)),
	rest.On("DELETE /lists/{id}", rest.Full, deleteEntity[waymark.ListID](waymark.Lists)),
	rest.On("POST /lists/{id}/move", rest.Full, withID((*API).moveList)),
	rest.On("POST /lists/{id}/merge", rest.Full, mergeEntities((*store.Store).List, (*service.Service).MergeLists, newListJSON)),
	rest.On("GET /lists/{id}/links", rest.Read, withID((*API).listLinksOfList)),
	rest.On("PATCH /lists/{id}/links/{link_id}", rest.Full, fileLink(addToList)),
	rest.On("DELETE /lists/{id}/links/{link_id}", rest.Full, fileLink((*service.Service).RemoveFromList)),
	rest.On("GET /lists/{id}/editors", rest.Read, withID((*API).getEditors)),
	rest.On("PATCH /lists/{id}/editors", rest.Full, withID((*API).setEditors)),
	rest.On("DELETE /lists/{id}/editors/me", rest.Full, withID((*API).leaveList)),
	rest.On("GET /lists/{id}/changes", rest.Read, listChanges((*service.Service).ListChanges)),
	rest.On("POST /changes/{id}/undo", rest.Full, withID((*API).undoChange)),

	rest.On("GET /tags", rest.Read, (*API).listTags),
	rest.On("POST /tags", rest.Add, addEntity[tagFields]((*service.Service).AddTag, newTagJSON)),
	rest.On("GET /tags/{id}", rest.Read, getEntity((*store.Store).Tag, newTagJSON)),
	rest.On("PATCH /tags/{id}", rest.Full, editEntity[tagFields]((*service.Service).EditTag, newTagJSON)),
	rest.On("DELETE /tags/{id}", rest.Full, deleteEntity[waymark.TagID](waymark.Tags)),
	rest.On("POST /tags/{id}/merge", rest.Full, mergeEntities((*store.Store).Tag, (*service.Service).MergeTags, newTagJSON)),
	rest.On("GET /tags/{id}/links", rest.Read, withID((*API).listLinksOfTag)),
	rest.On("DELETE /tags/{id}/links/{link_id}", rest.Full, removeLink((*service.Service).RemoveTag)),

	rest.On("POST /notes", rest.Add, (*API).addNote),
	rest.On("PATCH /notes/{id}", rest.Full, editEntity[noteFields]((*service.Service).EditNote, newNoteJSON)),
	rest.On("DELETE /notes/{id}", rest.Full, deleteEntity[waymark.NoteID](waymark.Notes)),

	rest.On("GET /search/links", rest.Read, (*API).searchLinks),
	rest.On("GET /search/lists", rest.Read, searchNames((*store.Store).SuggestLists, func(l *waymark.List) (waymark.ListID, string) { return l.ID, l.Name })),
	rest.On("GET /search/tags", rest.Read, searchNames((*store.Store).SuggestTags, func(t *waymark.Tag) (waymark.TagID, string) { return t.ID, t.Name })),

	rest.On("GET /saved-searches", rest.Read, (*API).listSavedSearches),
	rest.On("POST /saved-searches", rest.Add, addEntity[savedSearchFields]((*service.Service).AddSavedSearch, newSavedSearchJSON)),
	rest.On("PATCH /saved-searches/{id}", rest.Full, editEntity[savedSearchFields]((*service.Service).EditSavedSearch, newSavedSearchJSON)),
	rest.On("DELETE /saved-searches/{id}", rest.Full, withID((*API).deleteSavedSearch)),

	rest.On("GET /trash/links", rest.Read, listTrash((*store.Store).TrashedLinks, newLinkJSON)),
	rest.On("GET /trash/lists", rest.Read, listTrash((*store.Store).TrashedLists, newListJSON)),
	rest.On("GET /trash/tags", rest.Read, listTrash((*store.Store).TrashedTags, newTagJSON)),
	rest.On("GET /trash/notes", rest.Read, listTrash((*store.Store).TrashedNotes, newNoteJSON)),
	rest.On("DELETE /trash/clear", rest.Full, (*API).clearTrash),
	rest.On("PATCH /trash/restore", rest.Full, (*API).restore),

	rest.On("POST /bulk/links", rest.Add, bulkAdd[linkFields]((*service.Service).AddLinks, newLinkJSON)),
	rest.On("PATCH /bulk/links", rest.Full, bulkEdit[linkEditFields]((*service.Service).EditLinks, newLinkJSON)),
	rest.On("POST /bulk/lists", rest.Add, bulkAdd[listFields]((*service.Service).AddLists, newListJSON)),
	rest.On("PATCH /bulk/lists", rest.Full, bulkEdit[editFields]((*service.Service).EditLists, newListJSON)),
	rest.On("POST /bulk/tags", rest.Add, bulkAdd[tagFields]((*service.Service).AddTags, newTagJSON)),
	rest.On("PATCH /bulk/tags", rest.Full, bulkEdit[editFields]((*service.Service).EditTags, newTagJSON)),
	rest.On("DELETE /bulk/delete", rest.Full, bulkMove((*service.Service).DeleteMany, labeledKinds)),
	rest.On("PATCH /bulk/restore", rest.Full, bulkMove((*service.Service).RestoreMany, pluralKinds)),
	rest.On("POST /bulk/fetch", rest.Full, bulkRequest((*crawl.Crawler).RequestPages)),
	rest.On("POST /bulk/check", rest.Full, bulkRequest((*crawl.Crawler).RequestChecks)),

	rest.On("GET /export", rest.Read, (*API).export),
	rest.On("GET /imports", rest.Read, (*API).listImports),
	rest.On("POST /imports", rest.Full, (*API).addImport),
	rest.On("GET /imports/{id}", rest.Read, withID((*API).getImport)),
	rest.On("POST /imports/{id}/undo", rest.Full, withID((*API).undoImport)),

	rest.On("POST /undo/{token}", rest.Full, (*API).undo),

	rest.On("GET /settings", rest.Read, (*API).getSettings),
	rest.On("PATCH /settings", rest.Full, (*API).editSettings),
}

// New returns the handler for all paths under /api.
func New(o Options) http.Handler {
	all := append(docsRoutes(o.Settings.BaseURL.EscapedPath()), rest.On("GET /api/version", rest.Open, (*API).getVersion))
	for _, version := range []string{v1, v2} {
		for _, r := range routes {
			r.Path = "/api/" + version + r.Path
			all = append(all, r)
			if r.Method == http.MethodPatch {
				r.Method = http.MethodPut
				all = append(all, r)
			}
		}
	}
	return rest.New(&API{o}, all, o.Guard, dialect(o.Log))
}
