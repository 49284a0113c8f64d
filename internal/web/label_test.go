package web

import (
	"fmt"
	"testing"

	"waymark/internal/waymark"
)

func TestOwnerOfAPublicTagLearnsWhatGuestsSee(t *testing.T) {
	s := newGuestSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	public := waymark.VisibilityInput{Visibility: new(waymark.Public)}
	tag, err := s.service.AddTag(t.Context(), ada.user, waymark.TagInput{Name: "go", VisibilityInput: public})
	check(t, err)
	for i, v := range []waymark.Visibility{waymark.Public, waymark.Internal, waymark.Private, waymark.Private} {
		ada.addLink(waymark.LinkInput{
			URL: fmt.Sprint("https://example.org/", i), VisibilityInput: waymark.VisibilityInput{Visibility: new(v)},
			Tags: &[]waymark.Ref{{ID: int64(tag.ID)}},
		})
	}
	path := tagPath(tag.ID)
	p := ada.get(path).wantStatus(200)
	box := func(p response) string {
		return p.text(".note-box > .grow > :first-child") + " " + p.text(".note-box form")
	}
	if got, want := box(p), "Guests see 1 of 4 links here. Make 3 links public"; got != want {
		t.Fatalf("%s: got %q, want %q", path, got, want)
	}
	p.wantAttr(".note-box [data-copy]", "data-copy", s.URL+"/guest"+path)
	p.wantAttr(".note-box .url a", "href", "/guest"+path)
	var fields []string
	for _, name := range []string{"all", "selection", "back"} {
		fields = append(fields, name, p.attr(".note-box [name="+name+"]", "value"))
	}
	p = ada.follow(ada.post("/bulk", append(fields, "do", "public")...))
	if got, want := box(p), "Guests see all links here. "; got != want {
		t.Errorf("%s: after the change: got %q, want %q", path, got, want)
	}
	s.guest(t).get("/guest"+path).wantCount(".link", 4)
	p = ada.follow(ada.post(p.attr(".toast form", "action"), "back", path))
	if got, want := box(p), "Guests see 1 of 4 links here. Make 3 links public"; got != want {
		t.Errorf("%s: after the undo: got %q, want %q", path, got, want)
	}
	bob.get(path).wantStatus(200).wantCount(".note-box", 0)
}

func TestPublicListHasNoPublicURLWithoutPagesForGuests(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	c := ada.addCollection()
	path := listPath(c.lists[waymark.Public].ID)
	if p := ada.get(path).wantStatus(200); p.Find(".note-box").Length() != 0 || p.attr("main a.feed", "href") != "/settings/apps#feeds" {
		t.Errorf("got %q and the feed %q, want neither of them for guests", p.text(".note-box"), p.attr("main a.feed", "href"))
	}
}
