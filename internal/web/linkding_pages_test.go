package web

import (
	"testing"
)

func TestPagesOfLinkdingLeadToThoseOfWaymark(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for path, want := range map[string]string{
		"/bookmarks":                     "/links",
		"/bookmarks?q=docs+%23go":        "/links?q=docs+%23go+in%3Anotes",
		"/bookmarks?q=%21unread+or+%23a": "/links?q=is%3Aunread+OR+%23a",
		"/bookmarks?q=%28":               "/links?q=%28",
		"/bookmarks/archived":            "/links?q=is%3Aarchived",
		"/bookmarks/archived?q=%23a":     "/links?q=is%3Aarchived+%23a",
		"/bookmarks/shared":              "/links?q=-is%3Aprivate",
		"/bookmarks/new":                 "/add",
		"/bookmarks/new?url=https%3A%2F%2Fa.example%2F&title=T&description=D&notes=N&tags=a+b&auto_close": "/add?description=D&note=N&tags=a%2Cb&title=T&url=https%3A%2F%2Fa.example%2F",
		"/settings/integrations": "/settings/apps",
	} {
		ada.get(path).wantRedirect(want)
	}
	form := ada.follow(ada.get("/bookmarks/new?notes=My+note&url=https%3A%2F%2Fa.example%2F"))
	form.wantText("textarea[name=note]", "My note")
}
