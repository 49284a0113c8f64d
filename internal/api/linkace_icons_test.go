package api

import (
	"testing"
)

func TestIconDependsOnHost(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for url, want := range map[string]string{
		"https://github.com/golang/go":    "fab fa-github",
		"https://gist.github.com/x":       "fab fa-github",
		"https://GitHub.com":              "fab fa-github",
		"https://notgithub.com":           "fa fa-link",
		"https://github.com.evil.example": "fa fa-link",
		"https://en.wikipedia.org/wiki/":  "fab fa-wikipedia-w",
		"https://go.dev":                  "fa fa-link",
		"mailto:a@github.com":             "fa fa-link",
	} {
		ann.post(t, "/links", `{"url":"`+url+`"}`).ok(t).wantValue(t, "icon", `"`+want+`"`)
	}
	ann.post(t, "/links", `{"url":"https://a.example"}`).wantValue(t, "icon", `"fa fa-link"`)
	ann.patch(t, "/links/9", `{"url":"https://gitlab.com/"}`).wantValue(t, "icon", `"fab fa-gitlab"`)
}
