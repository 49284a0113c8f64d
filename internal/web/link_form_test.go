package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

func TestLinkIsSavedWithAllFields(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	p := ada.post("/links", "url", " https://example.org/a ", "title", "Example", "description", "One\r\nTwo",
		"lists", `Reading, Say "hi"`, "tags", "go, free book, GO", "visibility", "internal")
	if p.location != "/links" {
		t.Errorf("got a redirect to %q, want /links", p.location)
	}
	ada.follow(p).wantText("#toasts .toast span", "“Example” is saved.")
	link := ada.onlyLink()
	if link.URL != "https://example.org/a" || link.Title != "Example" || link.Description != "One\nTwo" || link.Visibility != waymark.Internal {
		t.Errorf("got %+v", link)
	}
	if got, want := namesOfLists(link.Lists), `Reading, Say "hi"`; got != want {
		t.Errorf("got the lists %s, want %s", got, want)
	}
	if got, want := formatViews(tagNames(link.Tags)), "free book, go"; got != want {
		t.Errorf("got the tags %s, want %s", got, want)
	}
}

// onlyLink returns the link of the user, who must have one.
func (b *browser) onlyLink() waymark.Link {
	b.t.Helper()
	found, err := b.site.store.Links(b.user.ID, waymark.Order{}, waymark.Pagination{}).Page(b.t.Context())
	if err != nil || len(found.Entities) != 1 {
		b.t.Fatalf("got %d links, %v, want one", len(found.Entities), err)
	}
	return found.Entities[0]
}

func TestURLFromTheFieldAtTheTopIsSavedAndCanBeTakenBack(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	page := ada.follow(ada.post("/links", "url", "example.org/a", "quick", "1"))
	if link := ada.onlyLink(); link.URL != "https://example.org/a" || link.Title != "example.org" || link.Visibility != waymark.Private {
		t.Errorf("got %+v", link)
	}
	if action := page.attr("#toasts form", "action"); !strings.HasPrefix(action, "/undo/") {
		t.Errorf("the message has the form %q, want one to undo the change", action)
	}
}

func TestSaveAndAddAnotherKeepsListsTagsAndVisibility(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	p := ada.follow(ada.post("/links", "url", "https://example.org/", "lists", `Reading, "a ""b"""`, "tags", "go", "visibility", "public", "another", "1"))
	for selector, want := range map[string]string{
		"#lists": `Reading, "a ""b"""`, "#tags": "go", "[name=visibility][checked]": "public", "#url": "", "#title": "",
	} {
		p.wantAttr(selector, "value", want)
	}
	p.wantText("#toasts .toast span", "“example.org” is saved.")
}

func TestWrongFormNamesItsProblemsAndKeepsTheInput(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	long := strings.Repeat("x", waymark.MaxTitle+1)
	p := ada.post("/links", "url", "htp//<x>", "title", long, "description", "\nKept", "lists", "a, b", "tags", "c", "visibility", "public").wantStatus(422)
	p.wantCount("#problems[autofocus] a", 2)
	p.Find("#problems a").Each(func(_ int, a *goquery.Selection) {
		field := p.Find(a.AttrOr("href", ""))
		if field.AttrOr("aria-invalid", "") != "true" || p.Find("#"+field.AttrOr("aria-describedby", "none")).Length() != 1 {
			t.Errorf("%s: the field does not say what is wrong", a.Text())
		}
	})
	p.wantText("#url-wrong", "“htp//<x>” is not a URL. It should begin with https://")
	for selector, want := range map[string]string{"#url": "htp//<x>", "#title": long, "#lists": "a, b", "#tags": "c", "[name=visibility][checked]": "public"} {
		p.wantAttr(selector, "value", want)
	}
	if got, want := p.Find("#description").Text(), "Kept"; strings.TrimPrefix(got, "\n") != want {
		t.Errorf("got the description %q, want %q", got, want)
	}
}

func TestURLInTheTrashIsRestoredOrSavedAsANewLink(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	trash := func(rawURL string) waymark.Link {
		link := ada.addLink(waymark.LinkInput{URL: rawURL, Title: new("Kept"), Tags: &[]waymark.Ref{{Name: "go"}}})
		ada.post(linkPath(link.ID) + "/trash").wantStatus(303)
		return link
	}
	saved := func(rawURL string) (id waymark.LinkID) {
		link, err := s.store.LinkByURL(t.Context(), ada.user.ID, rawURL)
		check(t, err)
		if link.DeletedAt == 0 {
			id = link.ID
		}
		return id
	}
	fields := func(p response, form string) (all []string) {
		p.Find(form).Find("input").AddSelection(p.Find("[form=" + strings.TrimPrefix(form, "#") + "]")).Each(func(_ int, field *goquery.Selection) {
			all = append(all, field.AttrOr("name", ""), field.AttrOr("value", ""))
		})
		return all
	}
	// The field at the top.
	quick := trash("https://quick.example/")
	p := ada.follow(ada.post("/links", "url", quick.URL, "quick", "1"))
	if got := saved(quick.URL); got != 0 {
		t.Fatalf("link %d was saved without a word about the trash", got)
	}
	restored := ada.follow(ada.post("/trash/restore", fields(p, ".note-box form:has([name=kind])")...))
	if got := restored.text("h1"); got != "Kept" || saved(quick.URL) != quick.ID {
		t.Errorf("after restoring: the page is %q", got)
	}
	ada.post(linkPath(quick.ID) + "/trash").wantStatus(303)
	ada.post("/links", fields(p, ".note-box form:has([name=trashed])")...).wantStatus(303)
	if got := saved(quick.URL); got == 0 || got == quick.ID {
		t.Errorf("got link %d, want a new one", got)
	}
	// The form, also without scripts.
	full := trash("https://full.example/")
	p = ada.post("/links", "url", full.URL, "title", "New").wantStatus(422)
	if got := p.attr("#title", "value"); got != "New" || p.text("#problems") == "" {
		t.Errorf("the form lost its input, or says nothing: %q", got)
	}
	restored = ada.follow(ada.post("/trash/restore", fields(p, "#restore")...))
	restored.wantText("h1", "Kept")
	ada.post(linkPath(full.ID) + "/trash").wantStatus(303)
	changed := trash("https://changed.example/")
	ada.post("/links", "url", changed.URL, "trashed", p.attr("[name=trashed]", "value")).wantStatus(422)
	ada.post("/links", fields(p, "#link")...).wantStatus(303)
	if got := saved(full.URL); got == 0 || got == full.ID {
		t.Errorf("got link %d, want a new one", got)
	}
	// The small window closes after restoring, too.
	window := trash("https://window.example/")
	p = ada.get("/add?u=" + url.QueryEscape(window.URL))
	if got := ada.post("/trash/restore", fields(p, "#restore")...).location; got != "/add/saved" || saved(window.URL) != window.ID {
		t.Errorf("got a redirect to %q", got)
	}
	// The trash of other users does not matter, and is not told.
	other := trash("https://other.example/")
	bob.post("/links", "url", other.URL, "quick", "1").wantStatus(303)
	if got := bob.onlyLink().URL; got != other.URL {
		t.Errorf("got %q", got)
	}
}

func TestFormIsFilledInByItsURL(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	fields := "?u=https%3A%2F%2Fexample.org%2F%3Fa%3D%22%26b&t=%3Cb%3E&d=Text"
	for _, path := range []string{"/links/create", "/add", "/bookmarklet/add"} {
		p := ada.get(path + fields).wantStatus(200)
		if got := []string{p.attr("#url", "value"), p.attr("#title", "value"), strings.TrimSpace(p.Find("#description").Text())}; !slices.Equal(got, []string{`https://example.org/?a="&b`, "<b>", "Text"}) {
			t.Errorf("%s: got %q", path, got)
		}
		if hasSidebar := p.Find("nav.side").Length() == 1; hasSidebar != (path == "/links/create") {
			t.Errorf("%s: the page has a sidebar: %v", path, hasSidebar)
		}
	}
	guest := s.guest(t)
	signIn := guest.get("/add" + fields)
	guest.follow(signIn).wantStatus(200)
	back := guest.follow(signIn).attr("[name=back]", "value")
	p := guest.follow(guest.post("/signin", "name", "ada", "password", password, "back", back))
	p.wantAttr("#url", "value", `https://example.org/?a="&b`)
}

// postTogether sends n forms at the same time, which differ in one field.
func (b *browser) postTogether(n int, path, field string, fields ...string) []response {
	b.t.Helper()
	pages := make([]response, n)
	var posts sync.WaitGroup
	for i := range pages {
		posts.Go(func() { pages[i] = b.post(path, append([]string{field, fmt.Sprint("edit ", i)}, fields...)...) })
	}
	posts.Wait()
	return pages
}

func TestSharedTextFillsTheForm(t *testing.T) {
	const rawURL, quotation = "https://example.org/a", "\u201cA quotation\u201d"
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, test := range []struct{ title, text, url, wantURL, wantDescription string }{
		{"A", rawURL, "", rawURL, ""},
		{"A", "", rawURL, rawURL, ""},
		{"A", rawURL, rawURL, rawURL, ""},
		{"A", "A " + rawURL, "", rawURL, ""},
		{"A", "A", rawURL, rawURL, ""},
		{"A", quotation + "\n " + rawURL, "", rawURL, quotation}, // of Chrome on Android
		{"A", quotation + " " + rawURL, rawURL, rawURL, quotation},
		{"A", quotation, rawURL, rawURL, quotation},
		{"", "Look at this: " + rawURL, "", rawURL, "Look at this:"},
		{"", "Like " + rawURL + "/b", rawURL, rawURL, "Like " + rawURL + "/b"},
		{"", quotation, "", "", quotation},
		{"A", "A (" + rawURL + ").", "", rawURL, ""},
		{"", "<" + rawURL + ">", "", rawURL, ""},
		{"", `Read "` + rawURL + `", and more`, "", rawURL, "Read and more"},
		{"", "Read „" + rawURL + "“!", "", rawURL, "Read"},
		{"", "Go (https://example.org/Go_(game))", "", "https://example.org/Go_(game)", "Go"},
		{"", "Go: https://example.org/Go_(game).", "", "https://example.org/Go_(game)", "Go:"},
		{"", "「" + rawURL + "」。", "", rawURL, ""},
		{"", "[Go](" + rawURL + ")", "", rawURL, "Go"},
		{"", "[Go](" + rawURL + ")，然后", "", rawURL, "Go 然后"},
		{"", "参见[Go](" + rawURL + ")说明", "", rawURL, "参见[Go 说明"},
		{"", "看这个" + rawURL + "。很好", "", rawURL, "看这个 很好"},
		{"", "https://archive.example/https://example.org/", "", "https://archive.example/https://example.org/", ""},
		{"", "A company\nhttps://example.org/A_Inc.\n", "", "https://example.org/A_Inc.", "A company"}, // apps write no full stop there
		{"", "https://", "", "https://", ""},
		{"", quotation + "\n " + rawURL + "#:~:text=A%20quotation", "", rawURL, quotation},
		{"", quotation + " " + rawURL + "#a:~:text=A", rawURL + "#a:~:text=A", rawURL + "#a", quotation},
		{"", rawURL + "?a=:~:#a", "", rawURL + "?a=:~:#a", ""},
		{rawURL, "", "", rawURL, ""},
		{"", "HTTPS://example.org/a", "", "HTTPS://example.org/a", ""},
		{"", "Read www.example.org/a.", "", "https://www.example.org/a", "Read"},
		{"", "Go to www.", "", "", "Go to www."},
		{"", rawURL + "\u200b", "", rawURL, ""},
		{"", "", rawURL + "\ufeff", rawURL, ""},
	} {
		p := ada.get("/add?" + url.Values{"title": {test.title}, "text": {test.text}, "url": {test.url}}.Encode()).wantStatus(http.StatusOK)
		got := []string{p.attr("#url", "value"), p.attr("#title", "value"), strings.TrimSpace(p.Find("#description").Text())}
		if want := []string{test.wantURL, test.title, test.wantDescription}; !slices.Equal(got, want) {
			t.Errorf("%+v: got %q, want %q", test, got, want)
		}
	}
}

func TestMistypedSchemesAreRefusedInForms(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	p := ada.post("/links", "url", "htp://x").wantStatus(422)
	p.wantText("#url-wrong", "“htp://x” is not a URL. It should begin with https://")
	ada.post("/links", "url", "obsidian://open?vault=x").wantStatus(303)
	link := ada.onlyLink()
	ada.post(linkPath(link.ID), "url", "HTPS://x").wantStatus(422)
	old := ada.addLink(waymark.LinkInput{URL: "htp://old"}) // by a program
	ada.post(linkPath(old.ID), "url", old.URL, "title", "Changed").wantStatus(303)
}

func TestURLWithoutASchemeGetsOne(t *testing.T) {
	for typed, want := range map[string]string{
		"example.org":            "https://example.org",
		"example.org?q=a:b/c":    "https://example.org?q=a:b/c",
		"example.org/a:b":        "https://example.org/a:b",
		"example.org:443/a":      "https://example.org:443/a",
		"example.org:8080/a":     "http://example.org:8080/a",
		"example.org:8080#a":     "http://example.org:8080#a",
		"localhost:8080":         "http://localhost:8080",
		"Localhost:8080":         "http://Localhost:8080",
		"192.168.1.5/a":          "http://192.168.1.5/a",
		"192.168.1.5:8096/web":   "http://192.168.1.5:8096/web",
		"http://example.org:1/a": "http://example.org:1/a",
		"org.example.app:open":   "org.example.app:open",
		"example.org:70000":      "example.org:70000",
		"mailto:ada@example.org": "mailto:ada@example.org",
		"ada@example.org":        "ada@example.org",
		"tel:112":                "tel:112",
		"about:blank":            "about:blank",
		"two words.":             "two words.",
		"":                       "",
	} {
		if got := withScheme(typed); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
	// A form that changes something else keeps a URL that was saved before.
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		link := ada.addLink(waymark.LinkInput{URL: "example.org:8080/a"})
		ada.post(linkPath(link.ID), "url", link.URL, "title", "New", "version", link.UpdatedAt.String())
		if got := ada.onlyLink(); got.URL != link.URL || got.Title != "New" {
			t.Errorf("got %q with the title %q", got.URL, got.Title)
		}
	})
}

func TestFormSaysWhatIsKnownOfItsURL(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	notice := func(query string) response { return ada.get("/complete/url?" + query).wantStatus(200) }
	for query, want := range map[string]string{
		"url=":              "",
		"url=new.example":   "",
		"url=htp%3A%2F%2Fx": "“htp://x” is not a URL. It should begin with https://",
		"url=two+words":     "“two words” is not a URL. It should begin with https://",
		fmt.Sprintf("id=%d&url=https%%3A%%2F%%2Fexample.org%%2F", link.ID): "",
	} {
		if got := strings.TrimSpace(notice(query).Text()); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	private := waymark.Private
	hidden := s.user(t, "ben").addLink(waymark.LinkInput{URL: "https://ben.example/", VisibilityInput: waymark.VisibilityInput{Visibility: &private}})
	for _, query := range []string{"url=example.org%2F", "url=https%3A%2F%2Fexample.org%2F", "id=9&url=example.org%2F", fmt.Sprintf("id=%d&url=example.org%%2F", hidden.ID)} {
		notice(query).wantAttr("a", "href", linkPath(link.ID))
	}
	// The form of a link keeps a URL that was saved without a scheme, or is mistyped.
	ada.addLink(waymark.LinkInput{URL: "http://example.org:8080"})
	for _, saved := range []string{"example.org:8080", "htp://x"} {
		old := ada.addLink(waymark.LinkInput{URL: saved})
		if got := strings.TrimSpace(notice(fmt.Sprintf("id=%d&url=%s", old.ID, saved)).Text()); got != "" {
			t.Errorf("%s, as it was saved: got %q, want nothing", saved, got)
		}
	}
	for _, path := range []string{"/links/create?url=example.org%2F", "/add?u=example.org%2F"} {
		p := ada.get(path)
		p.wantAttr("#existing a", "href", linkPath(link.ID))
		p.wantAttr("#url", "value", link.URL)
	}
	ada.get(linkPath(link.ID)).wantAttr("#url", "hx-get", fmt.Sprintf("/complete/url?id=%d", link.ID))
}
