package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

func TestSearchAsYouTypeReplacesTheWholePage(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLinks(3)
	p := ada.get("/links?q=example.org%2F1&order=title", "HX-Request", "true", "HX-Target", "div#results").wantStatus(200)
	p.wantCount("meta, .side", 0) // otherwise the response is the whole document
	p.wantText("title", "Search: example.org/1 · Waymark")
	p.wantText("h1", "Search 1 link")
	p.wantText("[data-announce]", "1 link found")
	p.wantAttr("#filter > a", "href", "/links?order=title&q=example.org%2F1+is%3Apublic")
}

func TestOrderStaysWhileTheTextChanges(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLinks(1)
	fields := func(path string) (kept []string) {
		ada.get(path).Find(".find input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
			kept = append(kept, input.AttrOr("name", "")+"="+input.AttrOr("value", ""))
		})
		return kept
	}
	if got, want := fields("/links?order=title&q=x&page=1"), []string{"order=title"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := fields("/jump?q=x"); len(got) != 0 {
		t.Errorf("another page: got %q, want none", got)
	}
}

func TestChipsNameAndRemoveEachCondition(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	tags := []waymark.Ref{{Name: "go"}, {Name: "to read"}}
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Tags: &tags})
	one := tags[:1]
	ada.addLink(waymark.LinkInput{URL: "https://example.org/2", Tags: &one})
	p := ada.get(fmt.Sprintf("/links?q=tag:%%23%d+OR+tag:%%23%d", link.Tags[0].ID, link.Tags[1].ID))
	p.wantCount("li.link", 2)
	p.wantText(".chip bdi", "#go or #to read")
	p = ada.get("/links?q=" + url.QueryEscape(`#go is:private exam -java #"to read" is:unfiled #nothing`))
	p.wantCount(".empty", 1)
	p = ada.get("/links?q=" + url.QueryEscape(`#go is:private exam -java #"to read" is:unfiled`))
	var got []string
	p.Find(".chip").Each(func(_ int, chip *goquery.Selection) { got = append(got, strings.TrimSpace(chip.Text())) })
	if want := []string{"#go", "Private", "without “java”", "#to read", "Without list"}; !slices.Equal(got, want) {
		t.Errorf("got the chips %q, want %q", got, want)
	}
	p.wantCount("li.link", 1)
	p.wantAttr(".chip ~ .btn", "href", "/links?q=exam")
	for range got {
		p = ada.get(p.attr(".chip a", "href"))
	}
	p.wantCount(".chip", 0)
	p.wantAttr(".find [name=q]", "value", "exam")
}

func TestFieldShowsTheWordsOfASearchAndKeepsItsChips(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for text, want := range map[string][2]string{ // what the field shows, and the search when it is sent
		"exam is:private": {"exam", "is:private exam"}, `is:broken in:snapshot "two words" rust`: {`"two words" rust`, `is:broken "two words" rust in:snapshot`},
		"a OR b": {"", "a OR b"}, "list:nowhere x": {"list:nowhere x", "list:nowhere x"}, "exam in:notes": {"exam", "exam in:notes"},
	} {
		p := ada.get("/links?text=1&q=" + url.QueryEscape(text)).wantStatus(http.StatusOK)
		p.wantAttr(".find [name=q]", "value", text)
		p = ada.get("/links?q=" + url.QueryEscape(text)).wantStatus(http.StatusOK)
		p.wantAttr(".find [name=q]", "value", want[0])
		if add := p.attr(".find [name=add]", "value"); add != "" {
			ada.get("/links?" + url.Values{"q": {want[0]}, "add": {add}}.Encode()).wantRedirect("/links?q=" + url.QueryEscape(want[1]))
		}
	}
}

// titlesAndChips returns the titles of the links that a query finds, by title, and the filters above
// them.
func (b *browser) titlesAndChips(query string) string {
	b.t.Helper()
	p := b.get("/links?order=title&q=" + url.QueryEscape(query))
	var titles, chips []string
	p.Find("main:not(:has(.empty)) li.link .title").Each(func(_ int, title *goquery.Selection) { titles = append(titles, strings.TrimSpace(title.Text())) })
	p.Find(".chip").Each(func(_ int, chip *goquery.Selection) { chips = append(chips, strings.TrimSpace(chip.Text())) })
	return strings.Join(titles, " ") + "; " + strings.Join(chips, ", ")
}

func TestSearchFindsListsAndTagsOfOthers(t *testing.T) {
	s := newSite(t)
	zoe, bob, ada := s.user(t, "zoe"), s.user(t, "bob"), s.user(t, "ada")
	add := func(b *browser, title, label string) {
		t.Helper()
		b.user.DefaultVisibility = waymark.DefaultsTo(waymark.Internal)
		b.addLink(waymark.LinkInput{
			URL: "https://example.org/" + title, Title: &title, VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Internal)},
			Lists: &[]waymark.Ref{{Name: label}}, Tags: &[]waymark.Ref{{Name: label}},
		})
	}
	add(zoe, "one", "Cooking")
	add(bob, "two", "cooking")
	add(bob, "three", "go")
	add(ada, "four", "go")
	for query, want := range map[string]string{
		"list:COOKING":            "two; in cooking of bob",
		"tag:cooking":             "two; #cooking of bob",
		"#cooking -list:go":       "two; #cooking of bob, not in go",
		"-tag:cooking":            "four one three; without #cooking of bob",
		"list:go":                 "four; in go",
		"tag:go tag:cooking":      "; #go, #cooking of bob",
		"tag:nothing list:secret": "; ",
	} {
		if got := ada.titlesAndChips(query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

func TestScreenReadersHearWhatTheFirstOfferFinds(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: new("Kubernetes ingress")})
	ada.get("/links?q=kubernets+ingress").wantText("[data-announce]", "Nothing matches. 1 for kubernetes ingress.")
	ada.get("/links?q=kubernetes").wantText("[data-announce]", "1 link found")
}

func TestSearchWithoutHitOffersToSaveAURL(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for text, want := range map[string]string{
		"example.org/page?a=1&b": "/links/create?url=https%3a%2f%2fexample.org%2fpage%3fa%3d1%26b",
		"localhost:8080":         "/links/create?url=http%3a%2f%2flocalhost%3a8080",
		"Localhost:8080/a":       "/links/create?url=http%3a%2f%2fLocalhost%3a8080%2fa",
		"192.168.1.5/":           "/links/create?url=http%3a%2f%2f192.168.1.5%2f",
		"two words.org":          "",
		"localhost":              "",
		"word":                   "",
		"1.2":                    "",
	} {
		p := ada.get("/links?q=" + url.QueryEscape(text)).wantStatus(200)
		p.wantAttr(".empty a[href*='create']", "href", want)
	}
}

func TestSearchWithoutHitOffersOnlySearchesThatFindSomething(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		for i, title := range []string{"one word", "two words", "two other words", "old"} {
			ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://%d.example/", i), Title: &title})
		}
		trashed := ada.addLink(waymark.LinkInput{URL: "https://trashed.example/", Title: new("a forgotten page")})
		ada.post(linkPath(trashed.ID) + "/trash").wantStatus(303)
		theirs := bob.addLink(waymark.LinkInput{URL: "https://theirs.example/", Title: new("a secret page")})
		bob.post(linkPath(theirs.ID) + "/trash").wantStatus(303)
		saveSnapshot(t, s, ada.addLink(waymark.LinkInput{URL: "https://lamp.example/"}), "<p>A lantern for the night.</p>")
		for query, want := range map[string]string{
			"q=lantern":              "also in snapshots 1 /links?q=lantern+in%3Asnapshot",
			"q=one+is%3Abroken":      "without “is:broken” 1 /links?q=one",
			"q=words+is:public":      "without “is:public” 2 /links?q=words",
			"q=wrods":                "words 2 /links?q=words",
			"q=other+words+tutorial": "without “tutorial” 1 /links?q=other+words",
			"q=-two+%22two+words%22": "without “-two” 1 /links?q=%22two+words%22",
			"q=nothing+is%3Abroken":  "", // the chips have the button to clear them
			"q=is%3Abroken":          "",
			"q=nothing":              "",
			"q=forgotten+PAGE":       "in the trash 1 /trash/links?words=forgotten+PAGE",
			"q=secret":               "",
		} {
			var got []string
			ada.get("/links?" + query).wantStatus(200).Find(".empty a:not([data-keys])").Each(func(_ int, a *goquery.Selection) {
				got = append(got, strings.Join(strings.Fields(a.Text()), " ")+" "+a.AttrOr("href", ""))
			})
			if strings.Join(got, ", ") != want {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
		}
		p := ada.get("/trash/links?words=forgotten+PAGE").wantStatus(200)
		p.wantText("main .title", "a forgotten page")
		p.wantAttr(".find [name=words]", "value", "forgotten PAGE")
		ada.get("/trash/links?words=secret").wantStatus(200).wantText(".empty h2", "Nothing matches “secret”.")
	})
}

func TestRowsShowWhereASearchHasFoundItsWords(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	tags := []waymark.Ref{{Name: "one"}, {Name: "two"}, {Name: "three"}, {Name: "four"}, {Name: "five"}, {Name: "needles"}}
	ada.addLink(waymark.LinkInput{URL: "https://example.org/a/needle", Title: new("A title"), Description: new("A description"), Tags: &tags})
	p := ada.get("/links?q=needle")
	if host, path := p.text(".host"), p.text(".desc"); host != "example.org" || path != "/a/needle" || p.text(".desc mark") != "needle" {
		t.Errorf("got %q and %q with %q marked", host, path, p.text(".desc mark"))
	}
	p.wantText(".tag mark", "needle")
	p = ada.get("/links?q=title")
	p.wantText(".host", "example.org")
	p.wantText(".desc", "A description")
}
