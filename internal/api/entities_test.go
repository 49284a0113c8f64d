package api

import (
	"testing"
)

func TestNamesAreNormalized(t *testing.T) {
	s := newTestServer(t)
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
}

func TestNotesNeedActiveLink(t *testing.T) {
	const unknown = "link_id: The selected link id is invalid."
	s := newTestServer(t)
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
}
