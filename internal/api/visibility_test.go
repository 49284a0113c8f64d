package api

import (
	"strconv"
	"testing"
)

func TestVisibilityAndIsPrivateAreConsistent(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for i, test := range []struct{ sent, created, after1, after2, after3 string }{
		// input, visibility of a new entity, visibility after an update of one with 1, 2 and 3
		{``, "3", "1", "2", "3"},
		{`"visibility":1`, "1", "1", "1", "1"},
		{`"visibility":2`, "2", "2", "2", "2"},
		{`"visibility":"3"`, "3", "3", "3", "3"},
		{`"visibility":null`, "3", "1", "2", "3"},
		{`"visibility":""`, "3", "1", "2", "3"},
		{`"is_private":true`, "3", "3", "3", "3"},
		{`"is_private":false`, "1", "1", "2", "1"},
		{`"is_private":"0"`, "1", "1", "2", "1"},
		{`"is_private":null`, "3", "1", "2", "3"},
		{`"visibility":2,"is_private":true`, "2", "2", "2", "2"},
		{`"visibility":3,"is_private":false`, "3", "3", "3", "3"},
		{`"visibility":null,"is_private":false`, "1", "1", "2", "1"},
		{`"visibility":1,"is_private":null`, "1", "1", "1", "1"},
	} {
		// All kinds decode it by the same function, so each row is tested with one of them.
		path, needed := "/links", `"url":"https://`+strconv.Itoa(i)+`.example"`
		switch i % 4 {
		case 1:
			path, needed = "/lists", `"name":"a"`
		case 2:
			path, needed = "/tags", `"name":"`+strconv.Itoa(i)+`"`
		case 3:
			path, needed = "/notes", `"link_id":1,"note":"a"`
		}
		more := ""
		if test.sent != "" {
			more = "," + test.sent
		}
		got := ann.post(t, path, "{"+needed+more+"}").ok(t)
		got.wantValue(t, "visibility is_private", `[`+test.created+`,`+strconv.FormatBool(test.created == "3")+`]`)
		id := got.id(t)
		for before, want := range []string{test.after1, test.after2, test.after3} {
			ann.patch(t, path+"/"+id, "{"+needed+`,"visibility":`+strconv.Itoa(before+1)+"}").ok(t)
			got := ann.patch(t, path+"/"+id, "{"+needed+more+"}").ok(t)
			if got := got.value(t, "visibility"); got != want {
				t.Errorf("%s: %s after %d: got %s, want %s", path, test.sent, before+1, got, want)
			}
		}
	}
}

func TestInvalidVisibilityIsRejected(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, sent := range []string{"0", "4", "-1", "1.0", "1.5", "true", `"public"`, "[1]", "{}", "18446744073709551617", "4294967297"} {
		ann.post(t, "/links", `{"url":"https://a.example","visibility":`+sent+`}`).wantFieldErrors(t, "visibility: The selected visibility is invalid.")
		ann.post(t, "/lists", `{"name":"a","visibility":`+sent+`}`).wantFieldErrors(t, "visibility: The selected visibility is invalid.")
	}
}
