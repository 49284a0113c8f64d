package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// addLinks creates n links of the user.
func (b *browser) addLinks(n int) []waymark.Link {
	b.t.Helper()
	inputs := make([]waymark.LinkInput, n)
	for i := range inputs {
		inputs[i].URL = fmt.Sprintf("https://example.org/%d", i)
	}
	created, err := b.site.service.AddLinks(b.t.Context(), b.user, inputs)
	check(b.t, err)
	links, err := storetest.All(b.t.Context(), b.site.service.Store, created)
	check(b.t, err)
	return links
}

func TestBulkChangesOfSelectedLinksCanBeTakenBack(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	links := ada.addLinks(3)
	id := fmt.Sprint(links[0].ID)
	for _, test := range []struct {
		do, field, value string
		selector         string // what the link's row then has
	}{
		{"tags", "tags", `one, "two, three"`, "#link-" + id + " .tag"},
		{"lists", "lists", "reading", "#link-" + id + " .in-list"},
		{"public", "", "", "#link-" + id + " [title=Public]"},
	} {
		p := ada.post("/bulk", "models", id, "do", test.do, test.field, test.value, "back", "/links?order=oldest").wantStatus(http.StatusSeeOther)
		if p.location != "/links?order=oldest" {
			t.Errorf("%s: got a redirect to %s", test.do, p.location)
		}
		page := ada.follow(p)
		if page.Find(test.selector).Length() == 0 {
			t.Errorf("%s: the row has no %s", test.do, test.selector)
		}
		action := page.attr(".toast form", "action")
		page = ada.follow(ada.post(action, "back", "/links"))
		page.wantCount(test.selector, 0)
		ada.post(action).wantStatus(http.StatusNotFound)
	}
}

func TestSelectionAboveTheLimitChangesNothingAndSaysSo(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLinks(1)[0]
	var ids []string
	for id := range waymark.MaxBulk + 1 {
		ids = append(ids, fmt.Sprint(id+1))
	}
	ticked := []string{"back", "/links", "models", strings.Join(ids, ",")}
	page := ada.follow(ada.post("/bulk", append(ticked, "do", "trash")...))
	page.wantText(".toast", "At most 100,000 links can be changed at once. Nothing was changed: select fewer, for example with a filter.")
	page.wantCount("li.link", 1)
	ada.post(linkPath(link.ID) + "/trash").wantStatus(http.StatusSeeOther)
	page = ada.follow(ada.post("/trash/restore", append(ticked, "kind", "links")...))
	page.wantText(".toast", "At most 100,000 can be restored at once. Nothing was restored: select fewer.")
}

func TestBulkChangeOfAWholeResultIsOneUndo(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLinks(60)
	eve := s.user(t, "eve")
	public := waymark.Public
	eve.addLink(waymark.LinkInput{URL: "https://example.org/eve", VisibilityInput: waymark.VisibilityInput{Visibility: &public}})
	selection := ada.get("/links?q=example.org").attr("[name=selection]", "value")
	page := ada.follow(ada.post("/bulk", "all", "1", "selection", selection, "do", "trash"))
	page.wantText(".toast span", "60 links are in the trash.")
	page.wantCount("li.link", 1)
	eve.post(page.attr(".toast form", "action")).wantStatus(http.StatusNotFound)
	page = ada.follow(ada.post(page.attr(".toast form", "action")))
	page.wantText("h1 .n", "61")
}

func TestUndoSaysWhatItLeavesOut(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	links := ada.addLinks(3)
	p := ada.follow(ada.post("/bulk", "models", fmt.Sprintf("%d,%d,%d", links[0].ID, links[1].ID, links[2].ID), "do", "public"))
	ada.post(linkPath(links[1].ID), "visibility", "internal").wantStatus(http.StatusSeeOther)
	ada.follow(ada.post(p.attr(".toast form", "action"))).wantText(".toast span", "Undone, except for 1 that was changed again since.")
}

func TestBulkChangeWithoutNamesSaysWhatItDoes(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "reading"}}, Tags: &[]waymark.Ref{{Name: "go"}}})
	for _, test := range []struct{ do, want, left string }{
		{"lists", "Choose a name to add or remove.", "reading go"},
		{"tags", "Choose a name to add or remove.", "reading go"},
		{"lists&remove-lists=unknown", "There is nothing to remove: no selected link is in or has “unknown”.", "reading go"},
		{"tags&remove-tags=reading", "There is nothing to remove: no selected link is in or has “#reading”.", "reading go"},
		{"tags&remove-tags=Go, unknown", "1 link is without #Go, #unknown.", "reading "},
		{"tags&tags=go", "", "reading go"},
		{"lists&only-lists=1", "1 link is in no list now.", " go"},
		{"tags&only-tags=1", "1 link has no tags now.", " "},
	} {
		do, names, _ := strings.Cut(test.do, "&")
		field, value, _ := strings.Cut(names, "=")
		got := ada.follow(ada.post("/bulk", "models", fmt.Sprint(link.ID), "do", do, field, value)).text(".toast span")
		changed := ada.onlyLink()
		left := namesOfLists(changed.Lists) + " " + formatViews(tagNames(changed.Tags))
		if test.want != "" && got != test.want || left != test.left {
			t.Errorf("%s: got %q and the link has %q, want %q and %q", test.do, got, left, test.want, test.left)
		}
	}
}

// TestBulkShowsTheNamesThatCanBeRemoved also ticks them: one request adds names and removes others, with one undo.
func TestBulkShowsTheNamesThatCanBeRemoved(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ada.addLink(waymark.LinkInput{URL: "https://example.com/", Tags: &[]waymark.Ref{{Name: "other"}}})
		var ticked, parameters []string
		for i, tags := range [][]string{{"oven", "bread"}, {"bread", "rye"}, {"bread", "oven"}} {
			input := waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Lists: &[]waymark.Ref{{Name: "recipes"}}, Tags: refs(tags, nil)}
			id := fmt.Sprint(ada.addLink(input).ID)
			ticked, parameters = append(ticked, "models", id), append(parameters, "models="+id)
		}
		used := func(path string) string {
			t.Helper()
			return strings.Join(strings.Fields(ada.get(path, "HX-Request", "true").wantStatus(200).text(".take, .hint")), " ")
		}
		query := strings.Join(parameters, "&")
		for path, want := range map[string]string{
			"/bulk/tags?" + query:                                     "bread on all oven on 2 rye on 1",
			"/bulk/tags?" + parameters[1]:                             "bread on all rye on all",
			"/bulk/lists?" + query:                                    "recipes on all",
			"/bulk/tags?all=1&selection=" + url.QueryEscape("#bread"): "bread on all oven on 2 rye on 1",
			"/bulk/tags":                                              "They have no tags.",
			"/bulk/lists?models=1":                                    "They are in no list.",
			"/bulk/lists?models=99":                                   "They are in no list.",
		} {
			if got := used(path); got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
		}
		s.user(t, "bob").get("/bulk/tags?"+query, "HX-Request", "true").wantText(".take", "")
		var rye string
		ada.get("/bulk/tags?"+query, "HX-Request", "true").Find(".take").Each(func(_ int, take *goquery.Selection) {
			if strings.Contains(take.Text(), "rye") {
				rye = take.Find("input").AttrOr("value", "")
			}
		})
		p := ada.follow(ada.post("/bulk", append(ticked, "do", "tags", "tags", "flour", "remove-tags-ids", rye, "back", "/links")...))
		p.wantText(".toast span", "3 links: added #flour, removed #rye.")
		if got, want := used("/bulk/tags?"+query), "bread on all flour on all oven on 2"; got != want {
			t.Errorf("after the change: got %q, want %q", got, want)
		}
		ada.post(p.attr(".toast form", "action"), "back", "/links").wantStatus(http.StatusSeeOther)
		if got, want := used("/bulk/tags?"+query), "bread on all oven on 2 rye on 1"; got != want {
			t.Errorf("after the undo: got %q, want %q", got, want)
		}
	})
}

func TestBulkOffersAFieldForNamesThatItDoesNotShow(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	var names []string
	for i := range maxUsed + 1 {
		names = append(names, fmt.Sprint("tag", i))
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), Tags: refs(names, nil)})
		p := ada.get("/bulk/tags?all=1&selection=", "HX-Request", "true").wantStatus(200)
		if got, field := p.Find(".take").Length(), p.Find("[name=remove-tags]").Length(); got != min(i+1, maxUsed) || (field == 1) != (i >= maxUsed) {
			t.Errorf("%d tags: got %d boxes and %d fields", i+1, got, field)
		}
	}
}

func TestBulkChangeWithoutASelectionChangesNothing(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLinks(2)
	ada.follow(ada.post("/bulk", "do", "trash")).wantText(".toast", "No link is selected.")
	ada.post("/bulk", "do", "destroy", "models", "1").wantStatus(http.StatusBadRequest)
	// The Enter key presses the first button, which must not be the trash of the first row.
	ada.get("/links").wantAttr("form.listing button", "formaction", "")
}

func TestPagesOfAWholeResultAreFetchedAndChecked(t *testing.T) {
	s := newSite(t)
	ada, eve := s.user(t, "ada"), s.user(t, "eve")
	links := ada.addLinks(60)
	public := waymark.Public
	eve.addLink(waymark.LinkInput{URL: "https://example.org/eve", VisibilityInput: waymark.VisibilityInput{Visibility: &public}})
	ada.get("/links").wantCount("#bulk-pages", 0)
	ada.post("/bulk", "do", "fetch", "models", fmt.Sprint(links[0].ID)).wantStatus(http.StatusNotFound)
	ada.post("/bulk", "do", "check", "models", fmt.Sprint(links[0].ID)).wantStatus(http.StatusNotFound)
	s.crawl(crawl.Options{Parts: waymark.TextParts, Checks: true})
	page := ada.get("/links?q=example.org")
	page.wantText("#bulk-pages", "Pages of the selected links Fetch again Check now")
	selection := page.attr("[name=selection]", "value")
	for _, test := range []struct{ do, one, all string }{
		{"fetch", "1 page will be fetched in the background.", "60 pages will be fetched in the background."},
		{"check", "1 link will be checked in the background.", "60 links will be checked in the background."},
	} {
		ada.follow(ada.post("/bulk", "do", test.do, "models", fmt.Sprint(links[0].ID))).wantText(".toast span", test.one)
		ada.follow(ada.post("/bulk", "do", test.do, "all", "1", "selection", selection)).wantText(".toast span", test.all)
	}
	pages, err := s.store.Queue.PageQueue(t.Context())
	check(t, err)
	checks, err := s.store.Queue.CheckQueue(t.Context())
	check(t, err)
	if pages.Waiting != 60 || checks.Due != 60 {
		t.Errorf("got %d pages and %d checks, want 60 of both", pages.Waiting, checks.Due)
	}
}

func TestUserWhoTurnedChecksOffCannotRequestThem(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLinks(1)[0]
	s.crawl(crawl.Options{Checks: true})
	claimed, err := s.store.Queue.ClaimLinkCheck(t.Context(), link.ID, s.store.Now().Add(time.Minute))
	if err == nil {
		_, err = s.store.Queue.AddCheck(t.Context(), claimed, waymark.LastCheck{Check: waymark.Check{At: s.store.Now(), Result: waymark.CheckOK, Code: 200}})
	}
	check(t, err)
	for _, off := range []bool{false, true} {
		set := func(settings *waymark.Settings, _ *waymark.DefaultVisibility) { settings.NoChecks = off }
		if _, _, err := s.accounts.EditSettings(t.Context(), ada.user.ID, set); err != nil {
			t.Fatal(err)
		}
		buttons, status := 1, http.StatusSeeOther
		if off {
			buttons, status = 0, http.StatusNotFound
		}
		check := linkPath(link.ID) + "/check"
		ada.get("/links").wantCount(`button[value="check"]`, buttons)
		ada.get(linkPath(link.ID)).wantCount(`[formaction="`+check+`"]`, buttons)
		ada.post(check).wantStatus(status)
		ada.post("/bulk", "do", "check", "models", fmt.Sprint(link.ID)).wantStatus(status)
	}
}

func TestRefusedBulkChangeSaysWhy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		s := newTestSite(t, db, config.Default().API)
		ada := s.user(t, "ada")
		ticked := []string{"back", "/links?order=oldest"}
		for _, link := range ada.addLinks(2) {
			ticked = append(ticked, "models", fmt.Sprint(link.ID))
		}
		var tooMany []string
		for i := range waymark.MaxLinkTags + 1 {
			tooMany = append(tooMany, fmt.Sprint(i))
		}
		for name, test := range map[string]struct {
			fields []string
			want   string
		}{
			"too many for one link": {
				append([]string{"do", "tags", "only-tags", "1", "tags", strings.Join(tooMany, ", ")}, ticked[:4]...),
				"A link can have at most 200 tags.",
			},
			"a name that is too long": {
				append([]string{"do", "lists", "lists", strings.Repeat("a", 300)}, ticked...),
				"Use at most 255 characters.",
			},
		} {
			p := ada.post("/bulk", test.fields...).wantStatus(http.StatusSeeOther)
			if p.location != "/links?order=oldest" {
				t.Errorf("%s: got a redirect to %s", name, p.location)
			}
			page := ada.follow(p)
			page.wantText(".toast", test.want)
			if n := page.Find("li.link .filed").Length(); n > 0 {
				t.Errorf("%s: %d links have lists or tags", name, n)
			}
		}
	})
}
