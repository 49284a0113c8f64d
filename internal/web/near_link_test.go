package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestASecondLinkOfAPageIsOfferedToJoin(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "http://www.example.org", FlagsInput: waymark.FlagsInput{Unread: new(true)}})
	id := fmt.Sprint(link.ID)
	const near = "https://example.org/?utm_source=x"
	count := func() int { return ada.get("/links").Find(".link").Length() }

	form := ada.post("/links", "url", near, "tags", "go").wantStatus(http.StatusUnprocessableEntity)
	if form.Find(`#existing [name=near][value="`+id+`"]`).Length() != 1 || form.Find(`#existing a[href="/links/`+id+`"]`).Length() != 1 || count() != 1 {
		t.Errorf("the form does not offer the other link: %s", form.text("#existing"))
	}
	if got := ada.get("/complete/url?url=" + near).text("p"); !strings.Contains(got, link.URL) {
		t.Errorf("got the notice %q, want one with %s", got, link.URL)
	}
	ada.follow(ada.post("/links", "url", near, "tags", "go", "flags", "unread favorite archived", "favorite", "1", "near", id, "into", id))
	if page := ada.get("/links?q=is%3Aunread&favorite=1"); page.Find(".link").Length() != 1 || page.text(".tag") != "go" {
		t.Errorf("added to it: got %d unread favorites with the tags %q", page.Find(".link").Length(), page.text(".tag"))
	}
	p := ada.post("/links", "url", near, "quick", "1").wantStatus(http.StatusSeeOther)
	card := ada.follow(p)
	if card.Find(`.note-box [name=near][value="`+id+`"]`).Length() != 1 || count() != 1 {
		t.Errorf("the card does not offer the other link: %s", card.text(".note-box"))
	}
	ada.follow(ada.post("/links", "url", near, "quick", "1", "near", id))
	if got := count(); got != 2 {
		t.Errorf("saved anyway: got %d links, want 2", got)
	}
	ada.follow(ada.post("/links", "url", "https://example.org/#place")) // another place is not the same
	if got := count(); got != 3 {
		t.Errorf("another fragment: got %d links, want 3", got)
	}
}
