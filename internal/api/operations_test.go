package api

import (
	"strings"
	"testing"

	"waymark/internal/store/storetest"
)

// operationCalls are calls of every operation. Each call depends on the calls before it.
var operationCalls = []struct {
	method, path, body string
	want               string // paths in the response and their JSON
}{
	{"POST", "/lists", `{"name":"Read"}`, `id name = [1,"Read"]`},
	{"GET", "/lists", "", `total data.0.name = [1,"Read"]`},
	{"GET", "/lists/1", "", `name = "Read"`},
	{"PATCH", "/lists/1", `{"name":"Reading"}`, `name = "Reading"`},
	{"PUT", "/lists/1", `{"name":"Read"}`, `name = "Read"`},
	{"POST", "/tags", `{"name":"go"}`, `id name = [1,"go"]`},
	{"GET", "/tags", "", `total data.0.name = [1,"go"]`},
	{"GET", "/tags/1", "", `name = "go"`},
	{"PATCH", "/tags/1", `{"name":"Go"}`, `name = "Go"`},
	{"PUT", "/tags/1", `{"name":"go"}`, `name = "go"`},
	{"POST", "/links", `{"url":"https://go.dev/","lists":[1],"tags":["go"]}`, `id url lists.0.pivot.list_id tags.0.pivot.tag_id = [1,"https://go.dev/",1,1]`},
	{"GET", "/links", "", `total data.0.url = [1,"https://go.dev/"]`},
	{"GET", "/links/check?url=https://go.dev/", "", `linksFound = true`},
	{"GET", "/links/1", "", `url = "https://go.dev/"`},
	{"PATCH", "/links/1", `{"url":"https://go.dev/doc/"}`, `url lists.0.name = ["https://go.dev/doc/","Read"]`},
	{"PUT", "/links/1", `{"url":"https://go.dev/"}`, `url = "https://go.dev/"`},
	{"GET", "/lists/1/links", "", `total data.0.id = [1,1]`},
	{"GET", "/tags/1/links", "", `total data.0.id = [1,1]`},
	{"POST", "/lists/1/move", `{"parent_id":null}`, `id parent_id path = [1,null,["Read"]]`},
	{"POST", "/lists/1/merge", `{"models":[1]}`, `id = 1`},
	{"PUT", "/lists/1/links/1", "", ``},
	{"PATCH", "/lists/1/links/1", "", ``},
	{"PATCH", "/lists/1/editors", `{"who":"owner"}`, `who = "owner"`},
	{"PUT", "/lists/1/editors", `{"who":"owner"}`, `who users from = ["owner",[],1]`},
	{"GET", "/lists/1/editors", "", `who users from = ["owner",[],1]`},
	{"GET", "/lists/1/changes", "", `*.id = []`},
	{"GET", "/links/1/changes", "", `*.id = []`},
	{"POST", "/tags/1/merge", `{"models":[1]}`, `id = 1`},
	{"POST", "/links/1/passages", `{"exact":"Nice"}`, `id link_id exact note found = [1,1,"Nice","",false]`},
	{"PATCH", "/links/1/passages/1", `{"note":"a"}`, `note = "a"`},
	{"PUT", "/links/1/passages/1", `{"note":"b"}`, `note = "b"`},
	{"GET", "/links/1/passages", "", `*.note = ["b"]`},
	{"DELETE", "/links/1/passages/1", "", ``},
	{"POST", "/notes", `{"link_id":1,"note":"Nice"}`, `id link_id note = [1,1,"Nice"]`},
	{"PATCH", "/notes/1", `{"note":"Nicer"}`, `note = "Nicer"`},
	{"PUT", "/notes/1", `{"note":"Nice"}`, `note = "Nice"`},
	{"GET", "/links/1/notes", "", `total data.0.note = [1,"Nice"]`},
	{"GET", "/links/1/check", "", `result code checked_at checks = [null,null,null,[]]`},
	{"GET", "/links/1/snapshot-choice", "", `snapshots has_snapshot = [null,false]`},
	{"PATCH", "/links/1/snapshot-choice", `{"snapshots":"off"}`, `snapshots has_snapshot = ["off",false]`},
	{"PUT", "/links/1/snapshot-choice", `{"snapshots":null}`, `snapshots has_snapshot = [null,false]`},
	{"GET", "/moved-hosts", "", `*.host = []`},
	{"POST", "/moved-hosts/accept", `{"host":"go.dev"}`, `changed kept = [0,0]`},
	{"GET", "/search/links?query=GO.dev", "", `total data.0.id = [1,1]`},
	{"GET", "/search/lists?query=rea", "", `1 = "Read"`},
	{"GET", "/search/tags?query=g", "", `1 = "go"`},
	{"DELETE", "/notes/1", "", ``},
	{"DELETE", "/lists/1", "", ``},
	{"DELETE", "/tags/1", "", ``},
	{"DELETE", "/links/1", "", ``},
	{"GET", "/trash/links", "", `*.id = [1]`},
	{"GET", "/trash/lists", "", `*.id = [1]`},
	{"GET", "/trash/tags", "", `*.id = [1]`},
	{"GET", "/trash/notes", "", `*.id = [1]`},
	{"PATCH", "/trash/restore", `{"model":"link","id":1}`, ``},
	{"PUT", "/trash/restore", `{"model":"list","id":1}`, ``},
	{"PATCH", "/trash/restore", `{"model":"tag","id":1}`, ``},
	{"DELETE", "/trash/clear", `{"model":"notes"}`, ``},
	{"GET", "/links/1", "", `lists.*.name tags.*.name = [["Read"],["go"]]`},
	{"POST", "/bulk/links", `{"models":[{"url":"https://a.example"},{"url":"https://b.example"}]}`, `*.id = [2,3]`},
	{"PATCH", "/bulk/links", `{"models":[3,2],"tags":[1],"tags_mode":"append","lists":[],"lists_mode":"append"}`, `*.id 0.tags.0.name = [[3,2],"go"]`},
	{"PUT", "/bulk/links", `{"models":[3],"tags":[],"tags_mode":"replace","lists":[],"lists_mode":"append"}`, `*.tags = [[]]`},
	{"POST", "/bulk/lists", `{"models":[{"name":"a"},{"name":"b"}]}`, `*.name = ["a","b"]`},
	{"PATCH", "/bulk/lists", `{"models":[2],"visibility":1}`, `*.visibility = [1]`},
	{"PUT", "/bulk/lists", `{"models":[2],"visibility":2}`, `*.visibility = [2]`},
	{"POST", "/bulk/tags", `{"models":[{"name":"a"},{"name":"b"}]}`, `*.name = ["a","b"]`},
	{"PATCH", "/bulk/tags", `{"models":[2],"visibility":1}`, `*.visibility = [1]`},
	{"PUT", "/bulk/tags", `{"models":[2],"visibility":2}`, `*.visibility = [2]`},
	{"GET", "/export?format=json", "", `bookmarks.*.url = ["https://go.dev/","https://a.example","https://b.example"]`},
	{"POST", "/links", `{"url":"http://www.go.dev"}`, `id = 4`},
	{"GET", "/duplicates", "", `next_page_url data.*.keep data.0.url data.0.links.*.id = [null,[1],"https://go.dev/",[1,4]]`},
	{"POST", "/duplicates/apart", `{"links":[1,4]}`, ``},
	{"GET", "/duplicates?weak=1", "", `data = []`},
	{"POST", "/duplicates/merge", `{"keep":1,"merge":[4]}`, `link.id merged skipped = [1,[4],[]]`},
	{"POST", "/imports?file=a.txt&folders=tags&visibility=3", "https://imported.example/", `id file format folders visibility = [1,"a.txt","list of URLs","tags",3]`},
	{"GET", "/imports", "", `*.id = [1]`},
	{"GET", "/imports/1", "", `file on_duplicate = ["a.txt","update"]`},
	{"POST", "/imports/1/undo", "", `state = "undone"`},
	{"GET", "/settings", "", `links_per_page view link_visibility = [24,"comfortable",3]`},
	{"PATCH", "/settings", `{"language":"de","note_visibility":1,"links_per_page":48,"shortcuts":false,"only_mine":true,"metadata":false,"snapshots":"text"}`, `language note_visibility links_per_page shortcuts only_mine metadata check pictures snapshots = ["de",1,48,false,true,false,true,true,"text"]`},
	{"PUT", "/settings", `{"theme":"dark"}`, `theme language note_visibility = ["dark","de",1]`},
	{"DELETE", "/bulk/delete", `{"type":"tags","models":[2,9]}`, `2 9 = [true,false]`},
	{"PATCH", "/bulk/restore", `{"type":"tags","models":[2,9]}`, `2 9 = [true,false]`},
	{"PUT", "/bulk/restore", `{"type":"tags","models":[2]}`, `2 = false`},
	{"POST", "/links/1/fetch", "", `id = 1`},
	{"POST", "/links/1/check", "", `result = null`},
	{"POST", "/links/1/confirm", "", `result dead_days = [null,0]`},
	{"POST", "/bulk/fetch", `{"models":[1,99]}`, `1 99 = [true,false]`},
	{"POST", "/bulk/check", `{"models":[1,99]}`, `1 99 = [true,false]`},
	{"POST", "/saved-searches", `{"name":"Go","query":"query=go"}`, `id name query = [1,"Go","go"]`},
	{"GET", "/saved-searches", "", `*.id = [1]`},
	{"PATCH", "/saved-searches/1", `{"name":"Golang"}`, `name query = ["Golang","go"]`},
	{"PUT", "/saved-searches/1", `{"query":"query=golang"}`, `name query = ["Golang","golang"]`},
	{"DELETE", "/saved-searches/1", "", ``},
}

func TestEveryOperationWorksUnderBothPrefixes(t *testing.T) {
	t.Run(v1, func(t *testing.T) { checkOperations(t, testServerOn(t, v1, storetest.Open(t))) })
	t.Run(v2, func(t *testing.T) { eachDatabase(t, checkOperations) })
}

func checkOperations(t *testing.T, s *testServer) {
	ann := s.addUser(t, "ann")
	versions := ann.get(t, "/version").ok(t)
	versions.wantValue(t, "version", `"`+s.version+`"`)
	versions.wantValue(t, "waymark", `"1.2.3"`)
	for _, call := range operationCalls {
		got := ann.call(t, call.method, call.path, call.body).ok(t)
		if call.want == "" {
			if got.body != "{}" {
				t.Errorf("%s: got %s, want {}", got.call, got.body)
			}
			continue
		}
		paths, want, _ := strings.Cut(call.want, " = ")
		got.wantValue(t, paths, want)
	}
}
