package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestFieldsOfALinkAreSavedOneByOne(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	text := "Kept"
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Description: &text, Tags: &[]waymark.Ref{{Name: "go"}}})
	id := fmt.Sprintf("link-%d", link.ID)
	look := fmt.Sprintf("#look-%d", link.ID)
	part := []string{"HX-Request", "true", "HX-Target", look}
	p := ada.get(linkPath(link.ID), part...).wantStatus(200)
	p.wantCount(look+" [data-saves]", 7)
	p.wantCount("html head title", 0)
	change := func(fields url.Values) response {
		return ada.do(http.MethodPost, linkPath(link.ID), fields.Encode(), append(part, "Content-Type", "application/x-www-form-urlencoded")...)
	}
	p = change(url.Values{"title": {strings.Repeat("x", waymark.MaxTitle+1)}, "tags": {"css"}}).wantStatus(422)
	p.wantCount("form [name=title][aria-invalid]", 1)
	p.wantAttr("[name=tags]", "value", "css")
	p = change(url.Values{"title": {"New"}, "lists": {"Reading"}, "tags": {"css"}, "visibility": {"public"}}).wantStatus(200)
	p.wantText("li#"+id+" .title", "New")
	p.wantText("[hx-swap-oob] .toast span", "“New” is changed.")
	for query, want := range map[string]string{"": "link", "?view=compact": "link", "?view=cards": "card"} {
		p := ada.do(http.MethodPost, linkPath(link.ID), "title=New", append(part, "HX-Current-URL", s.URL+"/links"+query, "Content-Type", "application/x-www-form-urlencoded")...)
		p.wantAttr("#"+id, "class", want)
	}
	for query, want := range map[string]string{"ne+is:public": "Ne", "%22new+title%22": "New title"} {
		p := ada.do(http.MethodPost, linkPath(link.ID), "title=New+title", append(part, "HX-Current-URL", s.URL+"/links?q="+query, "Content-Type", "application/x-www-form-urlencoded")...)
		p.wantText(".title mark", want)
	}
	changed := ada.onlyLink()
	if changed.URL != link.URL || changed.Description != text || changed.Visibility != waymark.Public || formatViews(tagNames(changed.Tags)) != "css" {
		t.Errorf("got %+v", changed)
	}
}

func TestEditingKeepsTheListOfAnotherUser(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	internal := waymark.Internal
	list, err := s.service.AddList(t.Context(), bob.user, waymark.ListInput{Name: "Shared", VisibilityInput: waymark.VisibilityInput{Visibility: &internal}})
	check(t, err)
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{ID: int64(list.ID)}}})
	form := ada.get(linkPath(link.ID))
	ada.post(linkPath(link.ID), "url", link.URL, "lists", form.attr("#lists", "value")+", Own").wantStatus(303)
	got := ada.onlyLink()
	if len(got.Lists) != 2 || got.Lists[0].Name != "Own" || got.Lists[1].ID != list.ID {
		t.Errorf("got the lists %+v, want Own and the one of bob", got.Lists)
	}
}

func TestEditingTakesALinkOutOfOneOfTwoListsWithOneName(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	var inLists []waymark.Ref
	for range 2 {
		list, err := s.service.AddList(t.Context(), ada.user, waymark.ListInput{Name: "Read"})
		check(t, err)
		inLists = append(inLists, waymark.Ref{ID: int64(list.ID)})
	}
	link := ada.addLink(waymark.LinkInput{URL: "https://a.example/", Lists: &inLists})
	ada.get("/links/1").wantAttr("[name=lists]", "value", "/Read, Read #2")
	for _, names := range []string{"/Read, Read #2", "Read #2", ""} {
		ada.post("/links/1", "url", link.URL, "lists", names).wantStatus(http.StatusSeeOther)
		saved, err := s.store.Link(t.Context(), ada.user.ID, link.ID)
		check(t, err)
		if want := len(parseNames(names)); len(saved.Lists) != want {
			t.Errorf("after %q: the link is in %d lists, want %d", names, len(saved.Lists), want)
		} else if want > 0 && saved.Lists[want-1].ID != 2 {
			t.Errorf("after %q: the link is not in the second list", names)
		}
	}
}

// A page can show a link that was moved to the trash or deleted in another window.
func TestChangeOfALinkThatIsGoneSaysWhereItIs(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		path := linkPath(ada.addLink(waymark.LinkInput{URL: "https://example.org/"}).ID)
		want := func(p response, status int, want string) {
			t.Helper()
			if got := p.wantStatus(status).Find("h1, .toast span").First().Text(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		ada.post(path + "/trash").wantStatus(303)
		want(ada.post(path, "title", "New"), 410, "This link is in the trash")
		want(ada.do(http.MethodPost, path+"/trash", "", "HX-Request", "true", "HX-Target", "div#toasts"), 200, "“example.org” is in the trash.")
		ada.post("/trash/clear").wantStatus(303)
		want(ada.get(path, "HX-Request", "true", "HX-Target", "#look-1"), 404, "This link does not exist")
		want(ada.post(path+"/trash"), 404, "This link does not exist")
	})
}

func TestLinksOfOthersCannotBeChanged(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		public := waymark.Public
		for link, status := range map[*waymark.Link]int{
			new(bob.addLink(waymark.LinkInput{URL: "https://example.org/1"})):                                                                404,
			new(bob.addLink(waymark.LinkInput{URL: "https://example.org/2", VisibilityInput: waymark.VisibilityInput{Visibility: &public}})): 403,
		} {
			path := linkPath(link.ID)
			ada.post(path, "url", link.URL, "title", "Mine").wantStatus(status)
			ada.post(path + "/trash").wantStatus(status)
			if now, err := s.store.Link(t.Context(), bob.user.ID, link.ID); err != nil || now.Title != link.Title {
				t.Errorf("%s: got %+v, %v, want no change", path, now, err)
			}
		}
	})
}

func TestMessageOfALongPageKeepsItsUndo(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	long := strings.Repeat("日", waymark.MaxTitle)
	p := ada.post("/links", "url", "https://example.org/", "title", long, "back", "/links?q="+strings.Repeat("x", 3500))
	if action := ada.follow(p).attr("#toasts form", "action"); !strings.HasPrefix(action, "/undo/") {
		t.Errorf("got the form %q, want one to undo the change", action)
	}
	for _, cookie := range p.header.Values("Set-Cookie") {
		if len(cookie) > 4096 {
			t.Errorf("a cookie has %d bytes, more than browsers keep", len(cookie))
		}
	}
}

// What was changed elsewhere is not replaced unseen. The refused form has the version that the person was told about:
// saving again replaces that change, and no other one.
func TestChangeMadeElsewhereIsNotReplacedUnseen(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "first"}}, Tags: &[]waymark.Ref{{Name: "first"}}})
	ada.post(linkPath(link.ID)+"/notes", "text", "first", "visibility", "private").wantStatus(http.StatusSeeOther)
	for _, test := range []struct {
		path, field string
		refused     []string // a field and a value that are refused before the version is compared
	}{
		{linkPath(link.ID), "title", []string{"url", "htp://example.org/"}},
		{"/lists/1", "name", []string{"name", "with, comma"}},
		{"/tags/1", "name", []string{"name", "with, comma"}},
		{"/notes/1", "text", []string{"text", ""}},
	} {
		form := test.path + "/edit"
		if strings.HasPrefix(form, "/links/") {
			form = test.path
		}
		current := func() string { return ada.get(form).attr("[name=version]", "value") }
		version, accepted := current(), 0
		for _, p := range ada.postTogether(8, test.path, test.field, "visibility", "private", "version", version) {
			if p.status == http.StatusSeeOther {
				accepted++
			} else if got, now := p.wantStatus(http.StatusUnprocessableEntity).attr("[name=version]", "value"), current(); got != now {
				t.Errorf("%s: the refused form has the version %s, want %s", test.path, got, now)
			}
		}
		p := ada.post(test.path, test.field, "mine", "visibility", "private", "version", version).wantStatus(http.StatusUnprocessableEntity)
		field := p.Find("main [name=" + test.field + "]")
		if got := field.AttrOr("value", strings.TrimSpace(field.Text())); got != "mine" || accepted != 1 || !strings.Contains(p.text("main"), "Saving again replaces that change.") {
			t.Errorf("%s: %d edits were accepted, want 1; the form has %q, want what was entered", test.path, accepted, got)
		}
		ada.post(test.path, test.field, "mine", "visibility", "private", "version", p.attr("[name=version]", "value")).wantStatus(http.StatusSeeOther)
		p = ada.post(test.path, append(test.refused, "visibility", "private", "version", version)...).wantStatus(http.StatusUnprocessableEntity)
		if !strings.Contains(p.Text(), "Saving again replaces that change.") && p.attr("[name=version]", "value") != version {
			t.Errorf("%s: the form has the version of a change that it does not mention", test.path)
		}
	}
}
