package api

import (
	"fmt"
	"strings"
	"testing"
)

func TestSavedSearchesArePrivate(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.post(t, "/saved-searches", `{"name":"b","query":"go tag:#1"}`).ok(t)
	ann.post(t, "/saved-searches", `{"name":" A, b ","query":" is:broken ","order":"title"}`).wantValue(t, "id name query order", `[2,"A, b","is:broken","title"]`)
	ann.get(t, "/saved-searches").wantValue(t, "*.name", `["A, b","b"]`)
	ben.get(t, "/saved-searches").wantValue(t, "*.name", `[]`)
	ben.patch(t, "/saved-searches/1", `{"name":"mine"}`).wantError(t, 404, "Not found.")
	ben.delete(t, "/saved-searches/1", "").wantError(t, 404, "Not found.")
	ann.delete(t, "/saved-searches/1", "").ok(t)
	ann.delete(t, "/saved-searches/1", "").wantError(t, 404, "Not found.")
	ann.get(t, "/saved-searches").wantValue(t, "*.id", `[2]`)
}

func TestSavedSearchNeedsNameAndQuery(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for body, want := range map[string][]string{
		`{}`:                            {"name: The name field is required.", "query: The query field is required."},
		`{"name":"\u200b ","query":""}`: {"name: The name field is required.", "query: The query field is required."},
		`{"name":1,"query":["a"]}`:      {"name: The name must be a string.", "query: The query must be a string."},
		`{"name":"a","query":"` + strings.Repeat("ä", 2001) + `"}`: {"query: The query must not be greater than 4000 bytes."},
	} {
		ann.post(t, "/saved-searches", body).wantFieldErrors(t, want...)
	}
	ann.post(t, "/saved-searches", `{"name":"a","query":"`+strings.Repeat("ä", 2000)+`"}`).ok(t)
	ann.patch(t, "/saved-searches/1", `{"name":null}`).wantFieldErrors(t, "name: The name field is required.")
	ann.patch(t, "/saved-searches/1", `{}`).wantValue(t, "name", `"a"`)
}

func TestSavedQueryMustBeUnderstood(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.post(t, "/saved-searches", `{"name":"a","query":"é is:nothing (b"}`).wantValue(t, "errors.query position", `[["The query is invalid: \"is:nothing\" at character 3 has no meaning."],2]`)
	ann.post(t, "/saved-searches", `{"name":"a","query":"go"}`).ok(t)
	ann.patch(t, "/saved-searches/1", `{"query":"go OR"}`).wantFieldErrors(t, `query: The query is invalid: "OR" at character 4 needs a condition before and after it.`)
}

func TestSmartListsAreLists(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://a.example/","title":"Go","unread":true}`)
	ann.link(t, `{"url":"https://b.example/","title":"Rust"}`)
	ann.post(t, "/saved-searches", `{"name":"Später","query":"is:unread","in_lists":true}`).ok(t)
	ann.post(t, "/saved-searches", `{"name":"both","query":"list:später OR rust","in_lists":true}`).ok(t)
	ann.post(t, "/saved-searches", `{"name":"search","query":"go"}`).ok(t)
	for q, want := range map[string]string{"list:sp%C3%A4ter": "[1]", "list:both": "[1,2]", "list:both+-list:sp%C3%A4ter": "[2]", "list:search": "[]", "only:both": "[]", "is:unfiled": "[1,2]"} {
		ann.get(t, "/search/links?order_by=id&q="+q).wantValue(t, "data.*.id", want)
	}
	circle := "query: The query must not contain the smart list itself."
	ann.patch(t, "/saved-searches/1", `{"query":"list:both"}`).wantFieldErrors(t, circle)
	ann.post(t, "/saved-searches", `{"name":"self","query":"a -list:Self","in_lists":true}`).wantFieldErrors(t, circle)
	ann.patch(t, "/saved-searches/2", `{"name":"später"}`).wantFieldErrors(t, circle)
}

func TestUserHasAtMostAHundredSavedSearches(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for i := range 100 {
		ann.post(t, "/saved-searches", fmt.Sprintf(`{"name":"%d","query":"a"}`, i)).ok(t)
	}
	ann.post(t, "/saved-searches", `{"name":"a","query":"a"}`).wantFieldErrors(t, "name: You must not have more than 100 saved searches.")
}

func TestBulkRestoreRestoresWhatItCan(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://a.example/"}`)
	ann.link(t, `{"url":"https://b.example/"}`)
	ann.link(t, `{"url":"https://c.example/"}`)
	ann.delete(t, "/bulk/delete?type=links&models=1,2", "").ok(t)
	ann.link(t, `{"url":"https://a.example/"}`)
	ben.patch(t, "/bulk/restore", `{"type":"links","models":[2]}`).wantValue(t, "2", "false")
	ann.patch(t, "/bulk/restore", `{"type":"links","models":[1,2,3,99]}`).wantValue(t, "1 2 3 99", "[false,true,false,false]")
	ann.get(t, "/trash/links").wantValue(t, "*.id", "[1]")
	ann.patch(t, "/bulk/restore", `{"type":"users"}`).wantFieldErrors(t, "type: The selected type is invalid.", "models: The models field is required.")
	note := ann.note(t, `{"link_id":2,"note":"a"}`)
	ann.delete(t, "/notes/"+note, "").ok(t)
	ann.patch(t, "/bulk/restore", `{"type":"notes","models":[`+note+`]}`).wantValue(t, note, "true")
}
