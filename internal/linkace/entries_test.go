package linkace

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The keys that the contract gives each kind of entries.
const (
	linkKeys = "id user_id url title description icon thumbnail visibility is_private status check_disabled lists tags created_at updated_at deleted_at"
	listKeys = "id user_id name description visibility is_private links created_at updated_at deleted_at"
	tagKeys  = "id user_id name visibility is_private created_at updated_at deleted_at"
	noteKeys = "id user_id link_id note visibility is_private created_at updated_at deleted_at"
	pageKeys = "current_page data first_page_url from last_page last_page_url links next_page_url path per_page prev_page_url to total"
)

func TestEntriesHaveAllTheirKeysEverywhere(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
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
				part = got.at(t, call.at)
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
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.delete(t, "/links/1", "").ok(t)
		for _, key := range []string{"created_at", "updated_at", "deleted_at"} {
			if got := ann.get(t, "/trash/links").at(t, "0."+key); !form.MatchString(got) {
				t.Errorf("got %s %s", key, got)
			}
		}
	})
}

func TestNamesAreCleaned(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
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
				id.has(t, "name", jsonOf(t, want))
				ann.patch(t, path+"/"+id.id(t), `{"name":`+sent+`}`).has(t, "name", jsonOf(t, want))
			}
			for _, sent := range []string{`""`, `" "`, `","`, `" , "`, "null"} {
				ann.post(t, path, `{"name":`+sent+`}`).breaks(t, "name: The name field is required.")
				ann.patch(t, path+"/1", `{"name":`+sent+`}`).breaks(t, "name: The name field is required.")
			}
			for _, sent := range []string{"5", "true", `["a"]`, "{}"} {
				ann.post(t, path, `{"name":`+sent+`}`).breaks(t, "name: The name must be a string.")
			}
			ann.patch(t, path+"/1", `{}`).breaks(t, "name: The name field is required.")
		}
	})
}

func TestTagNamesAreUniqueAndListNamesNeedNotBe(t *testing.T) {
	const taken = "name: The name has already been taken."
	onSite(t, func(t *testing.T, s *site) {
		ann, ben := s.person(t, "ann"), s.person(t, "ben")
		first := ann.tag(t, `{"name":"Go","visibility":1}`)
		ann.post(t, "/tags", `{"name":"Go"}`).breaks(t, taken)
		ann.post(t, "/tags", `{"name":"gO"}`).breaks(t, taken)
		ann.post(t, "/tags", `{"name":",g,o,"}`).breaks(t, taken)
		ben.tag(t, `{"name":"go"}`)
		second := ann.tag(t, `{"name":"C"}`)
		ann.patch(t, "/tags/"+second, `{"name":"GO"}`).breaks(t, taken)
		ann.patch(t, "/tags/"+first, `{"name":"GO"}`).has(t, "name", `"GO"`)
		ann.delete(t, "/tags/"+first, "").ok(t)
		ann.patch(t, "/tags/"+second, `{"name":"go"}`).ok(t)

		ann.list(t, `{"name":"Go"}`)
		ann.list(t, `{"name":"Go"}`)
		ann.list(t, `{"name":"go"}`)
		ann.get(t, "/lists").has(t, "total", "3")
	})
}

func TestListHasTheAddressOfItsLinks(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"a"}`)
		address := ann.get(t, "/lists/1").at(t, "links")
		ann.callAt(t, "GET", strings.Trim(address, `"`), "").ok(t).has(t, "data.*.url", `["https://go.dev/"]`)
	})
}

func TestNotesBelongToALink(t *testing.T) {
	const unknown = "link_id: The selected link id is invalid."
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		link, trashed := ann.link(t, `{"url":"https://go.dev/"}`), ann.link(t, `{"url":"https://old.example"}`)
		ann.delete(t, "/links/"+trashed, "").ok(t)
		ann.post(t, "/notes", `{"note":"a","link_id":`+trashed+`}`).breaks(t, unknown)
		ann.post(t, "/notes", `{"note":"a","link_id":99}`).breaks(t, unknown)
		ann.post(t, "/notes", `{"note":"a"}`).breaks(t, "link_id: The link id field is required.")
		ann.post(t, "/notes", `{"link_id":`+link+`}`).breaks(t, "note: The note field is required.")
		ann.post(t, "/notes", `{"link_id":`+link+`,"note":null}`).breaks(t, "note: The note field is required.")
		ann.post(t, "/notes", `{"link_id":`+link+`,"note":7}`).breaks(t, "note: The note must be a string.")
		first := ann.note(t, `{"link_id":`+link+`,"note":" first "}`)
		second := ann.note(t, `{"link_id":"`+link+`","note":"second, with a comma"}`)
		ann.patch(t, "/notes/"+first, `{}`).breaks(t, "note: The note field is required.")
		ann.patch(t, "/notes/"+first, `{"note":"First"}`).ok(t)
		got := ann.get(t, "/links/"+link+"/notes").ok(t)
		got.has(t, "data.*.id data.*.note", `[[`+first+`,`+second+`],["First","second, with a comma"]]`)
		ann.get(t, "/links/"+link+"/notes?order_by=id&order_dir=desc").has(t, "data.*.id", "["+first+","+second+"]") // always the oldest first
		ann.get(t, "/links/"+link+"/notes?per_page=1&page=2").has(t, "data.*.id total", "[["+second+"],2]")
		ann.delete(t, "/notes/"+first, "").ok(t)
		ann.get(t, "/links/"+link+"/notes").has(t, "data.*.id", "["+second+"]")
		ann.patch(t, "/notes/"+first, `{"note":"x"}`).refuses(t, 404, "Not found.")
		ann.delete(t, "/notes/"+first, "").refuses(t, 404, "Not found.")
		ann.get(t, "/links/"+trashed+"/notes").refuses(t, 404, "Not found.")
	})
}
