package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

// shownLinks returns the titles of the links of a page, sorted.
func shownLinks(p response) string {
	titles := p.Find(".title a").Map(func(_ int, title *goquery.Selection) string { return title.Text() })
	slices.Sort(titles)
	return strings.Join(titles, " ")
}

func TestArchivedLinksAreLeftOutWhereAllAreListed(t *testing.T) {
	s := newGuestSite(t)
	ada := s.user(t, "ada")
	public := waymark.VisibilityInput{Visibility: new(waymark.Public)}
	tags := &[]waymark.Ref{{Name: "go"}}
	ada.addLink(waymark.LinkInput{URL: "https://a.example/", Title: new("plain"), Tags: tags, VisibilityInput: public})
	ada.addLink(waymark.LinkInput{URL: "https://b.example/", Title: new("old"), Tags: tags, VisibilityInput: public, FlagsInput: waymark.FlagsInput{Archived: new(true)}})
	ada.addLink(waymark.LinkInput{URL: "https://c.example/", Title: new("new"), FlagsInput: waymark.FlagsInput{Unread: new(true), Favorite: new(true)}})
	for path, want := range map[string]string{
		"/links": "new plain", "/links?order=title": "new plain", "/links?q=is%3Aarchived": "old", "/links?q=example": "new old plain", "/tags/1": "old plain",
		"/links?q=is%3Aunread": "new", "/links?q=is%3Afavorite": "new", "/links?q=is:unread": "new", "/links?q=is:archived": "old",
		"/guest/links": "plain", "/guest/search?q=example": "old plain",
	} {
		if got := shownLinks(ada.get(path).wantStatus(200)); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	p := ada.get("/links")
	for path, want := range map[string]string{"/links": "2", "/links?q=is%3Aunread": "1", "/links?q=is%3Afavorite": "1", "/links?q=is%3Aarchived": "1"} {
		p.wantText(fmt.Sprintf(`.side a[href=%q] .n`, path), want)
	}
	ada.get("/tags/1").wantCount("[title=Archived]", 1)
	ada.get("/links?q=is%3Aunread").wantText("h1", "Unread 1")
	if ben := s.user(t, "ben").get("/links"); ben.Find(".side a[href*=unread], .side a[href*=favorite], .unread").Length() != 0 || shownLinks(ben) != "plain" {
		t.Errorf("another user gets %q and entries for the flags of ada", shownLinks(ben))
	}
	ada.follow(ada.post("/bulk", "all", "1", "selection", "", "do", "trash"))
	if got, want := shownLinks(ada.get("/links?q=is%3Aarchived")), "old"; got != want {
		t.Errorf("after all links were moved to the trash, got %q in the archive, want %q", got, want)
	}
}

func TestFlagsAreSetAndTakenBack(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://a.example/"})
	want := func(what string, flags waymark.LinkFlags) {
		t.Helper()
		got, err := s.store.Link(t.Context(), ada.user.ID, link.ID)
		if err != nil || got.LinkFlags != flags {
			t.Errorf("%s: got %+v, %v, want %+v", what, got.LinkFlags, err, flags)
		}
	}
	mark := func(key string) response {
		t.Helper()
		return ada.follow(ada.post(ada.get("/links").attr(fmt.Sprintf("[data-key=%s][formaction]", key), "formaction"), "back", "/links"))
	}
	mark("u")
	want("u", waymark.LinkFlags{Unread: true})
	mark("u")
	want("u again", waymark.LinkFlags{})
	p := mark("f")
	want("f", waymark.LinkFlags{Favorite: true})
	ada.follow(ada.post(p.attr(".toast form", "action"), "back", "/links"))
	want("f taken back", waymark.LinkFlags{})
	if menu := p.attr(".row-more", "popovertarget"); p.Find("#"+menu+".row-actions[popover] [data-key]").Length() != 5 {
		t.Errorf("the menu %q of a row on touch screens does not have five entries", menu)
	}
	button := ada.get("/links").Find("[data-key=a][formaction]")
	if _, removes := button.Attr("data-removes"); !removes {
		t.Error("archiving does not take the row out of the page of all links")
	}
	if _, removes := ada.get("/links?q=example").Find("[data-key=a][formaction]").Attr("data-removes"); removes {
		t.Error("archiving takes the row out of a search")
	}
	for do, flags := range map[string]waymark.LinkFlags{"unread": {Unread: true}, "favorite": {Favorite: true}, "archive": {Archived: true}} {
		ada.follow(ada.post("/bulk", "models", fmt.Sprint(link.ID), "do", do))
		want(do, flags)
		undone := map[string]string{"unread": "read", "favorite": "unfavorite", "archive": "unarchive"}[do]
		ada.follow(ada.post("/bulk", "models", fmt.Sprint(link.ID), "do", undone))
		want(undone, waymark.LinkFlags{})
	}
	p = ada.do(http.MethodPost, linkPath(link.ID)+"/mark/unread", "", s.sent("/links", fmt.Sprintf("link-%d", link.ID))...).wantStatus(200)
	p.wantCount("li.unread [data-key=u][aria-pressed=true]", 1)
	p.wantText(`#menu [href="/links?q=is%3Aunread"] .n`, "1")
	ada.post(linkPath(link.ID) + "/mark/nothing").wantStatus(http.StatusNotFound)
	ada.get(linkPath(link.ID)).wantAttr("main [aria-pressed=true]", "data-key", "u")
	ada.post(linkPath(link.ID), "url", link.URL, "flags", "unread favorite archived", "favorite", "1")
	want("form", waymark.LinkFlags{Favorite: true})
	ada.post(linkPath(link.ID), "url", link.URL, "title", "a form without flags")
	want("form without flags", waymark.LinkFlags{Favorite: true})
}

func TestSettingsForUnreadLinks(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	visibility := []string{"links", "private", "lists", "private", "tags", "private", "notes", "private"}
	ada.post("/settings/new-links", append(visibility, "save-unread", "1")...).wantStatus(http.StatusSeeOther)
	ada.get("/links/create").wantCount("[name=unread]:checked", 1) // otherwise the form for a new link is not for an unread one
	ada.post("/links", "url", "https://a.example/", "quick", "1").wantStatus(http.StatusSeeOther)
	ada.post("/links", "url", "https://b.example/", "flags", "unread").wantStatus(http.StatusSeeOther)
	if got, want := shownLinks(ada.get("/links?q=is%3Aunread")), "a.example"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ada.get("/links").wantCount("[data-opened]", 0)
	ada.post("/settings/appearance", "links-per-page", "24", "view", "comfortable", "opening-reads", "1").wantStatus(http.StatusSeeOther)
	path := ada.get("/links").attr("[data-opened]", "data-opened")
	ada.do(http.MethodPost, path, "", "HX-Request", "true").wantStatus(http.StatusNoContent)
	if got := shownLinks(ada.get("/links?q=is%3Aunread")); got != "" {
		t.Errorf("after it was opened, got %q, want no unread link", got)
	}
}

func TestPagesOfListsAndTagsHaveTabsForFlags(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	refs := func(name string) *[]waymark.Ref { return &[]waymark.Ref{{Name: name}} }
	plain := ada.addLink(waymark.LinkInput{URL: "https://a.example/", Lists: refs("Reading"), Tags: refs("go")})
	for _, path := range []string{listPath(plain.Lists[0].ID), tagPath(plain.Tags[0].ID)} {
		ada.get(path).wantStatus(200).wantText("nav.tabs", "")
	}
	ada.addLink(waymark.LinkInput{URL: "https://b.example/", Lists: refs("Reading"), Tags: refs("go"), FlagsInput: waymark.FlagsInput{Unread: new(true)}})
	ada.addLink(waymark.LinkInput{URL: "https://c.example/", Lists: refs("Reading"), Tags: refs("go"), FlagsInput: waymark.FlagsInput{Archived: new(true)}})
	ada.addLink(waymark.LinkInput{URL: "https://d.example/", FlagsInput: waymark.FlagsInput{Favorite: new(true)}})
	for _, path := range []string{listPath(plain.Lists[0].ID), tagPath(plain.Tags[0].ID)} {
		all := ada.get(path)
		all.wantText("nav.tabs", "All 3 Unread 1 Archive 1")
		all.wantText("nav.tabs [aria-current]", "All 3")
		archive := ada.get(all.attr("nav.tabs a:last-child", "href"))
		archive.wantText("nav.tabs [aria-current]", "Archive 1")
		archive.wantAttr("nav.tabs a", "href", path)
		if !strings.Contains(archive.body, "https://c.example/") || strings.Contains(archive.body, "https://b.example/") {
			t.Errorf("%s: the archive has other links", path)
		}
	}
}
