package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"waymark/internal/waymark"
)

func TestPageOfALinkShowsEverythingAboutIt(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	title, text := "Example", "Read *this*"
	var many []waymark.Ref
	for i := range 12 {
		many = append(many, waymark.Ref{Name: fmt.Sprint("list ", i)})
	}
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/?a&b", Title: &title, Description: &text, Lists: &many, Tags: &[]waymark.Ref{{Name: "go"}}})
	p := ada.get(linkPath(link.ID)).wantStatus(200)
	for selector, want := range map[string]string{
		"h1": title, "#title": title, "#description": text, ".state a": "example.org", ".notes article": "",
	} {
		p.wantText(selector, want)
	}
	p.wantAttr("#url", "value", link.URL)
	p.wantAttr("#tags", "value", "go")
	if got := len(parseNames(p.attr("#lists", "value"))); got != len(many) {
		t.Errorf("the form has %d lists, want %d", got, len(many))
	}
	p.wantAttr("[data-copy]", "data-copy", link.URL)
	p.wantAttr("main [data-key=o]", "rel", "noreferrer")
}

func TestLinksOfOthersShowTheirOwnerAndNoTools(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	internal := waymark.VisibilityInput{Visibility: new(waymark.Visibility)}
	*internal.Visibility = waymark.Internal
	shared := bob.addLink(waymark.LinkInput{URL: "https://example.org/1", VisibilityInput: internal})
	private := bob.addLink(waymark.LinkInput{URL: "https://example.org/2"})
	ada.get(linkPath(private.ID)).wantStatus(404)
	ada.post(linkPath(private.ID)+"/notes", "text", "a", "visibility", "private").wantStatus(404)
	p := ada.get(linkPath(shared.ID)).wantStatus(200)
	p.wantText(".facts div:first-child dd", "bob")
	p.wantCount("main [name=title], main [action$='/trash']", 0)
	bob.post(linkPath(shared.ID)+"/notes", "text", "Secret", "visibility", "private").wantStatus(303)
	bob.post(linkPath(shared.ID)+"/notes", "text", "Shared", "visibility", "internal").wantStatus(303)
	ada.post(linkPath(shared.ID)+"/notes", "text", "Mine", "visibility", "private").wantStatus(303)
	p = ada.get(linkPath(shared.ID))
	p.wantText(".notes article .prose", "Shared Mine")
	p.wantCount(".notes article a", 1)
	look := s.sent("/links", fmt.Sprintf("look-%d", shared.ID))
	ada.do(http.MethodPost, linkPath(shared.ID)+"/notes", "text=More&visibility=private", look...).wantStatus(200).wantText(".notes article .prose", "Shared Mine More")
	ada.do(http.MethodPost, linkPath(shared.ID)+"/notes", "text=&visibility=private", look...).wantStatus(422).wantCount(".notes .wrong", 1)
}

func TestNotesAreAddedChangedAndTrashed(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	p := ada.post(linkPath(link.ID)+"/notes", "text", "  ", "visibility", "public").wantStatus(422)
	p.wantCount("#problems", 1)
	p = ada.follow(ada.post(linkPath(link.ID)+"/notes", "text", "One", "visibility", "internal"))
	p.wantText(".notes article .prose", "One")
	edit := p.attr(".notes article a", "href")
	note := strings.TrimSuffix(edit, "/edit")
	for _, path := range []string{note, note + "/trash"} {
		bob.post(path, "text", "Hacked", "visibility", "public").wantStatus(403)
	}
	bob.get(edit).wantStatus(404)
	if got := strings.TrimSpace(ada.get(edit).Find("textarea").Text()); got != "One" {
		t.Errorf("the form has %q", got)
	}
	ada.post(note, "text", "", "visibility", "private").wantStatus(422)
	p = ada.follow(ada.post(note, "text", "Two", "visibility", "private"))
	p.wantText(".notes article .prose", "Two")
	p = ada.follow(ada.post(note + "/trash"))
	p.wantCount(".notes article", 0)
	ada.get(edit).wantStatus(404)
}

func TestPageOfALinkShowsWhatChecksHaveFound(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/old"})
	path := linkPath(link.ID)
	visit := func(result waymark.LastCheck) {
		t.Helper()
		result.At = s.store.Now()
		claimed, err := s.store.Queue.ClaimLinkCheck(t.Context(), link.ID, result.At.Add(time.Minute))
		if err == nil {
			_, err = s.store.Queue.AddCheck(t.Context(), claimed, result)
		}
		check(t, err)
	}
	ada.get(path).wantCount(".checks", 0) // otherwise a link that was not checked shows checks
	visit(waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckOK, Code: 200}})
	visit(waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckUnsure}, Reason: "timeout"})
	visit(waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckDead, Code: 404}, Reason: "status"})
	p := ada.get(path)
	p.wantAttr(".checks", "aria-label", "1 of the last 3 checks found the page")
	p.wantCount(".checks i", 3)
	p.wantCount(".checks i:nth-child(2).unsure, .checks i:nth-child(3).dead", 2)
	if got := p.attr(`.facts a[rel=noreferrer]`, "href"); !strings.HasPrefix(got, "https://web.archive.org/web/") {
		t.Errorf("the page of a dead link offers %q, want a snapshot", got)
	}

	bob := s.user(t, "bob")
	bob.post(path + "/confirm").wantStatus(http.StatusNotFound)
	p = ada.follow(ada.post(p.attr(`[formaction$="/confirm"]`, "formaction")))
	if health, err := s.store.Queue.LinkChecks(t.Context(), ada.user.ID, link.ID); err != nil || health.DeadDays != 0 || p.text(".toast") == "" {
		t.Errorf("after the page was said to be fine: %d days on which it was gone (%v), message %q", health.DeadDays, err, p.text(".toast"))
	}

	visit(waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckMoved, Code: 200}, NewURL: "https://example.org/<new>"})
	p = ada.get(path)
	p.wantText(".facts .url", "https://example.org/<new>")
	p = ada.follow(ada.post(p.attr(`[formaction$="/moved"]`, "formaction")))
	p.wantAttr("#url", "value", "https://example.org/<new>")
	p.wantCount(".checks", 0) // otherwise the checks of the old URL are still shown
	p = ada.follow(ada.post(p.attr(".toast form", "action"), "back", path))
	p.wantAttr("#url", "value", link.URL)

	visit(waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckMoved, Code: 200}, NewURL: "https://example.org/saved"})
	ada.addLink(waymark.LinkInput{URL: "https://example.org/saved"})
	p = ada.follow(ada.post(path + "/moved"))
	if got := p.attr("#url", "value"); got != link.URL || p.text(".toast") == "" {
		t.Errorf("the new URL is saved already: got the URL %q and the message %q", got, p.text(".toast"))
	}
}

func TestTrashOnThePageOfALinkReturnsToThePageBefore(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	path := linkPath(ada.addLink(waymark.LinkInput{URL: "https://example.org/"}).ID)
	for referer, want := range map[string]string{
		"":                                  "",
		"https://example.net/links":         "",
		s.URL + path:                        "",
		s.URL + path + "/edit":              "",
		s.URL + path + "7":                  path + "7",
		s.URL + "/notes/1/edit":             "",
		s.URL + "/signin?back=" + path:      "",
		s.URL + "//example.net/":            "",
		s.URL + "@example.net/":             "",
		s.URL + "/notes/1":                  "", // a form with an error
		s.URL + "/links/999/notes":          "",
		s.URL + "/undo/x":                   "",
		s.URL + "/lists/3?page=2&order=url": "/lists/3?page=2&order=url",
	} {
		ada.get(path, "Referer", referer).wantAttr(`form[action$="/trash"] [name=back]`, "value", want)
	}
}

func TestChangesOnThePageOfALinkKeepThePageBefore(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	path := linkPath(ada.addLink(waymark.LinkInput{URL: "https://example.org/"}).ID)
	const before = "/links?order=title&q=a+%26+b"
	p := ada.get(path, "Referer", s.URL+before)
	check := func(what string) {
		t.Helper()
		p.wantAttr(`form[action$="/trash"] [name=back]`, "value", before)
	}
	send := func(form string, fields ...string) {
		t.Helper()
		p = ada.post(p.attr(form, "action"), append(fields, "back", p.attr(form+" [name=back]", "value"))...)
		if p.location != "" {
			p = ada.follow(p)
		}
	}
	send(".look form", "note", strings.Repeat("x", waymark.MaxNote+1))
	check("a note that is too long")
	send(".look form", "note", "first")
	check("a new note")
	note := p.attr(".notes article a", "href")
	p = ada.get(note)
	p = ada.get(p.attr(".head a", "href"), "Referer", s.URL+note)
	check("a note that was not changed")
	p = ada.get(note)
	send("form.form", "text", "second", "visibility", "private")
	check("a changed note")
	p = ada.get(note)
	p = ada.follow(ada.post(p.attr("[formaction]", "formaction"), "back", p.attr("form.form [name=back]", "value")))
	check("a note in the trash")
	send(".toast form")
	check("undo")
	send(".look form", "title", "Changed")
	check("a changed link")
	p.wantText("h1", "Changed")

	guest := s.guest(t)
	form := guest.follow(guest.post(path+"/notes", "text", "new", "back", before))
	p = guest.follow(guest.post("/signin", "name", "ada", "password", password, "back", form.attr("input[name=back]", "value")))
	check("a note after the sign-in")
}

// From the page of a link, people jump to another one, again and again.
func TestPagesBeforeDoNotMakeURLsLong(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	path := linkPath(ada.addLink(waymark.LinkInput{URL: "https://example.org/"}).ID)
	other := linkPath(ada.addLink(waymark.LinkInput{URL: "https://example.org/other"}).ID)
	for _, before := range []string{"/links?q=a", "/links?q=" + url.QueryEscape(strings.Repeat("日", 160)), "/links?q=" + url.QueryEscape(strings.Repeat("日", 440))} {
		longest := 0
		for range 12 {
			path, other = other, path
			p := ada.get(path, "Referer", s.URL+before)
			before = ada.post(path+"/check", "back", p.attr(`form[action$="/trash"] [name=back]`, "value")).location
			longest = max(longest, len(before))
		}
		if longest > 4000 {
			t.Errorf("got a URL of %d bytes", longest)
		}
	}
}
