package web

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestTrashShowsEachKindAndRestoresOneOrSeveral(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		names := &[]waymark.Ref{{Name: "<b>"}}
		var links []waymark.Link
		for i := range 3 {
			link := ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Lists: names, Tags: names})
			links = append(links, link)
		}
		ada.post(linkPath(links[0].ID)+"/notes", "text", "<i>", "visibility", "private")
		ada.post("/notes/1/trash").wantStatus(303)
		for _, link := range links {
			ada.post(linkPath(link.ID) + "/trash").wantStatus(303)
		}
		ada.post(listPath(links[0].Lists[0].ID) + "/trash").wantStatus(303)
		ada.post(tagPath(links[0].Tags[0].ID) + "/trash").wantStatus(303)
		for kind, want := range map[string]int{"links": 3, "lists": 1, "tags": 1, "notes": 1} {
			p := ada.get("/trash/" + kind).wantStatus(200)
			if got := p.Find("li.link").Length(); got != want {
				t.Errorf("%s: got %d, want %d", kind, got, want)
			}
			if p.Find("main .title b, main .title i").Length() != 0 {
				t.Errorf("%s: a text is HTML", kind)
			}
			if got := bob.get("/trash/" + kind).wantStatus(200).Find("li.link").Length(); got != 0 {
				t.Errorf("%s: another user sees %d", kind, got)
			}
		}
		bob.post("/trash/restore", "kind", "links", "only", fmt.Sprint(links[0].ID)).wantStatus(303)
		if ada.get(linkPath(links[0].ID)).Find(".notes").Length() != 0 {
			t.Error("another user has restored a link")
		}
		p := ada.follow(ada.post("/trash/restore", "kind", "links", "only", fmt.Sprint(links[0].ID), "models", fmt.Sprint(links[1].ID)))
		if got, want := p.text("#toasts .toast span"), "“example.org” is back."; got != want || p.Find("li.link").Length() != 2 {
			t.Errorf("got %q, want %q", got, want)
		}
		ada.post("/trash/restore", "kind", "links", "models", fmt.Sprint(links[1].ID), "models", fmt.Sprint(links[2].ID)).wantStatus(303)
		ada.get(linkPath(links[2].ID)).wantStatus(200)
		ada.get("/trash/users").wantStatus(404)
		ada.post("/trash/restore", "kind", "users", "only", "1").wantStatus(404)
	})
}

func TestLinkWhoseURLExistsAgainStaysInTheTrash(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		old := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
		ada.post(linkPath(old.ID) + "/trash").wantStatus(303)
		again := ada.addLink(waymark.LinkInput{URL: old.URL})
		p := ada.follow(ada.post("/trash/restore", "kind", "links", "only", fmt.Sprint(old.ID)))
		if got, want := p.text("#toasts .toast span"), "One was not restored: it is no longer in the trash, or its URL or name is in use again."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		p = ada.get(linkPath(old.ID)).wantStatus(200)
		if got, want := p.attr(".note-box a", "href"), linkPath(again.ID); got != want || p.Find(".note-box button").Length() != 0 {
			t.Errorf("the page of the link in the trash leads to %q, want %q, and no restoring", got, want)
		}
	})
}

func TestRestoringSaysWhatHappened(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		// The small window closes itself on /add/saved, so it must not say so if nothing was restored.
		if p := ada.post("/trash/restore", "kind", "links", "only", "99", "back", "/add/saved").wantStatus(303); p.location != "/trash/links" {
			t.Errorf("a link that was not restored leads to %s", p.location)
		}
		p := ada.follow(ada.post("/trash/restore", "kind", "links", "back", "/trash/links"))
		if got, want := p.text(".toast"), "Nothing is selected, so nothing was restored."; got != want {
			t.Errorf("without a selection: got %q, want %q", got, want)
		}
		for path, title := range map[string]string{"one": "a video", "two": "another"} {
			link := ada.addLink(waymark.LinkInput{URL: "https://example.org/" + path, Title: &title})
			ada.post(linkPath(link.ID) + "/trash").wantStatus(303)
		}
		for words, want := range map[string]string{"video": "a video", "-video": "another", "%23video": "", "is:broken": ""} {
			if got := ada.get("/trash/links?words=" + words).wantStatus(200).text("li.link .title"); got != want {
				t.Errorf("%s: got %q, want %q", words, got, want)
			}
		}
		if got, want := ada.get("/trash/links?words=video").attr("form [name=back]", "value"), "/trash/links?words=video"; got != want {
			t.Errorf("restoring leads to %q, want %q", got, want)
		}
	})
}

func TestTrashIsEmptiedAfterAQuestion(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Tags: &[]waymark.Ref{{Name: "go"}}})
		bobs := bob.addLink(waymark.LinkInput{URL: "https://example.org/"})
		bob.post(linkPath(bobs.ID) + "/trash")
		ada.post(linkPath(link.ID) + "/trash")
		ada.post(tagPath(link.Tags[0].ID) + "/trash")
		p := ada.follow(ada.get("/trash")).wantStatus(200)
		p = ada.get(p.attr(".tools a", "href")).wantStatus(200)
		if got, want := spaced(p, "main li"), "1 link 1 tag"; got != want {
			t.Errorf("the question names %q, want %q", got, want)
		}
		ada.follow(ada.post("/trash/clear")).wantStatus(200)
		for _, kind := range []string{"links", "tags"} {
			if p := ada.get("/trash/" + kind); p.Find("li.link, .tools a").Length() != 0 {
				t.Errorf("%s: got %s, want an empty trash", kind, p.text("main"))
			}
		}
		if got := bob.get("/trash/links").Find("li.link").Length(); got != 1 {
			t.Errorf("the other user has %d links in the trash, want 1", got)
		}
	})
}

func TestTrashedLinkIsShownToItsOwnerOnly(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		names := &[]waymark.Ref{{Name: "<b>"}}
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: new("A title"), Lists: names, Tags: names, VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)}})
		path := linkPath(link.ID)
		ada.post(path+"/notes", "text", "A secret", "visibility", "private").wantStatus(303)
		ada.post(path + "/trash").wantStatus(303)
		p := ada.get(path).wantStatus(200)
		if got := p.text("main"); !strings.Contains(got, "In the trash since") || !strings.Contains(got, "A title") || strings.Contains(got, "A secret") {
			t.Errorf("got %q, want that it is in the trash, its title, and no notes", got)
		}
		if got := p.text(".facts bdi"); got != "<b><b>" {
			t.Errorf("got the list and the tag %q", got)
		}
		if got := ada.get("/trash/links").attr("main .title a", "href"); got != path {
			t.Errorf("the trash leads to %q, want %q", got, path)
		}
		bob.get(path).wantStatus(404)
		s.guest(t).get("/guest" + path).wantStatus(404)
		for _, rest := range []string{"/snapshot", "/full-snapshot", "/full-snapshot/file"} {
			ada.get(path + rest).wantStatus(404)
		}
		ada.get("/notes/1/edit").wantStatus(404)
		ada.post(path, "title", "changed").wantStatus(410)
		ada.post(path+"/notes", "text", "another", "visibility", "private").wantStatus(404)
		p = ada.follow(ada.post("/trash/restore", "kind", p.attr("main form [name=kind]", "value"), "back", p.attr("main form [name=back]", "value"), "only", p.attr("main form button", "value")))
		if got := p.text("main .notes .prose"); got != "A secret" {
			t.Errorf("after it was restored: got the note %q", got)
		}
	})
}
