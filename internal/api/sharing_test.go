package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waymark/internal/accounts"
	"waymark/internal/store/storetest"
)

// roles are who calls in sharedWrites, in the order of its columns.
var roles = []string{"owner", "named", "everyone", "former", "stranger", "admin", "guest"}

// sharedWrites are the writes that a list of another user, or a link in it, can be the target of. The statuses are those
// for each of the roles. In bulk operations 1 stands for a status of 200 that names the entity as changed, and 0 for one
// that leaves it out.
//
// {list} is a list of the owner's, or a sublist of it. Of zoe's links, {saved} was put there by her, {filed} by the owner, and
// {outside} and {hidden}, which is private, are not in it. {own} is a link of the caller's in the list.
var sharedWrites = []struct{ request, body, want string }{
	{"PUT /lists/{list}/links/{own}", "", "200 200 200 200 200 200 401"},
	{"PUT /lists/{list}/links/{outside}", "", "200 200 200 403 403 403 401"},
	{"PUT /lists/{list}/links/{hidden}", "", "403 403 403 403 403 403 401"},
	{"PUT /lists/{private}/links/{own}", "", "200 403 403 403 403 403 401"},
	{"DELETE /lists/{list}/links/{own}", "", "200 200 200 200 200 200 401"},
	{"DELETE /lists/{list}/links/{saved}", "", "200 200 200 403 403 403 401"},
	{"DELETE /lists/{list}/links/{filed}", "", "200 200 200 403 403 403 401"},
	{"PUT /lists/{list}/editors", `{"who":"everyone"}`, "200 403 403 403 403 403 401"},
	{"DELETE /lists/{list}/editors/me", "", "404 200 404 404 404 404 401"},
	{"POST /lists", `{"name":"Below","parent_id":{list}}`, "200 200 200 422 422 422 401"},
	{"POST /bulk/lists", `{"models":[{"name":"Below","parent_id":{list}}]}`, "200 200 200 422 422 422 401"},
	{"PATCH /lists/{list}", `{"name":"Other"}`, "200 403 403 403 403 403 401"},
	{"DELETE /lists/{list}", "", "200 403 403 403 403 403 401"},
	{"POST /lists/{list}/move", `{"parent_id":null}`, "200 403 403 403 403 403 401"},
	{"POST /lists/{below}/move", `{"parent_id":{list}}`, "200 200 200 403 403 403 401"},
	{"POST /lists/{below}/move", `{"parent_id":null}`, "200 403 403 403 403 403 401"},
	{"POST /lists/{list}/merge", `{"models":[{below}]}`, "200 403 403 403 403 403 401"},
	{"PATCH /bulk/lists", `{"models":[{list}],"visibility":1}`, "1 0 0 0 0 0 401"},

	{"PATCH /links/{saved}", `{"url":"https://saved.example/","title":"Better","description":"Much","archived":false,"visibility":2}`, "200 200 200 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://better.example/"}`, "200 200 200 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://outside.example/"}`, "422 422 422 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://saved.example/","lists":[],"tags":["mine"]}`, "200 200 200 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://saved.example/","archived":true}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://saved.example/","favorite":true}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://saved.example/","visibility":1}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://saved.example/","is_private":true}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://saved.example/","status":3}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{saved}", `{"url":"https://saved.example/","check_disabled":true}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{filed}", `{"url":"https://filed.example/","title":"Better"}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{outside}", `{"url":"https://outside.example/","title":"Better"}`, "403 403 403 403 403 403 401"},
	{"PATCH /links/{own}", `{"url":"https://own.example/","archived":true,"visibility":1}`, "200 200 200 200 200 200 401"},
	{"DELETE /links/{saved}", "", "403 403 403 403 403 403 401"},
	{"DELETE /links/{saved}/snapshot", "", "403 403 403 403 403 403 401"},
	{"PATCH /links/{saved}/snapshot-choice", `{"snapshots":"off"}`, "403 403 403 403 403 403 401"},
	{"POST /links/{saved}/seen", "", "403 403 403 403 403 403 401"},
	{"POST /links/{saved}/fetch", "", "403 403 403 403 403 403 401"},
	{"POST /links/{saved}/check", "", "403 403 403 403 403 403 401"},
	{"POST /links/{saved}/confirm", "", "403 403 403 403 403 403 401"},
	{"POST /links/{saved}/accept-new-url", "", "403 403 403 403 403 403 401"},
	{"POST /duplicates/merge", `{"keep":{saved},"merge":[{filed}]}`, "403 403 403 403 403 403 401"},
	{"PATCH /bulk/links", `{"models":[{outside}],"lists":[{list}],"lists_mode":"append","tags":[],"tags_mode":"append"}`, "1 1 1 0 0 0 401"},
	{"PATCH /bulk/links", `{"models":[{hidden}],"lists":[{list}],"lists_mode":"append","tags":[],"tags_mode":"append"}`, "0 0 0 0 0 0 401"},
	{"PATCH /bulk/links", `{"models":[{saved}],"lists":[{list}],"lists_mode":"remove","tags":[],"tags_mode":"append"}`, "1 1 1 0 0 0 401"},
	{"PATCH /bulk/links", `{"models":[{saved}],"lists":[],"lists_mode":"replace","tags":[],"tags_mode":"append"}`, "0 0 0 0 0 0 401"},
	{"PATCH /bulk/links", `{"models":[{saved}],"lists":[{list}],"lists_mode":"remove","tags":[],"tags_mode":"append","visibility":1}`, "0 0 0 0 0 0 401"},
	{"PATCH /bulk/links", `{"models":[{saved}],"lists":[],"lists_mode":"append","tags":["mine"],"tags_mode":"append"}`, "0 0 0 0 0 0 401"},
	{"DELETE /bulk/delete", `{"type":"links","models":[{saved}]}`, "0 0 0 0 0 0 401"},
	{"DELETE /bulk/delete", `{"type":"lists","models":[{list}]}`, "1 0 0 0 0 0 401"},
	{"PATCH /bulk/restore", `{"type":"links","models":[{trashed}]}`, "0 0 0 0 0 0 401"},
	{"PATCH /trash/restore", `{"model":"link","id":{trashed}}`, "404 404 404 404 404 404 401"},
	{"POST /bulk/fetch", `{"models":[{saved}]}`, "0 0 0 0 0 0 401"},
	{"POST /bulk/check", `{"models":[{saved}]}`, "0 0 0 0 0 0 401"},
	{"POST /changes/{put}/undo", "", "200 403 403 403 403 403 401"},
	{"POST /changes/{edited}/undo", "", "200 403 403 403 403 403 401"},

	{"DELETE /tags/{tag}", "", "403 403 403 403 403 403 401"},
	{"PATCH /tags/{tag}", `{"name":"Other"}`, "403 403 403 403 403 403 401"},
	{"POST /tags/{tag}/merge", `{"models":[{tag}]}`, "403 403 403 403 403 403 401"},
	{"DELETE /tags/{tag}/links/{saved}", "", "403 403 403 403 403 403 401"},
	{"PATCH /bulk/tags", `{"models":[{tag}],"visibility":1}`, "0 0 0 0 0 0 401"},
	{"DELETE /notes/{note}", "", "403 403 403 403 403 403 401"},
	{"PATCH /notes/{note}", `{"note":"Other"}`, "403 403 403 403 403 403 401"},
}

// ofOneself are the writes that change nothing of others, whatever they name.
var ofOneself = []string{
	"POST /links", "POST /links/full-snapshot", "POST /tags", "POST /notes", "POST /bulk/links", "POST /bulk/tags", "POST /duplicates/apart",
	"POST /links/{id}/passages", "PATCH /links/{id}/passages/{passage}", "DELETE /links/{id}/passages/{passage}", "POST /moved-hosts/accept",
	"POST /saved-searches", "PATCH /saved-searches/{id}", "DELETE /saved-searches/{id}", "DELETE /trash/clear", "POST /imports", "POST /imports/{id}/undo",
	"POST /undo/{token}", "PATCH /settings",
}

func TestWritesToWhatOthersShare(t *testing.T) {
	known := slices.Clone(ofOneself)
	for _, w := range sharedWrites {
		known = append(known, strings.Replace(w.request, "PUT ", "PATCH ", 1))
	}
	for _, r := range routes {
		if pattern := patternOf(r.Method + " " + r.Path); r.Method != http.MethodGet && !slices.ContainsFunc(known, func(k string) bool { return patternOf(k) == pattern }) {
			t.Errorf("%s %s: it is not in sharedWrites", r.Method, r.Path)
		}
	}
	for i, role := range roles {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			for _, sublist := range []bool{false, true} {
				var x *sharedWorld
				for _, w := range sharedWrites {
					if sublist && (i >= 4 || !strings.Contains(w.request, "{list}")) {
						continue
					}
					if x == nil {
						x = newSharedWorld(t, role, sublist)
					}
					if changed := x.check(t, w.request, w.body, strings.Fields(w.want)[i]); changed {
						x = nil
					}
				}
			}
		})
	}
}

// patternOf replaces the parts of a path that stand for an id.
func patternOf(request string) string {
	parts := strings.Split(request, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "/")
}

// sharedWorld is what the requests of sharedWrites are about. It is made again after each that has changed it.
type sharedWorld struct {
	*testServer
	role    string
	sublist bool
	caller  *testClient
	ids     map[string]string
}

func newSharedWorld(t *testing.T, role string, sublist bool) *sharedWorld {
	t.Helper()
	s := testServerOn(t, v2, storetest.Open(t))
	ann, zoe := s.addUser(t, "ann"), s.addUser(t, "zoe")
	caller := ann
	switch role {
	case "owner":
	case "guest":
		caller = s.withoutKey()
	default:
		caller = s.addUser(t, "ben")
	}
	if role == "admin" {
		_, err := s.accounts.EditUser(t.Context(), "ben", accounts.UserEdit{Admin: new(true)})
		check(t, err)
	}
	ids := map[string]string{}
	top := ann.list(t, `{"name":"Recipes","visibility":2}`)
	ids["{list}"] = top
	if sublist {
		ids["{list}"] = ann.list(t, `{"name":"Cakes","visibility":2,"parent_id":`+top+`}`)
	}
	ids["{below}"] = ann.list(t, `{"name":"Below","visibility":2,"parent_id":`+ids["{list}"]+`}`)
	ids["{private}"] = ann.list(t, `{"name":"Private","visibility":3}`)
	link := func(name, more string) {
		ids["{"+name+"}"] = zoe.link(t, `{"url":"https://`+name+`.example/"`+more+`}`)
	}
	link("saved", `,"visibility":2,"tags":["zoe"],"lists":[`+ids["{list}"]+`]`)
	link("filed", `,"visibility":2`)
	link("outside", `,"visibility":2`)
	link("hidden", `,"visibility":3`)
	link("trashed", `,"visibility":2,"lists":[`+ids["{list}"]+`]`)
	zoe.delete(t, "/links/"+ids["{trashed}"], "").ok(t)
	ann.call(t, "PUT", "/lists/"+ids["{list}"]+"/links/"+ids["{filed}"], "").ok(t)
	zoe.patch(t, "/bulk/tags", `{"models":[1],"visibility":2}`).ok(t)
	ids["{tag}"], ids["{note}"] = "1", zoe.note(t, `{"link_id":`+ids["{saved}"]+`,"note":"Zoe's","visibility":2}`)
	if role != "guest" {
		ids["{own}"] = caller.link(t, `{"url":"https://own.example/","visibility":2,"lists":[`+ids["{list}"]+`]}`)
	}
	named := `{"who":"named","users":["zoe"]}`
	switch role {
	case "named":
		named = `{"who":"named","users":["zoe","BEN"]}`
	case "everyone":
		named = `{"who":"everyone"}`
	case "former":
		ann.call(t, "PUT", "/lists/"+top+"/editors", `{"who":"named","users":["ben"]}`).ok(t)
	}
	ann.call(t, "PUT", "/lists/"+top+"/editors", named).ok(t)
	x := &sharedWorld{s, role, sublist, caller, ids}
	ids["{put}"], ids["{edited}"] = x.changes(t, ann, zoe, top)
	return x
}

// check sends a request, and reports whether it has changed something.
func (x *sharedWorld) check(t *testing.T, request, body, want string) (changed bool) {
	t.Helper()
	if x.sublist && strings.HasSuffix(request, "/editors/me") && want == "200" {
		want = "404" // not named there
	}
	for name, id := range x.ids {
		request, body = strings.ReplaceAll(request, name, id), strings.ReplaceAll(body, name, id)
	}
	method, path, _ := strings.Cut(request, " ")
	got := x.caller.call(t, method, path, body)
	status := strconv.Itoa(got.status)
	if len(want) == 1 && got.status == 200 {
		status = "1"
		if got.body == "[]" || strings.HasSuffix(got.body, ":false}") {
			status = "0"
		}
	}
	if status != want {
		t.Errorf("%s %s %s as %s: got %s, want %s: %s", method, path, body, x.role, status, want, got.body)
	}
	return status == "200" || status == "1"
}

// changes returns the ids of changes that yan, a third person, has made in the list.
func (x *sharedWorld) changes(t *testing.T, ann, zoe *testClient, top string) (put, edited string) {
	t.Helper()
	list := x.ids["{list}"]
	before := ann.get(t, "/lists/"+top+"/editors").ok(t).body
	yan := x.addUser(t, "yan")
	saved := zoe.link(t, `{"url":"https://another.example/","visibility":2,"lists":[`+list+`]}`)
	ann.call(t, "PUT", "/lists/"+top+"/editors", `{"who":"everyone"}`).ok(t)
	yan.link(t, `{"url":"https://yan.example/","lists":[`+list+`]}`)
	yan.patch(t, "/links/"+saved, `{"url":"https://another.example/","title":"Yan's"}`).ok(t)
	ann.call(t, "PUT", "/lists/"+top+"/editors", before).ok(t)
	all := ann.get(t, "/lists/"+list+"/changes").ok(t)
	all.wantValue(t, "0.kind 1.kind 0.user", `["edited","put","yan"]`)
	return all.value(t, "1.id"), all.value(t, "0.id")
}
