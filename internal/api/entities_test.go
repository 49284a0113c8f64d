package api

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The keys of each kind of entity.
const (
	linkKeys = "id user_id url title description icon thumbnail visibility is_private status check_disabled unread archived favorite lists tags created_at updated_at deleted_at"
	listKeys = "id user_id name description visibility is_private links parent_id position path created_at updated_at deleted_at"
	tagKeys  = "id user_id name visibility is_private created_at updated_at deleted_at"
	noteKeys = "id user_id link_id note visibility is_private created_at updated_at deleted_at"
	pageKeys = "current_page data first_page_url from last_page last_page_url links next_page_url path per_page prev_page_url to total"
)

func TestEntitiesHaveAllKeysInAllResponses(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		link := `{"url":"https://go.dev/","lists":"a","tags":"a"}`
		for _, call := range []struct{ method, path, body, at, keys string }{
			{"POST", "/links", link, "", linkKeys},
			{"GET", "/links/1", "", "", linkKeys},
			{"PATCH", "/links/1", link, "", linkKeys},
			{"GET", "/links", "", "", pageKeys},
			{"GET", "/links", "", "data.0", linkKeys},
			{"GET", "/links", "", "data.0.lists.0", listKeys + " pivot"},
			{"GET", "/links", "", "data.0.lists.0.pivot", "link_id list_id"},
			{"GET", "/links", "", "data.0.tags.0", tagKeys + " pivot"},
			{"GET", "/links", "", "data.0.tags.0.pivot", "link_id tag_id"},
			{"GET", "/search/links?query=go", "", "data.0", linkKeys},
			{"GET", "/lists/1/links", "", "data.0", linkKeys},
			{"GET", "/tags/1/links", "", "data.0", linkKeys},
			{"POST", "/bulk/links", `{"models":[{"url":"https://b.example","lists":"a"}]}`, "0", linkKeys},
			{"PATCH", "/bulk/links", `{"models":[1],"tags":[],"tags_mode":"append","lists":[],"lists_mode":"append"}`, "0", linkKeys},
			{"POST", "/lists", `{"name":"b"}`, "", listKeys},
			{"GET", "/lists/1", "", "", listKeys},
			{"PATCH", "/lists/2", `{"name":"b"}`, "", listKeys},
			{"GET", "/lists", "", "", pageKeys},
			{"GET", "/lists", "", "data.0", listKeys},
			{"POST", "/bulk/lists", `{"models":[{"name":"c"}]}`, "0", listKeys},
			{"PATCH", "/bulk/lists", `{"models":[2]}`, "0", listKeys},
			{"POST", "/tags", `{"name":"b"}`, "", tagKeys},
			{"GET", "/tags/1", "", "", tagKeys},
			{"PATCH", "/tags/2", `{"name":"b"}`, "", tagKeys},
			{"GET", "/tags", "", "", pageKeys},
			{"GET", "/tags", "", "data.0", tagKeys},
			{"POST", "/bulk/tags", `{"models":[{"name":"c"}]}`, "0", tagKeys},
			{"PATCH", "/bulk/tags", `{"models":[2]}`, "0", tagKeys},
			{"POST", "/notes", `{"link_id":1,"note":"a"}`, "", noteKeys},
			{"PATCH", "/notes/1", `{"note":"a"}`, "", noteKeys},
			{"GET", "/links/1/notes", "", "", pageKeys},
			{"GET", "/links/1/notes", "", "data.0", noteKeys},
			{"DELETE", "/bulk/delete", `{"type":"lists","models":[2]}`, "", "2"},
			{"DELETE", "/bulk/delete", `{"type":"tags","models":[2]}`, "", "2"},
			{"DELETE", "/notes/1", "", "", ""},
			{"DELETE", "/links/1", "", "", ""},
			{"GET", "/trash/links", "", "0", linkKeys},
			{"GET", "/trash/links", "", "0.lists.0", listKeys + " pivot"},
			{"GET", "/trash/lists", "", "0", listKeys},
			{"GET", "/trash/tags", "", "0", tagKeys},
			{"GET", "/trash/notes", "", "0", noteKeys},
		} {
			got := ann.call(t, call.method, call.path, call.body).ok(t)
			part := got.body
			if call.at != "" {
				part = got.value(t, call.at)
			}
			var object map[string]any
			if err := json.Unmarshal([]byte(part), &object); err != nil {
				t.Fatalf("%s: %v in %s", got.call, err, part)
			}
			want := strings.Fields(call.keys)
			slices.Sort(want)
			if keys := slices.Sorted(maps.Keys(object)); !slices.Equal(keys, want) {
				t.Errorf("%s, %s: got keys %v, want %v", got.call, call.at, keys, want)
			}
		}
	})
}

func TestTimesAreUTCWithMicroseconds(t *testing.T) {
	form := regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"$`)
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.delete(t, "/links/1", "").ok(t)
		for _, key := range []string{"created_at", "updated_at", "deleted_at"} {
			if got := ann.get(t, "/trash/links").value(t, "0."+key); !form.MatchString(got) {
				t.Errorf("got %s %s", key, got)
			}
		}
	})
}

func TestNamesAreNormalized(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, path := range []string{"/lists", "/tags"} {
			for sent, want := range map[string]string{
				`" a "`:       "a",
				`"b, c"`:      "b c",
				`",d,"`:       "d",
				`" , e , "`:   "e",
				`"\"<f>\" &"`: `"<f>" &`,
				`"🌍 g"`:       "🌍 g",
			} {
				id := ann.post(t, path, `{"name":`+sent+`}`).ok(t)
				id.wantValue(t, "name", jsonOf(t, want))
				ann.patch(t, path+"/"+id.id(t), `{"name":`+sent+`}`).wantValue(t, "name", jsonOf(t, want))
			}
			for _, sent := range []string{`""`, `" "`, `","`, `" , "`, `"\u200b,"`, "null"} {
				ann.post(t, path, `{"name":`+sent+`}`).wantFieldErrors(t, "name: The name field is required.")
				ann.patch(t, path+"/1", `{"name":`+sent+`}`).wantFieldErrors(t, "name: The name field is required.")
			}
			for _, sent := range []string{"5", "true", `["a"]`, "{}"} {
				ann.post(t, path, `{"name":`+sent+`}`).wantFieldErrors(t, "name: The name must be a string.")
			}
			ann.patch(t, path+"/1", `{}`).wantFieldErrors(t, "name: The name field is required.")
		}
	})
}

func TestTagNamesAreUniqueAndListNamesAreNot(t *testing.T) {
	const duplicate = "name: The name has already been taken."
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		first := ann.tag(t, `{"name":"Go","visibility":1}`)
		ann.post(t, "/tags", `{"name":"Go"}`).wantFieldErrors(t, duplicate)
		ann.post(t, "/tags", `{"name":"gO"}`).wantFieldErrors(t, duplicate)
		ann.post(t, "/tags", `{"name":",g,o,"}`).wantFieldErrors(t, duplicate)
		ben.tag(t, `{"name":"go"}`)
		second := ann.tag(t, `{"name":"C"}`)
		ann.patch(t, "/tags/"+second, `{"name":"GO"}`).wantFieldErrors(t, duplicate)
		ann.patch(t, "/tags/"+first, `{"name":"GO"}`).wantValue(t, "name", `"GO"`)
		ann.delete(t, "/tags/"+first, "").ok(t)
		ann.patch(t, "/tags/"+second, `{"name":"go"}`).ok(t)

		ann.list(t, `{"name":"Go"}`)
		ann.list(t, `{"name":"Go"}`)
		ann.list(t, `{"name":"go"}`)
		ann.get(t, "/lists").wantValue(t, "total", "3")
	})
}

func TestListHasURLOfItsLinks(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"a"}`)
		url := ann.get(t, "/lists/1").value(t, "links")
		ann.callURL(t, "GET", strings.Trim(url, `"`), "").ok(t).wantValue(t, "data.*.url", `["https://go.dev/"]`)
	})
}

func TestNotesNeedActiveLink(t *testing.T) {
	const unknown = "link_id: The selected link id is invalid."
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		link, trashed := ann.link(t, `{"url":"https://go.dev/"}`), ann.link(t, `{"url":"https://old.example"}`)
		ann.delete(t, "/links/"+trashed, "").ok(t)
		ann.post(t, "/notes", `{"note":"a","link_id":`+trashed+`}`).wantFieldErrors(t, unknown)
		ann.post(t, "/notes", `{"note":"a","link_id":99}`).wantFieldErrors(t, unknown)
		ann.post(t, "/notes", `{"note":"a"}`).wantFieldErrors(t, "link_id: The link id field is required.")
		ann.post(t, "/notes", `{"link_id":`+link+`}`).wantFieldErrors(t, "note: The note field is required.")
		ann.post(t, "/notes", `{"link_id":`+link+`,"note":null}`).wantFieldErrors(t, "note: The note field is required.")
		ann.post(t, "/notes", `{"link_id":`+link+`,"note":7}`).wantFieldErrors(t, "note: The note must be a string.")
		first := ann.note(t, `{"link_id":`+link+`,"note":" first "}`)
		second := ann.note(t, `{"link_id":"`+link+`","note":"second, with a comma"}`)
		ann.patch(t, "/notes/"+first, `{}`).wantFieldErrors(t, "note: The note field is required.")
		ann.patch(t, "/notes/"+first, `{"note":"First"}`).ok(t)
		got := ann.get(t, "/links/"+link+"/notes").ok(t)
		got.wantValue(t, "data.*.id data.*.note", `[[`+first+`,`+second+`],["First","second, with a comma"]]`)
		ann.get(t, "/links/"+link+"/notes?order_by=id&order_dir=desc").wantValue(t, "data.*.id", "["+first+","+second+"]") // the order is always oldest first
		ann.get(t, "/links/"+link+"/notes?per_page=1&page=2").wantValue(t, "data.*.id total", "[["+second+"],2]")
		ann.delete(t, "/notes/"+first, "").ok(t)
		ann.get(t, "/links/"+link+"/notes").wantValue(t, "data.*.id", "["+second+"]")
		ann.patch(t, "/notes/"+first, `{"note":"x"}`).wantError(t, 404, "Not found.")
		ann.delete(t, "/notes/"+first, "").wantError(t, 404, "Not found.")
		ann.get(t, "/links/"+trashed+"/notes").wantError(t, 404, "Not found.")
	})
}
