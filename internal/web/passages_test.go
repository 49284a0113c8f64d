package web

import (
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestPassagesAreListedByLink(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	ada.get("/passages").wantText("main .empty h2", "Nothing is marked yet.")
	first, second := ada.addText("first", 100), ada.addText("second", 0)
	ada.saveHTML(first, "<p>Flour, water and time.</p><p>Salt.</p>")
	for _, exact := range []string{"Salt", "water"} {
		ada.post(linkPath(first.ID)+"/passages", "exact", exact, "note", "Note on "+exact)
	}
	ada.post(linkPath(first.ID)+"/passages", "exact", "sugar") // the text does not have it
	in := waymark.PassageInput{Quote: waymark.Quote{Exact: "not in any text"}}
	_, err := s.service.AddPassage(t.Context(), ada.user, second.ID, in)
	check(t, err)
	p := ada.get("/passages")
	if got := strings.Join(strings.Fields(p.text("main section")), " "); got != "second example.org not in any text first example.org water Note on water Salt Note on Salt" {
		t.Errorf("got %q", got)
	}
	p.wantAttr(".marked-link:last-of-type .passage a", "href", linkPath(first.ID)+"/read#marked-2")
	if got := ada.get("/passages?words=note+salt"); !strings.Contains(got.header.Get("Location"), "passage%3Anote") {
		t.Errorf("a search leads to %q", got.header.Get("Location"))
	}
	if got := bob.get("/passages").text("main section"); got != "" {
		t.Errorf("bob sees %q", got)
	}
}
