package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// queued sends what waited in the browser for a user, and returns the JSON of the response.
func (b *browser) queued(path string, user waymark.UserID, fields ...string) response {
	b.t.Helper()
	return b.post(fmt.Sprintf("%s?queued=%d", path, user), fields...)
}

func TestQueuedLinksAreSavedOnceForTheirPerson(t *testing.T) {
	s := newSite(t)
	ada, bob, guest := s.user(t, "ada"), s.user(t, "bob"), s.guest(t)
	const rawURL = "https://example.org/bread"
	fields := []string{"url", rawURL, "title", "Bread", "tags", "rye, oven", "lists", "Recipes", "note", "for Sunday", "window", "1"}
	for _, test := range []struct {
		from   *browser
		status int
		body   string
	}{
		{guest, 401, `{"message":""}`},
		{bob, 409, `{"message":""}`},
		{ada, 200, `{"id":1,"title":"Bread","existed":false}`},
		{ada, 200, `{"id":1,"title":"Bread","existed":true}`},
	} {
		p := test.from.queued("/links", ada.user.ID, fields...)
		if p.status != test.status || p.body != test.body || p.header.Get("Content-Type") != "application/json" {
			t.Errorf("got %d %s %q, want %d %s as JSON", p.status, p.header.Get("Content-Type"), p.body, test.status, test.body)
		}
	}
	rows := ada.get("/links")
	rows.wantText(".tag", "ovenrye")
	rows.wantText("main .in-list", "Recipes")
	if n := strings.Count(ada.get("/links/1").wantStatus(200).text("main"), "for Sunday"); n != 1 {
		t.Errorf("the link has its note %d times, want once", n)
	}
	bob.get("/links?q=is:mine").wantCount(".link", 0)

	// Nobody is asked about a link of the same page, or in the trash.
	ada.queued("/links", ada.user.ID, "url", rawURL+"?utm_source=x").wantStatus(200)
	ada.post("/links/1/trash").wantStatus(303)
	if p := ada.queued("/links", ada.user.ID, fields...); p.status != 200 || !strings.Contains(p.body, `"existed":false`) {
		t.Errorf("a URL that is in the trash: got %d %s, want a new link", p.status, p.body)
	}

	for _, test := range []struct {
		path   string
		fields []string
		status int
	}{
		{"/links", []string{"url", "htp://broken"}, 422},
		{"/links", []string{"title", "no URL"}, 422},
		{"/links/1/mark/read", nil, 410},
		{"/links/99/mark/read", nil, 404},
		{"/links/2/mark/archive", nil, 200},
	} {
		p := ada.queued(test.path, ada.user.ID, test.fields...)
		if p.status != test.status || !strings.HasPrefix(p.body, "{") || p.status == 422 && strings.Contains(p.body, `""`) {
			t.Errorf("%s %q: got %d %s, want %d as JSON", test.path, test.fields, p.status, p.body, test.status)
		}
	}
	p := ada.do(http.MethodPost, fmt.Sprintf("/links?queued=%d", ada.user.ID), "url="+rawURL, "Content-Type", formType, "Sec-Fetch-Site", "cross-site")
	p.wantStatus(403)
}

func TestTextsForReadingAreThoseOfTheNewestUnreadLinks(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	for i := range maxKept + 2 {
		link := ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), FlagsInput: waymark.FlagsInput{Unread: new(i != 1)}})
		if i != 2 {
			saveTextSnapshot(t, s, link)
		}
	}
	check(t, s.store.RefreshSearchIndex(t.Context()))
	p := ada.get("/offline/texts").wantStatus(200)
	if n := strings.Count(p.body, `"html":`); n != maxKept {
		t.Errorf("got %d texts, want %d", n, maxKept)
	}
	for i, want := range []bool{true, false, false} {
		if got := strings.Contains(p.body, fmt.Sprintf(`"https://example.org/%d"`, i)); got != want {
			t.Errorf("link %d: got %t, want %t", i, got, want)
		}
	}
	if p := bob.get("/offline/texts"); p.body != "[]" {
		t.Errorf("got %s for another person, want none", p.body)
	}
	s.guest(t).get(fmt.Sprintf("/offline/texts?queued=%d", ada.user.ID)).wantStatus(401)
	bob.get(fmt.Sprintf("/offline/texts?queued=%d", ada.user.ID)).wantStatus(409)
}
