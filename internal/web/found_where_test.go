package web

import (
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestRowsSayThatANoteOrThePathWasFound(t *testing.T) {
	s := newSite(t)
	ada, ben := s.user(t, "ada"), s.user(t, "ben")
	title := "Bread"
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/sourdough", Title: &title, VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)}})
	if _, err := s.service.AddNote(t.Context(), ada.user, link.ID, waymark.NoteInput{Text: "Needs **rye** flour", VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)}}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"rye+in:notes":   "In your note: Needs rye flour",
		"note:rye":       "In your note: Needs rye flour",
		"bread+in:notes": "",
		"sourdough":      "/sourdough",
	} {
		p := ada.get("/links?q=" + query)
		got := strings.Join(strings.Fields(p.text("li.link .desc")), " ")
		if got != want || p.Find("li.link").Length() != 1 || p.Find("li.link mark").Length() == 0 {
			t.Errorf("%s: got %q with %d marks, want %q", query, got, p.Find("li.link mark").Length(), want)
		}
	}
	ben.get("/links?q=note:rye").wantText("li.link .desc", "")
	ada.get("/links?q=sourdough&view=cards").wantText(".card .desc mark", "sourdough")
}

func TestSavedTwiceIsAState(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		for _, url := range []string{"https://example.org/a", "https://www.example.org/a/", "https://example.org/b"} {
			ada.addLink(waymark.LinkInput{URL: url})
		}
		ben.addLink(waymark.LinkInput{URL: "https://example.org/b"})
		for query, want := range map[string]int{"is:duplicate": 2, "-is:duplicate": 1} {
			ada.get("/links?q="+query).wantCount("li.link", want)
		}
	})
}

func TestDialogToJumpOffersListsBeforeAnythingIsTyped(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/a", Lists: &[]waymark.Ref{{Name: "Reading"}}})
	ada.post("/searches", "name", "Examples", "q", "example", "in-lists", "1")
	for path, want := range map[string]string{"/jump": "Reading 1 Examples", "/jump?q=exam": "Examples", "/jump?q=%23exam": "", "/jump?q=%3Eexam": ""} {
		group := ada.get(path).Find("[aria-label=Lists] a")
		if got := strings.Join(strings.Fields(group.Text()), " "); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
