package web

import (
	"net/url"
	"testing"

	"waymark/internal/waymark"
)

// TestALinkSavedOnThePageOfAListIsInTheList also saves on the page of a tag, and of another user's list.
func TestALinkSavedOnThePageOfAListIsInTheList(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "To read & more"}}, Tags: &[]waymark.Ref{{Name: "go"}}})
		if _, err := s.store.CreateList(t.Context(), bob.user.ID, waymark.List{Name: "Of bob", Visibility: waymark.Internal}); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string][2]string{"/lists/1": {"To read & more", ""}, "/tags/1": {"", "go"}, "/lists/2": {}, "/links": {}} {
			add := ada.get(path).attr("[data-key=n]", "href")
			form := ada.get(add).wantStatus(200)
			if got := [2]string{form.attr("#lists", "value"), form.attr("#tags", "value")}; got != want {
				t.Errorf("%s: got a form with the list and tag %q, want %q", path, got, want)
			}
			query, err := url.Parse(add)
			if err != nil {
				t.Fatal(err)
			}
			fields := []string{"url", "https://example.org" + path, "quick", "1"} // as the script saves a URL
			for name, values := range query.Query() {
				fields = append(fields, name, values[0])
			}
			saved := ada.post("/links", fields...).wantStatus(303)
			link, err := s.store.LinkByURL(t.Context(), ada.user.ID, "https://example.org"+path)
			if err != nil {
				t.Fatal(err)
			}
			if link, err = s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil {
				t.Fatal(err)
			}
			if got := [2]string{formatViews(listNames(link.Lists)), formatViews(tagNames(link.Tags))}; got != want {
				t.Errorf("%s: got a link with the list and tag %q, want %q", path, got, want)
			}
			back := path
			if want == [2]string{} {
				back = "/links"
			}
			if saved.location != back {
				t.Errorf("%s: got a redirect to %q, want to %q", path, saved.location, back)
			}
		}
	})
}

func TestTheMessageAboutASavedLinkLeadsToItsForm(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Reading"}}})
		p := ada.follow(ada.post("/links", "url", "example.org/a", "quick", "1", "back", "/lists/1"))
		links := p.Find("#toasts .toast a")
		if links.Length() != 2 {
			t.Fatalf("got %d links, want Edit and Add tags", links.Length())
		}
		edit := ada.get(links.Eq(0).AttrOr("href", "")).wantStatus(200)
		if edit.attr("#url", "value") != "https://example.org/a" || edit.attr("[name=back]", "value") != "/lists/1" || edit.Find("#tags[autofocus]").Length() != 0 {
			t.Errorf("Edit: got the form of %q, that returns to %q", edit.attr("#url", "value"), edit.attr("[name=back]", "value"))
		}
		if tags := ada.get(links.Eq(1).AttrOr("href", "")).wantStatus(200); tags.Find("#tags[autofocus]").Length() != 1 || tags.attr("#url", "value") != "https://example.org/a" {
			t.Error("Add tags: the field for tags has not the focus")
		}
	})
}
