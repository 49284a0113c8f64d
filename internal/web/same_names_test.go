package web

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// Two lists have one name. Every field, URL and text names the one that is meant, by its path or its id.
func TestListsOfOneNameAreToldApart(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		first, second := addNested(ada, "A", "Security"), addNested(ada, "B", "Security")
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{ID: int64(second[1])}}})
		wantList := func(what, url string, want waymark.ListID) {
			t.Helper()
			saved, err := s.store.LinkByURL(t.Context(), ada.user.ID, url)
			if err == nil {
				saved, err = s.store.Link(t.Context(), ada.user.ID, saved.ID)
			}
			if err != nil || len(saved.Lists) != 1 || saved.Lists[0].ID != want {
				t.Errorf("%s: got %v, %v, want list %d", what, saved.Lists, err, want)
			}
		}
		// The form of a link, keeps the list.
		form := ada.get(linkPath(link.ID))
		form.wantAttr("[name=lists]", "value", "B/Security")
		ada.post(linkPath(link.ID), "lists", form.attr("[name=lists]", "value"), "title", "New").wantStatus(303)
		wantList("the form", link.URL, second[1])
		// A new link from the page of a list, with "n" or by pasting, and a URL that is dropped onto a list.
		add := ada.get(listPath(second[1])).attr("[data-key=n]", "href")
		if u, err := url.Parse(add); err != nil || u.Query().Get("lists") != "B/Security" {
			t.Errorf("the page of the list leads to %s", add)
		}
		ada.post("/links", "url", "https://n.example/", "lists", "B/Security", "quick", "1").wantStatus(303)
		wantList("n", "https://n.example/", second[1])
		ada.post("/links", "url", "https://drop.example/", "lists", fmt.Sprintf("#%d", second[1]), "quick", "1").wantStatus(303)
		wantList("drop", "https://drop.example/", second[1])
		// The small window.
		window := ada.get("/add?url=https://window.example/&lists=B/Security")
		if got := window.Find("[name=list]").Map(attrOf("value")); fmt.Sprint(got) != "[B/Security B A/Security A ]" {
			t.Errorf("the small window has the lists %q", got)
		}
		ada.post("/links", "url", "https://window.example/", "list", "B/Security", "lists", "", "window", "1").wantStatus(303)
		wantList("window", "https://window.example/", second[1])
		// Several links at once: add to one list, remove from the other.
		ada.post("/bulk", "models", fmt.Sprint(link.ID), "do", "lists", "lists", "A/Security", "remove-lists", "B/Security").wantStatus(303)
		wantList("bulk", link.URL, first[1])
		// The name alone means none of them.
		const which = "You have several lists called “Security”. Enter the path of the one you mean: B/Security, A/Security."
		for _, path := range []string{"/links", linkPath(link.ID)} {
			p := ada.post(path, "url", "https://typed.example/", "lists", "new, security").wantStatus(422)
			p.wantText(".wrong", which)
			p.wantAttr("[name=lists]", "value", "new, security")
		}
		ada.post("/links", "url", "https://typed.example/", "lists", "security", "window", "1").wantStatus(422).wantText(".wrong", which)
		for _, field := range []string{"lists", "remove-lists"} {
			ada.follow(ada.post("/bulk", "models", fmt.Sprint(link.ID), "do", "lists", field, "Security")).wantText(".toast", which)
		}
		wantList("what was refused", link.URL, first[1])
		// Suggestions, filters and the query language.
		if got := ada.get("/complete/lists?q=sec").Find("[role=option]").Map(attrOf("data-value")); fmt.Sprint(got) != "[B/Security A/Security sec]" {
			t.Errorf("suggested: %q", got)
		}
		if got := spaced(ada.get("/complete/lists?q=sec"), "[role=option] bdi"); got != "Security B Security A" {
			t.Errorf("suggested: %q, want the names with their paths", got)
		}
		check(t, s.store.RefreshSearchIndex(t.Context()))
		if got := ada.get("/complete/query?q=list:sec").attr("[role=option]", "data-value"); got != "list:B/Security " {
			t.Errorf("suggested for a query: %q", got)
		}
		p := ada.get("/links?q=list:b/security")
		p.wantCount("li.link", 3)
		p.wantText(".chip bdi", "in B/Security")
		// The name alone means all of them, and says so. What is saved has their ids.
		both := ada.get("/links?q=list:security")
		both.wantCount("li.link", 4)
		both.wantText(".chip bdi", "in A/Security or B/Security")
		ada.get("/links?q=-list:security").wantCount("li.link", 0)
		ada.get("/links?q=only:security").wantCount("li.link", 4)
		ada.post("/searches", "name", "Both", "q", "list:security").wantStatus(303)
		saved, err := s.store.Accounts.SavedSearches(t.Context(), ada.user.ID)
		check(t, err)
		if got, want := saved[0].Query, fmt.Sprintf("list:#%d OR list:#%d", first[1], second[1]); got != want {
			t.Errorf("saved: %q, want %q", got, want)
		}
		if got := ada.get(p.attr("#facets a", "href")).text(".facets li bdi"); !strings.HasPrefix(got, "B/SecurityA/Security") {
			t.Errorf("the filter offers %q", got)
		}
		for path, want := range map[string]string{"/links": "B/Security", listPath(second[0]): "Security"} {
			if got := ada.get(path).Find(".in-list").First().Text(); got != want {
				t.Errorf("%s: got the list %q, want %q", path, got, want)
			}
		}
		ada.get("/jump?q=sec").wantText("[aria-label=Lists] bdi", "B/SecurityA/Security")
	})
}

func TestListsWithOnePathAreToldApartByTheirIDs(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	first, second := addNested(ada, "A")[0], addNested(ada, "A")[0]
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{ID: int64(second)}}})
	field := ada.get(linkPath(link.ID)).attr("[name=lists]", "value")
	if want := fmt.Sprintf("A #%d", second); field != want {
		t.Errorf("got %q, want %q", field, want)
	}
	ada.post("/links", "url", "https://b.example/", "lists", field, "quick", "1").wantStatus(303)
	if n := ada.get(listPath(second)).Find("li.link").Length(); n != 2 {
		t.Errorf("got %d links in the list, want 2", n)
	}
	ada.get(listPath(first)).wantCount("li.link", 0)
}

// Lists can have the names of others, with paths and ids that look like theirs.
func TestTextOfAListMeansThatListOnly(t *testing.T) {
	s := newSite(t)
	for trial := range 4 {
		random := rand.New(rand.NewPCG(1, uint64(trial))) //nolint:gosec // not a secret
		ada := s.user(t, fmt.Sprint("ada", trial))
		names := []string{"A", "a", "A/B", "B/A", "A/", "/A", "A #2", "#3", fmt.Sprintf("A #%d", trial*8+3), fmt.Sprintf("#%d", trial*8+4), `x"y`}
		var ids []waymark.ListID
		for range 8 {
			in := waymark.ListInput{Name: names[random.IntN(len(names))]}
			if len(ids) > 0 && random.IntN(2) == 0 {
				in.Parent = &ids[random.IntN(len(ids))]
			}
			list, err := s.service.AddList(t.Context(), ada.user, in)
			check(t, err)
			ids = append(ids, list.ID)
		}
		for _, id := range ids {
			rawURL := fmt.Sprintf("https://example.org/%d", id)
			link := ada.addLink(waymark.LinkInput{URL: rawURL, Lists: &[]waymark.Ref{{ID: int64(id)}}})
			text := ada.get(linkPath(link.ID)).attr("[name=lists]", "value")
			ada.post(linkPath(link.ID), "lists", text, "title", "edited")
			ada.post("/links", "url", rawURL+"/new", "lists", text, "quick", "1")
			for _, of := range []string{rawURL, rawURL + "/new"} {
				found, err := s.store.LinkByURL(t.Context(), ada.user.ID, of)
				if err == nil {
					found, err = s.store.Link(t.Context(), ada.user.ID, found.ID)
				}
				if err != nil || len(found.Lists) != 1 || found.Lists[0].ID != id {
					t.Errorf("%s: %q means %+v (error %v), want list %d", of, text, found.Lists, err, id)
				}
			}
			if got := ada.get("/add?url=https://example.com/&"+page.QueryOf("lists", text)).attr("[name=list][checked]", "value"); got != text {
				t.Errorf("the small window has %q for %q", got, text)
			}
			check(t, s.store.RefreshSearchIndex(t.Context()))
			byID := ada.get(fmt.Sprintf("/links?text=1&q=list:%%23%d", id))
			query := byID.attr(".find [name=q]", "value")
			if got, want := ada.get("/links?"+page.QueryOf("q", query)).Find("li.link").Length(), byID.Find("li.link").Length(); got != want || want < 2 {
				t.Errorf("%s finds %d links, want %d", query, got, want)
			}
		}
	}
}

// attrOf returns a function that returns an attribute of an element.
func attrOf(name string) func(int, *goquery.Selection) string {
	return func(_ int, s *goquery.Selection) string { return s.AttrOr(name, "") }
}
