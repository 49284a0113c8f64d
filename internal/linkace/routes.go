package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

// handler answers a request of user, or returns why not.
type handler func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error

// need is what a route asks of a key: one of the levels of access, or less.
type need string

const (
	open   need = ""    // no key at all
	anyKey need = "any" // a key, whatever it may do
	look        = need(waymark.AccessRead)
	add         = need(waymark.AccessAdd)
	change      = need(waymark.AccessFull)
)

// route is one operation. Its path stands under the prefix of each version.
type route struct {
	method string
	path   string
	needs  need
	handle handler
}

// routes are all operations of the API. PUT is PATCH, and HEAD follows from GET.
var routes = []route{
	{"GET", "/version", anyKey, (*API).showVersion},

	{"GET", "/links", look, (*API).showLinks},
	{"POST", "/links", add, (*API).addLink},
	{"GET", "/links/check", look, (*API).checkLink},
	{"GET", "/links/{id}", look, (*API).showLink},
	{"PATCH", "/links/{id}", change, (*API).editLink},
	{"PUT", "/links/{id}", change, (*API).editLink},
	{"DELETE", "/links/{id}", change, (*API).trashLink},
	{"GET", "/links/{id}/notes", look, (*API).showLinkNotes},

	{"GET", "/lists", look, (*API).showLists},
	{"POST", "/lists", add, (*API).addList},
	{"GET", "/lists/{id}", look, (*API).showList},
	{"PATCH", "/lists/{id}", change, (*API).editList},
	{"PUT", "/lists/{id}", change, (*API).editList},
	{"DELETE", "/lists/{id}", change, (*API).trashList},
	{"GET", "/lists/{id}/links", look, (*API).showListLinks},

	{"GET", "/tags", look, (*API).showTags},
	{"POST", "/tags", add, (*API).addTag},
	{"GET", "/tags/{id}", look, (*API).showTag},
	{"PATCH", "/tags/{id}", change, (*API).editTag},
	{"PUT", "/tags/{id}", change, (*API).editTag},
	{"DELETE", "/tags/{id}", change, (*API).trashTag},
	{"GET", "/tags/{id}/links", look, (*API).showTagLinks},

	{"POST", "/notes", add, (*API).addNote},
	{"PATCH", "/notes/{id}", change, (*API).editNote},
	{"PUT", "/notes/{id}", change, (*API).editNote},
	{"DELETE", "/notes/{id}", change, (*API).trashNote},

	{"GET", "/search/links", look, (*API).searchLinks},
	{"GET", "/search/lists", look, (*API).searchLists},
	{"GET", "/search/tags", look, (*API).searchTags},

	{"GET", "/trash/links", look, (*API).showTrashedLinks},
	{"GET", "/trash/lists", look, (*API).showTrashedLists},
	{"GET", "/trash/tags", look, (*API).showTrashedTags},
	{"GET", "/trash/notes", look, (*API).showTrashedNotes},
	{"DELETE", "/trash/clear", change, (*API).clearTrash},
	{"PATCH", "/trash/restore", change, (*API).restore},
	{"PUT", "/trash/restore", change, (*API).restore},

	{"POST", "/bulk/links", add, (*API).addLinks},
	{"PATCH", "/bulk/links", change, (*API).editLinks},
	{"PUT", "/bulk/links", change, (*API).editLinks},
	{"POST", "/bulk/lists", add, (*API).addLists},
	{"PATCH", "/bulk/lists", change, (*API).editLists},
	{"PUT", "/bulk/lists", change, (*API).editLists},
	{"POST", "/bulk/tags", add, (*API).addTags},
	{"PATCH", "/bulk/tags", change, (*API).editTags},
	{"PUT", "/bulk/tags", change, (*API).editTags},
	{"DELETE", "/bulk/delete", change, (*API).bulkDelete},
}
