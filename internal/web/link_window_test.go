package web

import (
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// previewSite is a site that fetches pages, and the URL of another one, whose page /page has texts and an image. The
// pages /down and /silent do not respond.
func previewSite(t *testing.T, db *store.Store) (s *testSite, pages string, requests *[]string) {
	t.Helper()
	requests = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests = append(*requests, r.URL.Path)
		switch r.URL.Path {
		case "/page":
			fmt.Fprint(w, `<title>Bread &amp; salt</title><meta name=description content="How to bake"><meta property=og:image content=/image>`)
		case "/image":
			if err := png.Encode(w, image.NewGray(image.Rect(0, 0, 64, 40))); err != nil {
				t.Error(err)
			}
		default:
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	t.Cleanup(server.Close)
	s = newTestSite(t, db, config.Default().API)
	s.crawl(crawl.Options{
		Client: fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: time.Minute, Bytes: 1 << 20, HeaderBytes: 64 << 10, Ratio: 200}),
		Parts:  waymark.TextParts | waymark.ThumbnailPart, Wait: 10 * time.Second, Tries: 3, Timeout: time.Minute, Parallel: 2,
		Pictures: crawl.PictureOptions{Bytes: 1 << 20, Memory: 16 << 20, Space: 1 << 20},
	})
	t.Cleanup(s.crawler.Close)
	return s, server.URL, requests
}

func TestTheFormAsksForThePageOfItsURL(t *testing.T) {
	storetest.EachWith(t, store.Options{Fetch: waymark.FetchPolicy{Parts: waymark.TextParts}}, func(t *testing.T, db *store.Store) {
		s, pages, requests := previewSite(t, db)
		ada := s.user(t, "ada")
		if _, err := s.store.CreateTags(t.Context(), ada.user.ID, []waymark.Tag{{Name: "PAGE", Visibility: waymark.Private}}); err != nil {
			t.Fatal(err)
		}
		p := ada.post("/preview", "url", pages+"/page").wantStatus(200)
		if !strings.Contains(p.body, `value="PAGE"`) {
			t.Error("no tag is offered for the URL")
		}
		if got := []string{p.attr("[name=page-title]", "value"), p.attr("[name=page-description]", "value"), p.attr("[name=page-image]", "value")}; !slices.Equal(got, []string{"Bread & salt", "How to bake", pages + "/image"}) {
			t.Errorf("got %q", got)
		}
		picture := ada.post("/preview/picture", "url", pages+"/image").wantStatus(200)
		if got := picture.header.Get("Content-Type"); !strings.HasPrefix(got, "image/") {
			t.Errorf("got the picture as %s", got)
		}
		if got := ada.post("/preview", "url", pages+"/down").wantStatus(200).text("span"); !strings.Contains(got, "does not answer") {
			t.Errorf("a page that cannot be fetched: got %q", got)
		}
		before := len(*requests)
		ada.post("/preview/picture", "url", "file:///etc/passwd").wantStatus(404)
		ada.post("/preview", "url", "javascript:alert(1)").wantStatus(200)
		ada.get("/preview?url=" + url.QueryEscape(pages+"/page")).wantStatus(405)
		s.guest(t).post("/preview", "url", pages+"/page").wantStatus(303)
		settings, err := s.store.Accounts.Settings(t.Context(), ada.user.ID)
		check(t, err)
		settings.NoMetadata, settings.NoPictures = true, true
		check(t, s.accounts.SaveSettings(t.Context(), ada.user.ID, settings))
		ada.post("/preview", "url", pages+"/page").wantStatus(404)
		ada.post("/preview/picture", "url", pages+"/image").wantStatus(404)
		if got := (*requests)[before:]; len(got) != 0 {
			t.Errorf("got requests for %q, want none", got)
		}
	})
}

// TestTextsOfThePreviewAreNotTyped saves a form with the texts of its page, as they are and edited.
func TestTextsOfThePreviewAreNotTyped(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i, test := range []struct {
		title, description string
		want               waymark.LinkTexts
	}{
		{"Bread", "How to\r\nbake", waymark.TitleText | waymark.DescriptionText | waymark.ImageText},
		{"My bread", "How to\r\nbake", waymark.DescriptionText | waymark.ImageText},
		{"Bread", "", waymark.TitleText | waymark.DescriptionText | waymark.ImageText},
	} {
		rawURL := fmt.Sprint("https://example.org/", i)
		ada.post("/links", "url", rawURL, "title", test.title, "description", test.description,
			"page-title", "Bread", "page-description", "How to\nbake", "page-image", "https://example.org/image").wantStatus(303)
		link, err := s.store.LinkByURL(t.Context(), ada.user.ID, rawURL)
		check(t, err)
		if link.Title != test.title || link.ImageURL != "https://example.org/image" || link.FromPage != test.want {
			t.Errorf("%+v: got %q, %q from the page: %b", test, link.Title, link.ImageURL, link.FromPage)
		}
	}
}

// TestTheSmallWindowHasListsTagsAndANote ticks a list, makes another, and saves a note. Then the window is for the
// saved link.
func TestTheSmallWindowHasListsTagsAndANote(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i, name := range []string{"Old", "Reading", "Go"} {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), Lists: &[]waymark.Ref{{Name: name}}, Tags: &[]waymark.Ref{{Name: "bread"}, {Name: "tag " + name}}})
	}
	ada.addLink(waymark.LinkInput{URL: "https://example.com/", Tags: &[]waymark.Ref{{Name: "other"}}})
	p := ada.get("/add?u=" + url.QueryEscape("https://example.org/new") + "&t=New&tags=tag+Go").wantStatus(200)
	var offered, lists []string
	for _, button := range p.Find("[data-takes]").EachIter() {
		offered = append(offered, button.AttrOr("value", ""))
	}
	for _, box := range p.Find("[name=list]").EachIter() {
		lists = append(lists, box.AttrOr("value", ""))
	}
	if !slices.Equal(offered, []string{"bread", "tag Old", "tag Reading"}) {
		t.Errorf("got the tags %q, want those of the host that the form has not, most used first", offered)
	}
	if slices.Sort(lists); !slices.Equal(lists, []string{"", "Go", "Old", "Reading"}) { // "" is for the script
		t.Errorf("got the lists %q", lists)
	}
	if p.Find("#tags[autofocus]").Length() != 1 || p.Find("[autofocus]").Length() != 1 {
		t.Error("the focus is not in the first empty field, tags")
	}
	long := strings.Repeat("x", waymark.MaxNote+1)
	fields := []string{"window", "1", "url", "https://example.org/new", "title", "New", "list", "Reading", "lists", "Fresh", "tags", "a"}
	p = ada.post("/links", append(fields, "note", long)...).wantStatus(422)
	if p.Find("#text[aria-invalid=true]").Length() != 1 || p.Find("[name=list][checked]").Length() != 3 { // and the one for the script
		t.Error("the form with a note that is too long does not say so, or has lost its lists")
	}
	ada.post("/links", append(fields, "note", "Why I keep it")...).wantStatus(303)
	link, err := s.store.LinkByURL(t.Context(), ada.user.ID, "https://example.org/new")
	check(t, err)
	shown := ada.get(linkPath(link.ID))
	if got := shown.body; !strings.Contains(got, "Why I keep it") || !strings.Contains(got, "Fresh") || !strings.Contains(got, "Reading") {
		t.Errorf("got the link %q", got)
	}

	p = ada.get("/add?u=" + url.QueryEscape(link.URL)).wantStatus(200)
	if p.attr("#link", "action") != linkPath(link.ID) || p.attr("#title", "value") != "New" || p.attr("#tags", "value") != "a" {
		t.Error("the window for a link that is saved already does not have it")
	}
	saved := ada.post(linkPath(link.ID), "window", "1", "url", link.URL, "title", "New", "list", "Go", "lists", "", "tags", "a", "note", "More").wantStatus(303)
	if link, err = s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil || namesOfLists(link.Lists) != "Go" || saved.location != "/add/saved" {
		t.Errorf("got the lists %q and a redirect to %q", namesOfLists(link.Lists), saved.location)
	}
}

// TestTheSmallWindowShowsItsButtonInBrowser opens the window as the bookmarklet and a phone do, with many lists.
func TestTheSmallWindowShowsItsButtonInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s, pages, _ := previewSite(t, storetest.Open(t))
	ada := s.user(t, "ada")
	for i := range 30 {
		ada.addLink(waymark.LinkInput{
			URL: fmt.Sprint(pages, "/", i), Lists: &[]waymark.Ref{{Name: fmt.Sprint("List ", i)}}, Tags: &[]waymark.Ref{{Name: fmt.Sprint("tag ", i%9)}, {Name: "bread"}},
		})
	}
	tab := openTab(t, chromium, s.URL)
	for _, size := range [][2]int64{{560, 720}, {390, 844}} {
		tab.Resize(size[0], size[1])
		tab.Go("/bookmarklet/add?u=" + url.QueryEscape(pages+"/page"))
		tab.Until(`document.querySelector("#title").value === "Bread & salt" && document.querySelector(".tile canvas")`)
		if got := browsertest.Eval[string](tab, `(() => {
			const { top, bottom } = document.querySelector(".win .main-act").getBoundingClientRect();
			return [top > 0 && bottom <= innerHeight, document.documentElement.scrollHeight <= innerHeight, document.activeElement.id].join();
		})()`); got != "true,true,title" {
			t.Errorf("%d x %d: got %s, want the button in a window that does not scroll, and the focus in the title", size[0], size[1], got)
		}
		tab.Screenshot(fmt.Sprint("window-", size[0]))
	}
	tab.Click(".suggest button")
	tab.Do(run(`document.querySelector("[data-filter]").focus()`))
	tab.Type("Fresh")
	tab.Press("\r")
	tab.Type("List 7")
	tab.Press("\r")
	tab.Media("prefers-color-scheme", "dark")
	tab.Screenshot("window-dark")
	tab.Click(".win .main-act")
	tab.Until(`document.querySelector("[data-close]")`)
	link, err := s.store.LinkByURL(t.Context(), ada.user.ID, pages+"/page")
	if err == nil {
		link, err = s.store.Link(t.Context(), ada.user.ID, link.ID)
	}
	if err != nil || namesOfLists(link.Lists) != "Fresh, List 7" || formatViews(tagNames(link.Tags)) != "bread" || link.Title != "Bread & salt" || link.Description != "How to bake" || !link.FromPage.Has(waymark.TitleText) {
		t.Errorf("got %+v, %v", link, err)
	}
}

// The form fills in what the page has, but not a field that the person has touched.
func TestTheFormIsFilledInWhileAPersonTypesInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s, pages, _ := previewSite(t, storetest.Open(t))
	s.user(t, "ada")
	tab := openTab(t, chromium, s.URL)
	tab.Go("/links/create")
	tab.Until(`document.activeElement.id === "url"`)
	tab.Type(pages + "/page")
	tab.Until(`document.querySelector("#title").value === "Bread & salt" && document.querySelector("#description").value === "How to bake" && document.querySelector("[data-found] canvas")`)
	tab.Screenshot("form")
	tab.Click("#title")
	tab.Type("!")
	tab.Do(run(`document.querySelector("#url").select(); document.querySelector("#url").focus()`))
	tab.Type(pages + "/down")
	tab.UntilText("[data-found]", "The page does not answer now. You can save the link without a title.")
	if got := browsertest.Eval[string](tab, `document.querySelector("#title").value + "|" + document.querySelector("#description").value`); !strings.Contains(got, "!") || !strings.HasSuffix(got, "|") {
		t.Errorf("got %q, want the typed title, and no description of another page", got)
	}
}

func TestWindowClosesItselfAfterSaving(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	p := ada.post("/links", "window", "1", "url", "nothing").wantStatus(422)
	if p.Find("nav.side").Length() != 0 || p.attr("[name=window]", "value") != "1" {
		t.Error("the form with a problem is not the one of the window")
	}
	p = ada.follow(ada.post("/links", "window", "1", "url", "https://example.org/"))
	p.wantCount("[data-close]", 1)
	p.wantCount("nav.side", 0)
}
