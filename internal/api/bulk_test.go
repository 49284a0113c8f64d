package api

import (
	"strconv"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// Missing and null keep the visibility. is_private false does not change internal.
func TestBulkEditOfVisibilities(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, kind := range []string{"links", "lists", "tags"} {
		for _, n := range []string{"1", "2", "3"} {
			ann.post(t, "/"+kind, `{"url":"https://`+n+`.example","name":"`+n+`","visibility":`+n+`}`).ok(t)
		}
		more := ""
		if kind == "links" {
			more = `,"tags":[],"tags_mode":"append","lists":[],"lists_mode":"append"`
		}
		for _, step := range [][2]string{
			{``, "[3,1,2]"}, {`,"visibility":null`, "[3,1,2]"}, {`,"visibility":""`, "[3,1,2]"}, {`,"is_private":null`, "[3,1,2]"},
			{`,"is_private":false`, "[1,1,2]"}, {`,"visibility":2,"is_private":true`, "[2,2,2]"}, {`,"is_private":"1"`, "[3,3,3]"}, {`,"visibility":"1"`, "[1,1,1]"},
		} {
			ann.patch(t, "/bulk/"+kind, `{"models":[3,9999,"1"," 2 ",3,0,-1]`+more+step[0]+`}`).ok(t).wantValue(t, "*.id *.visibility", `[[3,1,2],`+step[1]+`]`)
		}
	}
}

// The links of others make the change one that can be undone: a transaction that has ended when the links are read.
func TestBulkEditFilesLinksOfOthers(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		ann.post(t, "/links", `{"url":"https://ann.example"}`).ok(t)
		ben.post(t, "/links", `{"url":"https://ben.example","visibility":1}`).ok(t)
		got := ann.patch(t, "/bulk/links", `{"models":[2,1,9],"lists":["both"],"lists_mode":"append","tags":[],"tags_mode":"append"}`).ok(t)
		got.wantValue(t, "*.id", `[2,1]`)
		got.wantValue(t, "*.lists.*.name", `[["both"],["both"]]`)
	})
}

func TestBulkEditReportsAllErrors(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	before := ann.post(t, "/links", `{"url":"https://a.example","tags":"t","visibility":3}`)
	ann.patch(t, "/bulk/links", `{}`).wantFieldErrors(t, "models: The models field is required.", "lists: The lists field is required.", "lists_mode: The lists mode field is required.",
		"tags: The tags field is required.", "tags_mode: The tags mode field is required.")
	ann.patch(t, "/bulk/links", `{"models":[1],"lists":[],"lists_mode":"add","tags":5,"tags_mode":"APPEND","visibility":7}`).wantFieldErrors(t,
		"lists_mode: The selected lists mode is invalid.", "tags: The tags must be a string or an array.", "tags_mode: The selected tags mode is invalid.", "visibility: The selected visibility is invalid.")
	ann.patch(t, "/bulk/links", `{"models":[1],"lists":["`+x(256)+`"],"lists_mode":"append","tags":["new"],"tags_mode":"append","visibility":1}`).wantFieldErrors(t,
		"lists: The lists must not be greater than 255 characters.")
	if got := ann.get(t, "/links/1"); got.body != before.body {
		t.Errorf("got %s, want it unchanged: %s", got.body, before.body)
	}
	ann.get(t, "/tags").wantValue(t, "data.*.name", `["t"]`)
	for _, path := range []string{"/bulk/lists", "/bulk/tags"} {
		ann.patch(t, path, `{"visibility":0,"is_private":"x"}`).wantFieldErrors(t, "models: The models field is required.",
			"visibility: The selected visibility is invalid.", "is_private: The is private field must be true or false.")
	}
}

func TestModelsMustBeNonEmptyArrayOfIDs(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for sent, want := range map[string]string{
		`null`: "The models field is required.", `[]`: "The models field is required.", `""`: "The models field is required.",
		`5`: "The models must be an array.", `"1,2"`: "The models must be an array.", `{"0":1}`: "The models must be an array.", `true`: "The models must be an array.",
		`[1,"x"]`: `The models must be numbers: "x" is none.`, `[1.5]`: `The models must be numbers: 1.5 is none.`, `[null]`: `The models must be numbers: null is none.`,
		`[[1]]`: `The models must be numbers: [1] is none.`, `[true]`: `The models must be numbers: true is none.`, `[{"id":1}]`: `The models must be numbers: {"id":1} is none.`,
		`[""]`: `The models must be numbers: "" is none.`, `[1e3]`: `The models must be numbers: 1e3 is none.`, `[9223372036854775808]`: `The models must be numbers: 9223372036854775808 is none.`,
	} {
		ann.patch(t, "/bulk/links", `{"models":`+sent+`,"tags":[],"tags_mode":"append","lists":[],"lists_mode":"append"}`).wantFieldErrors(t, "models: "+want)
		ann.patch(t, "/bulk/lists", `{"models":`+sent+`}`).wantFieldErrors(t, "models: "+want)
		ann.patch(t, "/bulk/tags", `{"models":`+sent+`}`).wantFieldErrors(t, "models: "+want)
		ann.delete(t, "/bulk/delete", `{"type":"links","models":`+sent+`}`).wantFieldErrors(t, "models: "+want)
	}
}

func TestBulkDeleteReportsEveryID(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		for _, kind := range []string{"links", "lists", "tags"} {
			add := func(p *testClient, name string) string {
				return p.post(t, "/"+kind, `{"url":"https://`+name+`.example","name":"`+name+`","visibility":1}`).id(t)
			}
			first, second, trashed, bens := add(ann, "a"), add(ann, "b"), add(ann, "c"), add(ben, "d")
			ann.delete(t, "/"+kind+"/"+trashed, "").ok(t)
			got := ann.delete(t, "/bulk/delete", `{"type":"`+kind+`","models":[`+second+`,"`+first+`",9999,`+bens+`,`+trashed+`,`+second+`,"0`+first+`",0,-7]}`).ok(t)
			want := `{"` + second + `":true,"` + first + `":true,"9999":false,"` + bens + `":false,"` + trashed + `":false,"0":false,"-7":false}`
			if got.body != want {
				t.Errorf("%s: got %s, want %s", kind, got.body, want)
			}
			ann.get(t, "/trash/"+kind).wantValue(t, "*.id", "["+first+","+second+","+trashed+"]")
			ben.get(t, "/"+kind).wantValue(t, "data.*.id", "["+bens+"]")
		}
		ann.delete(t, "/bulk/delete", `{"type":"notes","models":[1]}`).wantFieldErrors(t, "type: The selected type is invalid.")
		ann.delete(t, "/bulk/delete", `{"type":"link","models":[1]}`).wantFieldErrors(t, "type: The selected type is invalid.")
		ann.delete(t, "/bulk/delete", `{}`).wantFieldErrors(t, "type: The type field is required.", "models: The models field is required.")
	})
}

func TestBulkCreateKeepsRequestOrder(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		var models, urls []string
		for i := range 600 { // more than one batch
			url := "https://" + strconv.Itoa(600-i) + ".example"
			models = append(models, `{"url":"`+url+`","tags":["t`+strconv.Itoa(i%7)+`"],"lists":"l`+strconv.Itoa(i%3)+`"}`)
			urls = append(urls, url)
		}
		got := ann.post(t, "/bulk/links", `{"models":[`+strings.Join(models, ",")+`]}`).ok(t)
		got.wantValue(t, "*.url", jsonOf(t, urls))
		got.wantValue(t, "8.tags.0.name 8.lists.0.name", `["t1","l2"]`)
		ann.get(t, "/links").wantValue(t, "total", "600")
		ann.get(t, "/tags").wantValue(t, "total", "7")
		ann.get(t, "/lists").wantValue(t, "total", "3")
		shown := ann.get(t, "/links/"+got.value(t, "599.id"))
		if got := got.value(t, "599"); !sameJSON(t, got, shown.body) {
			t.Errorf("got %s, want the same as the later GET: %s", got, shown.body)
		}
	})
}

func TestBulkCreateIsAllOrNothing(t *testing.T) {
	const duplicate = "The url has already been taken."
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://here.example"}`)
		ann.tag(t, `{"name":"here"}`)
		for body, want := range map[string][]string{
			`{"models":[{"url":"https://a.example","tags":"new"},{"title":"x"}]}`:                              {"models.1.url: The url field is required."},
			`{"models":[{"url":"https://a.example","tags":"new"},{"url":"https://here.example"}]}`:             {"models.1.url: " + duplicate},
			`{"models":[{"url":"https://a.example"},{"url":"https://b.example"},{"url":"https://a.example"}]}`: {"models.2.url: " + duplicate},
			`{"models":[{"url":"https://a.example","lists":[1.5]},{"url":"javascript:x","visibility":9}]}`: {
				"models.0.lists: The lists must be names, ids, or objects with a name or an id: 1.5 is neither.",
				"models.1.url: The url format is invalid.", "models.1.visibility: The selected visibility is invalid.",
			},
			`{"models":[{"url":"https://a.example"},"https://b.example",null,7]}`: {
				"models.1: The models.1 must be an object.", "models.2: The models.2 must be an object.", "models.3: The models.3 must be an object.",
			},
			`{"models":[{"url":"https://here.example"},7,{"url":""},[],{"url":"x","title":5},{"url":"https://a.example"},{"url":"https://a.example"}]}`: {
				"models.0.url: " + duplicate, "models.1: The models.1 must be an object.", "models.2.url: The url field is required.", "models.3: The models.3 must be an object.",
				"models.4.url: The url format is invalid.", "models.4.title: The title must be a string.", "models.6.url: " + duplicate,
			},
			`{"models":[]}`:                          {"models: The models field is required."},
			`{}`:                                     {"models: The models field is required."},
			`{"models":{"url":"https://a.example"}}`: {"models: The models must be an array."},
		} {
			ann.post(t, "/bulk/links", body).wantFieldErrors(t, want...)
		}
		ann.post(t, "/bulk/lists", `{"models":[{"name":"a"},{"name":","},{}]}`).wantFieldErrors(t, "models.1.name: The name field is required.", "models.2.name: The name field is required.")
		ann.post(t, "/bulk/tags", `{"models":[{"name":"a"},{"name":"HERE"},{"name":"A"}]}`).wantFieldErrors(t,
			"models.1.name: The name has already been taken.", "models.2.name: The name has already been taken.")
		ann.get(t, "/links").wantValue(t, "data.*.url", `["https://here.example"]`)
		ann.get(t, "/tags").wantValue(t, "data.*.name", `["here"]`)
		ann.get(t, "/lists").wantValue(t, "total", "0")
		var many []string
		for range 12 {
			many = append(many, `{}`)
		}
		got := ann.post(t, "/bulk/links", `{"models":[`+strings.Join(many, ",")+`]}`).wantStatus(t, 422)
		got.wantValue(t, "message", `"The url field is required. (and 11 more errors)"`)
		if first, tenth := strings.Index(got.body, "models.2.url"), strings.Index(got.body, "models.10.url"); first > tenth {
			t.Errorf("models.10 comes before models.2: %s", got.body)
		}
	})
}

func TestBulkRequestsAreLimited(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	const message = "models: The models must not have more than 100000 items."
	ann.post(t, "/bulk/tags", `{"models":[`+strings.Repeat(`{},`, waymark.MaxBulk)+`{}]}`).wantFieldErrors(t, message)
	ids := strings.Repeat("1,", waymark.MaxBulk-1)
	for _, kind := range []string{"lists", "tags"} {
		ann.patch(t, "/bulk/"+kind, `{"models":[`+ids+`2,"x"]}`).wantFieldErrors(t, message)
		ann.delete(t, "/bulk/delete", `{"type":"`+kind+`","models":[`+ids+`1,1]}`).wantFieldErrors(t, message)
		ann.delete(t, "/bulk/delete", `{"type":"`+kind+`","models":[`+ids+`1]}`).ok(t)
	}
	ann.patch(t, "/bulk/links", `{"models":[`+ids+`1,1],"visibility":7}`).wantFieldErrors(t, message)
	tags := strings.Repeat("a,", 10_000)
	ann.post(t, "/links", `{"url":"https://a.example","tags":"`+tags+`a"}`).wantFieldErrors(t, "tags: The tags must not have more than 10000 items.")
	ann.post(t, "/bulk/links", `{"models":[{"url":"https://a.example"},{"url":"https://b.example","lists":"`+tags+`a"}]}`).wantFieldErrors(t, "models.1.lists: The lists must not have more than 10000 items.")
	ann.post(t, "/links", `{"url":"https://a.example","tags":"`+tags+`"}`).wantValue(t, "tags.*.name", `["a"]`)
}

func TestListsAndTagsOfLinkAreLimited(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	numbers := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, strconv.Itoa(i))
		}
		return `"` + strings.Join(all, ",") + `"`
	}
	const lists, tags = "A link must not have more than 50 lists, including those in the trash and private ones of other users.", "A link must not have more than 200 tags, including those in the trash and private ones of other users."
	ann.post(t, "/links", `{"url":"https://a.example","lists":`+numbers(50)+`,"tags":`+numbers(200)+`}`).ok(t)
	ann.post(t, "/links", `{"url":"https://c.example","lists":`+numbers(51)+`}`).wantFieldErrors(t, "lists: "+lists)
	ann.post(t, "/links", `{"url":"https://c.example","tags":`+numbers(201)+`}`).wantFieldErrors(t, "tags: "+tags)
	ann.post(t, "/bulk/links", `{"models":[{"url":"https://c.example"},{"url":"https://b.example","tags":`+numbers(201)+`}]}`).wantFieldErrors(t, "models.1.tags: "+tags)
	ann.patch(t, "/links/1", `{"url":"https://a.example","lists":`+numbers(51)+`}`).wantFieldErrors(t, "lists: "+lists)
	ann.post(t, "/lists", `{"name":"one more"}`).ok(t)
	ann.patch(t, "/lists/51/links/1", "").wantFieldErrors(t, "lists: "+lists)
	ann.patch(t, "/bulk/links", `{"models":[1],"tags":"more","tags_mode":"append","lists":[],"lists_mode":"append"}`).wantFieldErrors(t, "tags: "+tags)
	both := `"lists":` + numbers(51) + `,"tags":` + numbers(201)
	ann.post(t, "/links", `{"url":"https://c.example",`+both+`}`).wantFieldErrors(t, "lists: "+lists, "tags: "+tags)
	ann.patch(t, "/links/1", `{"url":"https://a.example",`+both+`}`).wantFieldErrors(t, "lists: "+lists, "tags: "+tags)
	ann.patch(t, "/bulk/links", `{"models":[1],"tags_mode":"replace","lists_mode":"replace",`+both+`}`).wantFieldErrors(t, "lists: "+lists, "tags: "+tags)
	ann.post(t, "/bulk/links", `{"models":[{"url":"https://c.example",`+both+`},{"url":"https://b.example","lists":`+numbers(51)+`}]}`).
		wantFieldErrors(t, "models.0.lists: "+lists, "models.0.tags: "+tags, "models.1.lists: "+lists)
	ann.get(t, "/tags").wantValue(t, "total", "200")
	ann.patch(t, "/bulk/links", `{"models":[`+strings.Trim(numbers(501), `"`)+`],"tags":`+numbers(150)+`,"tags_mode":"append","lists":`+numbers(50)+`,"lists_mode":"append"}`).
		wantFieldErrors(t, "models: One request must not attach more than 100000 lists and tags, counted for each link.")
}
