package api

import (
	"testing"
)

func TestRestoreOfDuplicateIsRejected(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.delete(t, "/links/1", "").ok(t)
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).wantFieldErrors(t, "id: The url has already been taken.")
		ann.get(t, "/trash/links").wantValue(t, "*.id", "[1]")
		ann.tag(t, `{"name":"Go"}`)
		ann.delete(t, "/tags/1", "").ok(t)
		ann.tag(t, `{"name":"gO"}`)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":1}`).wantFieldErrors(t, "id: The name has already been taken.")
		ann.get(t, "/trash/tags").wantValue(t, "*.id", "[1]")
		ann.delete(t, "/tags/2", "").ok(t)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":1}`).ok(t)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":2}`).wantFieldErrors(t, "id: The name has already been taken.")
		// Lists may have the same name.
		ann.list(t, `{"name":"Go"}`)
		ann.delete(t, "/lists/1", "").ok(t)
		ann.list(t, `{"name":"Go"}`)
		ann.patch(t, "/trash/restore", `{"model":"list","id":1}`).ok(t)
	})
}

func TestRestoreNeedsModelAndID(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.list(t, `{"name":"a"}`)
	for body, want := range map[string][]string{
		`{}`:                             {"model: The model field is required.", "id: The id field is required."},
		`{"model":"list"}`:               {"id: The id field is required."},
		`{"id":1}`:                       {"model: The model field is required."},
		`{"model":null,"id":null}`:       {"model: The model field is required.", "id: The id field is required."},
		`{"model":"lists","id":1}`:       {"model: The selected model is invalid."},
		`{"model":"user","id":"one"}`:    {"model: The selected model is invalid.", "id: The id must be a number."},
		`{"model":["list"],"id":[1]}`:    {"model: The selected model is invalid.", "id: The id must be a number."},
		`{"model":7,"id":true}`:          {"model: The selected model is invalid.", "id: The id must be a number."},
		`{"model":"LIST","id":1.5}`:      {"model: The selected model is invalid.", "id: The id must be a number."},
		`{"model":"\"list\"","id":"1x"}`: {"model: The selected model is invalid.", "id: The id must be a number."},
	} {
		ann.patch(t, "/trash/restore", body).wantFieldErrors(t, want...)
	}
	ann.patch(t, "/trash/restore", `{"model":"list","id":1}`).ok(t) // already active
	ann.patch(t, "/trash/restore", `{"model":"list","id":" 1 "}`).ok(t)
	for _, id := range []string{"99", "0", "-1", "9223372036854775807"} {
		for _, model := range []string{"link", "list", "tag", "note"} {
			ann.patch(t, "/trash/restore", `{"model":"`+model+`","id":`+id+`}`).wantError(t, 404, "Not found.")
		}
	}
}

func TestClearNeedsModel(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for body, want := range map[string]string{
		``: "The model field is required.", `{"model":""}`: "The model field is required.",
		`{"model":"link"}`: "The selected model is invalid.", `{"model":"users"}`: "The selected model is invalid.",
		`{"model":"Links"}`: "The selected model is invalid.", `{"model":{}}`: "The selected model is invalid.", `{"model":1}`: "The selected model is invalid.",
	} {
		ann.delete(t, "/trash/clear", body).wantFieldErrors(t, "model: "+want)
	}
}
