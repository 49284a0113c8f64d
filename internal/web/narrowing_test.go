package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

func TestNamesInAViewNarrowIt(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	lists, tags := []waymark.Ref{{Name: "Work"}}, []waymark.Ref{{Name: "go"}, {Name: "web"}}
	link := ada.addLink(waymark.LinkInput{URL: "https://www.example.org/a", Lists: &lists, Tags: &tags})
	list, tag := link.Lists[0].ID, link.Tags[0].ID
	ada.get("/links").wantAttr(".tag", "href", tagPath(tag))
	for path, want := range map[string]string{
		"/links?q=example": fmt.Sprintf("/links?q=example+tag%%3A%%23%d", tag),
		"/links?q=" + url.QueryEscape("example OR zzz"): fmt.Sprintf("/links?q=%%28example+OR+zzz%%29+tag%%3A%%23%d", tag),
		"/links?q=%23GO": tagPath(tag), // the view has it already
		listPath(list):   fmt.Sprintf("/links?q=list%%3A%%23%d+tag%%3A%%23%d", list, tag),
	} {
		p := ada.get(path)
		p.wantAttr(".tag", "href", want)
		p.Find(".link .in-list, .link .tag, .link .host").Each(func(_ int, name *goquery.Selection) {
			ada.get(name.AttrOr("href", "")).wantStatus(http.StatusOK).wantCount("li.link", 1)
		})
	}
	for path, want := range map[string]string{"/links": "Workgoweb", listPath(list): "goweb", tagPath(tag): "Workweb"} { // without its own name
		if got := strings.Join(strings.Fields(ada.get(path).text(".filed")), ""); got != want {
			t.Errorf("%s: got the names %q, want %q", path, got, want)
		}
	}
	p := ada.get("/links?q=example")
	p.wantAttr(".host", "href", "/links?q=example+site%3Aexample.org")
	p.wantAttr(".tag", "data-alone", tagPath(tag))
}

func TestFilterOffersWhatAPartOfTheLinksHas(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		work, db, private := []waymark.Ref{{Name: "Work"}}, []waymark.Ref{{Name: "db"}, {Name: "all"}}, []waymark.Ref{{Name: "all"}, {Name: "secret"}}
		ada.addLink(waymark.LinkInput{URL: "https://example.org/a", Lists: &work, Tags: &db})
		ada.addLink(waymark.LinkInput{URL: "https://blog.example.org/a", Lists: &work, Tags: &private})
		ada.addLink(waymark.LinkInput{URL: "https://other.test/a", Tags: &private})
		bob.addLink(waymark.LinkInput{URL: "https://bob.test/a", Tags: &private})
		check(t, s.store.RefreshSearchIndex(t.Context()))
		menu := ada.get("/links?q=a").attr("#facets a", "href")
		p := ada.get(menu).wantStatus(http.StatusOK)
		if got, want := choicesOf(p), "Work 2, #secret 2, #db 1, example.org 2, blog.example.org 1, other.test 1"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		p.Find(".facets li a").Each(func(_ int, choice *goquery.Selection) {
			narrowed := ada.get(choice.AttrOr("href", ""))
			links := ada.get(narrowed.attr("main .main-act", "href")).text("h1 .n")
			if n, _, _ := strings.Cut(links, " "); n != choice.Find(".n").Text() {
				t.Errorf("%s shows %s", choice.Text(), links)
			}
			narrowed.wantCount(".facets [aria-current]", 1)
		})
		part := ada.get(menu, "HX-Request", "true", "HX-Target", "facets")
		part.wantCount("html head title", 0) // otherwise the part for the menu is a whole page
		if got := part.attr("li a", "href"); !strings.HasPrefix(got, "/links?") {
			t.Errorf("in the menu, a choice leads to %s", got)
		}
	})
}

// A choice shows as many links as the search has to which it leads: those of sublists, and archived ones.
func TestFilterCountsSublistsAndArchivedLinks(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ids := addNested(ada, "A", "B", "C")
		for i, list := range []waymark.ListID{ids[0], ids[0], ids[2]} {
			tags := []waymark.Ref{{Name: fmt.Sprint("t", i/2)}}
			in := waymark.LinkInput{URL: fmt.Sprintf("https://a.test/%d", i), Lists: &[]waymark.Ref{{ID: int64(list)}}, Tags: &tags}
			in.Archived = new(i == 0)
			ada.addLink(in)
		}
		ada.addLink(waymark.LinkInput{URL: "https://b.test/"})
		check(t, s.store.RefreshSearchIndex(t.Context()))
		p := ada.get("/filter")
		p.wantText("main .main-act", "Show 3 links")
		if got, want := choicesOf(p), "A 3, C 1, #t0 2, #t1 1, a.test 3, b.test 1"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		p = ada.get(p.attr(".facets li a", "href"))
		p.wantText("main .main-act", "Show 3 links")
		if got, want := choicesOf(p), "+A 3, C 1, #t0 2, #t1 1"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// choicesOf returns the choices of a page of filters with their numbers: + stands before those that are ticked.
func choicesOf(p response) string {
	var all []string
	p.Find(".facets li a .n").Each(func(_ int, n *goquery.Selection) {
		choice := n.Parent()
		text := strings.Join(strings.Fields(choice.Text()), " ")
		if choice.Is("[aria-current]") {
			text = "+" + text
		}
		all = append(all, text)
	})
	return strings.Join(all, ", ")
}

func TestFilterTicksListsAndHostsAnyOfAndTagsAllOf(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i, list := range []string{"Go", "Go", "Reading", "Other"} {
		lists, tags := []waymark.Ref{{Name: list}}, []waymark.Ref{{Name: "read"}, {Name: fmt.Sprint("n", i%2)}}
		ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://host%d.test/abc", i), Lists: &lists, Tags: &tags})
	}
	check(t, s.store.RefreshSearchIndex(t.Context()))
	p := ada.get("/filter?q=abc")
	tick := func(name, want, links string) {
		t.Helper()
		choice := p.Find(".facets li a").FilterFunction(func(_ int, a *goquery.Selection) bool { return a.Find("bdi").Text() == name })
		p = ada.get(choice.AttrOr("href", "")).wantStatus(http.StatusOK)
		if got := choicesOf(p); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		p.wantText("main .main-act", links)
	}
	tick("Go", "+Go 2, Reading 1, Other 1, #n0 1, #n1 1, host0.test 1, host1.test 1", "Show 2 links")
	tick("Reading", "+Go 2, +Reading 1, Other 1, #n0 2, #n1 1, host0.test 1, host1.test 1, host2.test 1", "Show 3 links")
	tick("#n0", "+Go 1, +Reading 1, +#n0 2, host0.test 1, host2.test 1", "Show 2 links")
	tick("host0.test", "+Go 1, +Reading 0, +#n0 1, +host0.test 1, host2.test 1", "Show 1 link")
	year := ada.get(fmt.Sprintf("/filter?q=abc+on%%3A%d", time.Now().Year()))
	year.wantAttr(".years [aria-current]", "href", "/filter?q=abc")
}

func TestQueriesAreCompleted(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	lists, tags := []waymark.Ref{{Name: "To read"}}, []waymark.Ref{{Name: "golang"}}
	ada.addLink(waymark.LinkInput{URL: "https://example.org/a", Lists: &lists, Tags: &tags})
	ada.post("/searches", "name", "Broken recipes", "q", "is:broken", "in-lists", "1").wantStatus(303)
	ada.post("/searches", "name", "To READ", "q", "is:unread", "in-lists", "1").wantStatus(303)
	ada.post("/searches", "name", "No list", "q", "is:unread").wantStatus(303)
	check(t, s.store.RefreshSearchIndex(t.Context()))
	if n := ada.get("/complete/query?q=list:read").Find("[role=option]").Length(); n != 1 {
		t.Errorf("a list and a smart list of one name: got %d names, want that of the list", n)
	}
	for text, want := range map[string]string{
		"list:BROK":      `list:"Broken recipes" `,
		"list:no":        "",
		"docker -#go":    "docker -#golang ",
		"(a OR tag:lang": "(a OR #golang ",
		"list:read":      `list:"To read" `,
		`list:"to r`:     `list:"To read" `,
		"x is:unf":       "x is:unfiled ",
		"site:exam":      "site:example.org ",
		"go":             "",
		"c#":             "",
		"#golang x":      "",
	} {
		p := ada.get("/complete/query?q=" + url.QueryEscape(text)).wantStatus(http.StatusOK)
		if got := p.Find("[role=option]").First().AttrOr("data-value", ""); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
