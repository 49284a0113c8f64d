package api

import "testing"

func TestFlagsAreFieldsOfLinksAndFilters(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	const flags = "unread archived favorite"
	ann.link(t, `{"url":"https://a.example","lists":"l","tags":"t"}`)
	ann.post(t, "/links", `{"url":"https://b.example","unread":true,"favorite":"1","lists":"l","tags":"t"}`).ok(t).wantValue(t, flags, `[true,false,true]`)
	ann.post(t, "/links", `{"url":"https://c.example","archived":1,"unread":""}`).ok(t).wantValue(t, flags, `[false,true,false]`)
	ann.patch(t, "/links/2", `{"url":"https://b.example","title":"B"}`).ok(t).wantValue(t, flags, `[true,false,true]`)
	ann.patch(t, "/links/2", `{"url":"https://b.example","unread":0}`).ok(t).wantValue(t, flags, `[false,false,true]`)
	ann.patch(t, "/bulk/links", `{"models":[1,2],"lists":[],"lists_mode":"append","tags":[],"tags_mode":"append","unread":true}`).ok(t).wantValue(t, "*.unread", `[true,true]`)
	ann.patch(t, "/links/1", `{"url":"https://a.example","archived":"maybe"}`).wantFieldErrors(t, "archived: The archived field must be true or false.")
	for path, want := range map[string]string{
		"/links?":                                "[1,2,3]",
		"/links?unread=1&":                       "[1,2]",
		"/links?unread=0&":                       "[3]",
		"/links?unread=&":                        "[1,2,3]",
		"/links?favorite=true&unread=1&":         "[2]",
		"/links?archived=1&":                     "[3]",
		"/lists/1/links?favorite=1&":             "[2]",
		"/tags/1/links?favorite=0&":              "[1]",
		"/search/links?archived=1&":              "[3]",
		"/search/links?query=example&unread=0&":  "[3]",
		"/search/links?query=example&archived=&": "[1,2,3]",
	} {
		ann.get(t, path+"order_by=id&order_dir=asc").ok(t).wantValue(t, "data.*.id", want)
	}
}
