package web

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestTrashShowsEachKindAndRestoresOneOrSeveral(t *testing.T) {
	s := newSite(t)
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
		p.wantCount("li.link", want)
		p.wantCount("main .title b, main .title i", 0)
		bob.get("/trash/"+kind).wantStatus(200).wantCount("li.link", 0)
	}
	bob.post("/trash/restore", "kind", "links", "only", fmt.Sprint(links[0].ID)).wantStatus(303)
	ada.get(linkPath(links[0].ID)).wantCount(".notes", 0) // otherwise another user has restored a link
	p := ada.follow(ada.post("/trash/restore", "kind", "links", "only", fmt.Sprint(links[0].ID), "models", fmt.Sprint(links[1].ID)))
	p.wantText("#toasts .toast span", "“example.org” is back.")
	p.wantCount("li.link", 2)
	ada.post("/trash/restore", "kind", "links", "models", fmt.Sprint(links[1].ID), "models", fmt.Sprint(links[2].ID)).wantStatus(303)
	ada.get(linkPath(links[2].ID)).wantStatus(200)
	ada.get("/trash/users").wantStatus(404)
	ada.post("/trash/restore", "kind", "users", "only", "1").wantStatus(404)
}

func TestLinkWhoseURLExistsAgainStaysInTheTrash(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	old := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	ada.post(linkPath(old.ID) + "/trash").wantStatus(303)
	again := ada.addLink(waymark.LinkInput{URL: old.URL})
	p := ada.follow(ada.post("/trash/restore", "kind", "links", "only", fmt.Sprint(old.ID)))
	p.wantText("#toasts .toast span", "One was not restored: it is no longer in the trash, or its URL or name is in use again.")
	p = ada.get(linkPath(old.ID)).wantStatus(200)
	p.wantAttr(".note-box a", "href", linkPath(again.ID))
	p.wantCount(".note-box button", 0)
}

func TestRestoringSaysWhatHappened(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	// The small window closes itself on /add/saved, so it must not say so if nothing was restored.
	ada.post("/trash/restore", "kind", "links", "only", "99", "back", "/add/saved").wantStatus(303).wantRedirect("/trash/links")
	p := ada.follow(ada.post("/trash/restore", "kind", "links", "back", "/trash/links"))
	p.wantText(".toast", "Nothing is selected, so nothing was restored.")
	for path, title := range map[string]string{"one": "a video", "two": "another"} {
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/" + path, Title: &title})
		ada.post(linkPath(link.ID) + "/trash").wantStatus(303)
	}
	for words, want := range map[string]string{"video": "a video", "-video": "another", "%23video": "", "is:broken": ""} {
		ada.get("/trash/links?words="+words).wantStatus(200).wantText("li.link .title", want)
	}
	ada.get("/trash/links?words=video").wantAttr("form [name=back]", "value", "/trash/links?words=video")
}

func TestTrashIsEmptiedAfterAQuestion(t *testing.T) {
	s := newSite(t)
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
		ada.get("/trash/"+kind).wantCount("li.link, .tools a", 0)
	}
	bob.get("/trash/links").wantCount("li.link", 1)
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
		p.wantText(".facts bdi", "<b><b>")
		ada.get("/trash/links").wantAttr("main .title a", "href", path)
		bob.get(path).wantStatus(404)
		s.guest(t).get("/guest" + path).wantStatus(404)
		for _, rest := range []string{"/read", "/full-snapshot", "/full-snapshot/file"} {
			ada.get(path + rest).wantStatus(404)
		}
		ada.get("/notes/1/edit").wantStatus(404)
		ada.post(path, "title", "changed").wantStatus(410)
		ada.post(path+"/notes", "text", "another", "visibility", "private").wantStatus(404)
		p = ada.follow(ada.post("/trash/restore", "kind", p.attr("main form [name=kind]", "value"), "back", p.attr("main form [name=back]", "value"), "only", p.attr("main form button", "value")))
		p.wantText("main .notes .prose", "A secret")
	})
}
