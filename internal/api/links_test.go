package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestNewLinkHasDefaults(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	got := ann.post(t, "/links", `{"url":"https://Go.dev:443/Doc?x=1#y"}`).ok(t)
	got.wantValue(t, "id user_id url title description icon thumbnail", `[1,1,"https://Go.dev:443/Doc?x=1#y","go.dev",null,"fa fa-link",null]`)
	got.wantValue(t, "visibility is_private status check_disabled lists tags deleted_at", `[3,true,1,false,[],[],null]`)
	if created, updated := got.value(t, "created_at"), got.value(t, "updated_at"); created != updated {
		t.Errorf("got created_at %s and updated_at %s, want the same", created, updated)
	}
	if shown := ann.get(t, "/links/1"); shown.body != got.body {
		t.Errorf("got %s, want the response of the creation: %s", shown.body, got.body)
	}
}

func TestClientsOfLinkwardenNameTheTitle(t *testing.T) {
	s := newTestServer(t)
	s.client = http.DefaultClient // the document has no name
	ann := s.addUser(t, "ann")
	ann.post(t, "/links", `{"url":"https://a.example/","name":"A"}`).ok(t).wantValue(t, "title", `"A"`)
	ann.post(t, "/links", `{"url":"https://b.example/","name":"A","title":"B"}`).ok(t).wantValue(t, "title", `"B"`)
}

func TestTitleIsNeverNull(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	id := ann.link(t, `{"url":"https://go.dev/","title":null}`)
	for _, step := range []struct{ body, want string }{
		{`{"url":"https://go.dev/"}`, "go.dev"},
		{`{"url":"https://go.dev/","title":"Go"}`, "Go"},
		{`{"url":"https://go.dev/"}`, "Go"},
		{`{"url":"https://pkg.go.dev/"}`, "Go"},
		{`{"url":"https://pkg.go.dev/","title":null}`, "pkg.go.dev"},
		{`{"url":"https://pkg.go.dev/","title":""}`, "pkg.go.dev"},
		{`{"url":"mailto:a@b.example","title":" "}`, "mailto:a@b.example"},
		{`{"url":"https://go.dev/","title":"<b>\"A\" & 'B'</b> \u2028 \\ 😀"}`, "<b>\"A\" & 'B'</b> \u2028 \\ 😀"},
	} {
		ann.patch(t, "/links/"+id, step.body).ok(t).wantValue(t, "title", jsonOf(t, step.want))
	}
}

func TestTextLengthIsLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		s.addUser(t, "ann").link(t, `{"url":"https://go.dev/","visibility":1}`)
		for i, test := range []struct {
			path, body, field string
			most              int
		}{
			{"/links", `{"url":"https://1.example","title":"%"}`, "title", 1000},
			{"/links", `{"url":"https://2.example","description":"%"}`, "description", 100_000},
			{"/links", `{"url":"https://3.example","lists":["%"]}`, "lists", 255},
			{"/links", `{"url":"https://4.example","tags":"%"}`, "tags", 255},
			{"/lists", `{"name":"%"}`, "name", 255},
			{"/tags", `{"name":"%"}`, "name", 255},
			{"/notes", `{"link_id":1,"note":"%"}`, "note", 100_000},
		} {
			ann := s.addUser(t, strconv.Itoa(i))
			for _, letter := range []string{"x", "ж", "😀"} { // the limit is in characters
				text := strings.Repeat(letter, test.most)
				got := ann.post(t, test.path, strings.ReplaceAll(test.body, "%", text+letter))
				got.wantFieldErrors(t, test.field+": The "+test.field+" must not be greater than "+strconv.Itoa(test.most)+" characters.")
				got = ann.post(t, test.path, strings.ReplaceAll(strings.Replace(test.body, ".example", "."+letter, 1), "%", text)).ok(t)
				if !strings.Contains(got.body, text) {
					t.Errorf("%s: the response does not contain the %s", test.path, test.field)
				}
			}
		}
	})
}

// JSON needs six bytes for a control character, so that responses would be much larger than
// their texts.
func TestControlCharactersAreLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for i, character := range []string{`\u0001`, `\u001f`, `\u2028`, `\u0085`} {
			most, more := "a"+strings.Repeat(character+"a", 100), "a"+strings.Repeat(character+"a", 101)
			ann.post(t, "/lists", `{"name":"`+more+`","description":"`+more+`"}`).wantFieldErrors(t,
				"name: The name must not have more than 100 control characters.", "description: The description must not have more than 100 control characters.")
			ann.post(t, "/links", `{"url":"https://a.example","tags":["`+more+`"]}`).wantFieldErrors(t, "tags: The tags must not have more than 100 control characters.")
			ann.post(t, "/lists", `{"name":"`+most+`","description":"`+most+`"}`).ok(t)
			ann.post(t, "/links", `{"url":"https://`+strconv.Itoa(i)+`.example","description":"`+strings.Repeat(`a\n\t\r`, 1000)+`a"}`).ok(t)
		}
	})
}

func TestTextsMustNotContainNUL(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		for path, body := range map[string]string{
			"/links": `{"url":"https://a.example","title":"a\u0000b","description":"\u0000","lists":["a\u0000"],"tags":"\u0000b"}`,
			"/lists": `{"name":"a\u0000b","description":"a\u0000b"}`,
			"/tags":  `{"name":"a\u0000b"}`,
			"/notes": `{"link_id":1,"note":"a\u0000b"}`,
		} {
			got := ann.post(t, path, body).wantStatus(t, 422)
			if !strings.Contains(got.body, "must not contain the character U+0000.") {
				t.Errorf("%s: got %s", path, got.body)
			}
		}
		// All other characters are stored.
		const odd = `\u0001\u001f\u007f\u0085\u200b\ufeff\ufffe\uffff\ud83d\ude00 \u202e \ufffd`
		got := ann.post(t, "/notes", `{"link_id":1,"note":"a`+odd+`b"}`).ok(t)
		got.wantValue(t, "note", jsonOf(t, "a\u0001\u001f\u007f\u0085\u200b\ufeff\ufffe\uffff😀 \u202e \ufffdb"))
		// A lone surrogate is replaced.
		ann.post(t, "/notes", `{"link_id":1,"note":"a\ud800b"}`).ok(t).wantValue(t, "note", `"a`+"\ufffd"+`b"`)
	})
}

func TestNewURLResetsStatus(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.post(t, "/links", `{"url":"https://b.example","status":3}`).wantValue(t, "status", "3")
	ann.post(t, "/links", `{"url":"https://c.example","status":9}`).wantValue(t, "status", "1")
	id := ann.link(t, `{"url":"https://go.dev/"}`)
	for _, step := range []struct{ body, want string }{
		{`{"url":"https://go.dev/","status":2}`, "2"},
		{`{"url":"https://go.dev/"}`, "2"},
		{`{"url":"https://go.dev/","title":"x"}`, "2"},
		{`{"url":"https://go.dev/","status":"3"}`, "3"},
		{`{"url":"https://go.dev/","status":0}`, "3"},
		{`{"url":"https://go.dev/","status":4}`, "3"},
		{`{"url":"https://go.dev/","status":null}`, "3"},
		{`{"url":"https://go.dev/","status":""}`, "3"},
		{`{"url":"https://go.dev/","status":"broken"}`, "3"},
		{`{"url":"https://go.dev/","status":[1]}`, "3"},
		{`{"url":"https://go.dev/","status":{}}`, "3"},
		{`{"url":"https://go.dev/","status":1.0}`, "3"},
		{`{"url":"https://go.dev/","status":true}`, "3"},
		{`{"url":"https://go.dev/","status":4294967297}`, "3"},
		{`{"url":"https://go.dev/2"}`, "1"},
		{`{"url":"https://go.dev/3","status":3}`, "3"},
	} {
		ann.patch(t, "/links/"+id, step.body).ok(t).wantValue(t, "status", step.want)
	}
}

func TestUpdateKeepsMissingFields(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	created := ann.post(t, "/links", `{"url":"https://go.dev/","title":"Go","description":"d","lists":"l","tags":"t","visibility":1,"check_disabled":true,"status":2}`).ok(t)
	const all = "id url title description lists.*.id tags.*.id visibility check_disabled status created_at"
	updated := ann.patch(t, "/links/1", `{"url":"https://go.dev/"}`).ok(t)
	updated.wantValue(t, all, created.value(t, all))
	if got, was := updated.value(t, "updated_at"), created.value(t, "updated_at"); got <= was {
		t.Errorf("got updated_at %s, want one after %s", got, was)
	}
	ann.patch(t, "/links/1", `{"url":"https://go.dev/","description":null,"lists":null,"tags":[]}`).wantValue(t, "title description lists tags", `["Go",null,[],[]]`)
	ann.get(t, "/links/1").wantValue(t, "title description lists tags", `["Go",null,[],[]]`)

	ann.post(t, "/lists", `{"name":"a","description":"d","visibility":2}`).ok(t)
	ann.patch(t, "/lists/2", `{"name":"b"}`).wantValue(t, "name description visibility", `["b","d",2]`)
	ann.patch(t, "/lists/2", `{"name":"b","description":null}`).wantValue(t, "name description visibility", `["b",null,2]`)
}

func TestResponseReportsAllErrors(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://used.example"}`)
	ann.tag(t, `{"name":"used"}`)
	ann.post(t, "/links", `{"description":["x"],"check_disabled":"maybe"}`).wantFieldErrors(t,
		"url: The url field is required.", "description: The description must be a string.", "check_disabled: The check disabled field must be true or false.")
	ann.post(t, "/links", `{"url":"x","title":7}`).wantFieldErrors(t, "url: The url format is invalid.", "title: The title must be a string.")
	all := `{"url":{},"title":[],"description":1,"lists":5,"tags":true,"visibility":9,"is_private":"no","check_disabled":2}`
	wrong := []string{
		"url: The url must be a string.", "title: The title must be a string.", "description: The description must be a string.",
		"lists: The lists must be a string or an array.", "tags: The tags must be a string or an array.",
		"visibility: The selected visibility is invalid.", "is_private: The is private field must be true or false.",
		"check_disabled: The check disabled field must be true or false.",
	}
	ann.post(t, "/links", all).wantFieldErrors(t, wrong...)
	ann.patch(t, "/links/1", all).wantFieldErrors(t, wrong...)
	// Duplicates are reported together with other errors.
	ann.post(t, "/links", `{"url":"https://used.example","description":7}`).wantFieldErrors(t,
		"url: The url has already been taken.", "description: The description must be a string.")
	id := ann.link(t, `{"url":"https://free.example"}`)
	ann.patch(t, "/links/"+id, `{"url":"https://used.example","description":7}`).wantFieldErrors(t,
		"url: The url has already been taken.", "description: The description must be a string.")
	ann.patch(t, "/links/1", `{"url":"https://used.example","description":7}`).wantFieldErrors(t, "description: The description must be a string.")
	ann.post(t, "/tags", `{"name":"USED","visibility":0}`).wantFieldErrors(t,
		"name: The name has already been taken.", "visibility: The selected visibility is invalid.")
	ann.tag(t, `{"name":"free"}`)
	ann.patch(t, "/tags/2", `{"name":"Used","visibility":0}`).wantFieldErrors(t,
		"name: The name has already been taken.", "visibility: The selected visibility is invalid.")
	ann.post(t, "/notes", `{"link_id":99}`).wantFieldErrors(t, "link_id: The selected link id is invalid.", "note: The note field is required.")
	ann.post(t, "/notes", `{"link_id":"x","note":{},"visibility":0}`).wantFieldErrors(t,
		"link_id: The link id must be a number.", "note: The note must be a string.", "visibility: The selected visibility is invalid.")
	ann.post(t, "/bulk/links", `{"models":[{"url":"https://used.example"},{"title":5},{"url":"https://x.example"},{"url":"https://x.example","tags":7}]}`).wantFieldErrors(t,
		"models.0.url: The url has already been taken.",
		"models.1.url: The url field is required.", "models.1.title: The title must be a string.",
		"models.3.url: The url has already been taken.", "models.3.tags: The tags must be a string or an array.")
	ann.post(t, "/bulk/tags", `{"models":[{"name":"used"},{"name":","},{"name":"x"},{"name":"X"}]}`).wantFieldErrors(t,
		"models.0.name: The name has already been taken.", "models.1.name: The name field is required.", "models.3.name: The name has already been taken.")
}
