package web

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/bookmarks"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// fullSite is a site with a few hundred links in several scripts, hostile texts, and pages
// for guests. Its administrator is ada.
type fullSite struct {
	*testSite
	ada   *browser
	link  waymark.Link // with hostile texts, pictures and a snapshot of its page
	gone  waymark.Link // its page is gone
	moved waymark.Link // its page has moved, like that of another link of the host
	long  waymark.Link // its page has moved from a long host
	list  waymark.List // public
	tag   waymark.Tag  // public
	note  waymark.Note
	paths map[string]string // by the pattern of a route with parameters
}

// hostile is a text that must appear on pages as it is.
const hostile = `"><script>document.title = 'hostile'</script><img src=x onerror="document.title='hostile'">{{.}} <b>&amp;`

func newFullSite(t *testing.T) *fullSite {
	settings := config.Default().API
	settings.GuestPages = true
	s := &fullSite{testSite: newTestSite(t, storetest.Open(t), settings)}
	// Nothing calls their jobs, so that no page is fetched or checked.
	s.crawl(crawl.Options{Parts: waymark.TextParts, Checks: true})
	s.ada = s.user(t, "ada")
	s.ada.makeAdmin()
	ctx := t.Context()
	storetest.Fill(t, s.store, s.ada.user, 200)
	public := waymark.VisibilityInput{Visibility: new(waymark.Public)}
	var err error
	if s.list, err = s.service.AddList(ctx, s.ada.user, waymark.ListInput{Name: hostile, Description: new(hostile), VisibilityInput: public}); err != nil {
		t.Fatal(err)
	}
	if s.tag, err = s.service.AddTag(ctx, s.ada.user, waymark.TagInput{Name: hostile, VisibilityInput: public}); err != nil {
		t.Fatal(err)
	}
	lists := []waymark.Ref{{ID: int64(s.list.ID)}, {Name: "نرم\u200cافزار آزاد"}, {Name: strings.Repeat("Langername", 8)}}
	tags := []waymark.Ref{{ID: int64(s.tag.ID)}, {Name: "日本語"}, {Name: `with "quotes"`}}
	for i, title := range []string{hostile, strings.Repeat("Wort", 75), "احترف الأردوينو", "👩‍👩‍👧‍👦 emoji 🏳️‍🌈", "A long title " + strings.Repeat("of many words ", 20)} {
		path := fmt.Sprintf("%d?q=%s", i, strings.Repeat("x", 1900*(i%2)))
		s.link = s.ada.addLink(waymark.LinkInput{
			URL: "https://" + strings.Repeat("sub.", i*8) + "example.org/" + path, Title: &title, Description: new(hostile + strings.Repeat(" Beschreibung", 40)),
			Lists: &lists, Tags: &tags, VisibilityInput: public,
		})
	}
	s.ada.addLink(waymark.LinkInput{URL: "magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a", VisibilityInput: public})
	if s.note, err = s.service.AddNote(ctx, s.ada.user, s.link.ID, waymark.NoteInput{Text: hostile + "\n\n```\n" + strings.Repeat("code", 200)}); err != nil {
		t.Fatal(err)
	}
	s.addChecks(t)
	if _, err := s.service.DeleteMany(ctx, s.ada.user, waymark.Links, []int64{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	s.addFindings(t)
	attach(t, s.testSite, s.link, "a \u202efile.txt", "text")
	saveWholePage(t, s.testSite, s.link, "<!DOCTYPE html><html lang=en><title>Bread</title><main><h1>Bread</h1>")
	admin := s.ada.user
	admin.Admin = true
	invitation, _, err := s.accounts.NewInvitation(ctx, admin, "grace", false)
	check(t, err)
	bob := s.user(t, "bob").user
	reset, _, err := s.accounts.NewPasswordReset(ctx, admin, bob.ID)
	check(t, err)
	batch, err := s.transfer.BeginImport(ctx, s.ada.user, waymark.Import{File: "bookmarks.html", Format: "bookmarks HTML"}, nil)
	check(t, err)
	imported, err := batch.Bookmarks(ctx, func(yield func(bookmarks.Bookmark, error) bool) {
		_ = yield(bookmarks.Bookmark{Line: 3, URL: "https://imported.example/", Title: hostile}, nil) && yield(bookmarks.Bookmark{Line: 4, URL: hostile}, nil)
	})
	check(t, err)
	link, list, tag, search := fmt.Sprint(s.link.ID), fmt.Sprint(s.list.ID), fmt.Sprint(s.tag.ID), s.addSearch(t)
	s.paths = map[string]string{
		"/links/{id}": "/links/" + link, "/links/{id}/edit": "/links/" + link, "/links/{id}/read": "/links/" + link + "/read", "/links/{id}/snapshot": "/links/" + link + "/read",
		"/links/{id}/full-snapshot": "/links/" + link + "/full-snapshot",
		"/links/{id}/attachments":   "/links/" + link + "/attachments",
		"/lists/{id}":               "/lists/" + list, "/lists/{id}/edit": "/lists/" + list + "/edit", "/lists/{id}/share": "/lists/" + list + "/share", "/lists/move": "/lists/move?models=" + list, "/lists/merge": "/lists/merge?models=" + list,
		"/tags/{id}": "/tags/" + tag, "/tags/{id}/edit": "/tags/" + tag + "/edit",
		"/notes/{id}/edit":  fmt.Sprint("/notes/", s.note.ID, "/edit"),
		"/guest/lists/{id}": "/guest/lists/" + list, "/guest/tags/{id}": "/guest/tags/" + tag, "/guest/users/{name}": "/guest/users/ada",
		"/help/{name}":          "/help/files",
		"/guest/searches/{id}":  "/guest/searches/" + search,
		"/imports/{id}":         fmt.Sprint("/imports/", imported.ID),
		"/settings/people/{id}": fmt.Sprint("/settings/people/", bob.ID),
		"/trash/{kind}":         "/trash/links", "/join/{token}": "/join/" + invitation, "/password/{token}": "/password/" + reset,
	}
	return s
}

// addSearch adds a public smart list, and returns its id.
func (s *fullSite) addSearch(t *testing.T) string {
	t.Helper()
	search, err := s.service.AddSavedSearch(t.Context(), s.ada.user, waymark.SavedSearchInput{Name: new(hostile), Query: new("query=Wort"), InLists: new(true), Public: new(true)})
	check(t, err)
	return fmt.Sprint(search.ID)
}

// addChecks gives the link a history of checks with different results.
func (s *fullSite) addChecks(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	for _, result := range []waymark.CheckResult{waymark.CheckOK, waymark.CheckUnsure, waymark.CheckDead} {
		claimed, err := s.store.Queue.ClaimLinkCheck(ctx, s.link.ID, s.store.Now())
		if err == nil {
			_, err = s.store.Queue.AddCheck(ctx, claimed, waymark.LastCheck{Check: waymark.Check{At: s.store.Now(), Result: result}})
		}
		check(t, err)
	}
}

// otherPatterns are the patterns of routes that respond with something else than a page of ours, or
// whose page needs another site.
var otherPatterns = []string{"/setup/{token}", "/links/{id}/full-snapshot/file", "/links/{id}/attachments/{attachment}", "/pictures/{hash}", "/users/{name}", "/searches/{id}", "/bulk/lists", "/bulk/tags"}

// pagePaths returns the paths of the pages, but not those that respond with something else.
func (s *fullSite) pagePaths(t *testing.T) []string {
	t.Helper()
	paths := []string{
		"/links?view=compact", "/links?view=cards", "/links?q=example", "/links?q=" + strings.Repeat("nothing", 20), "/links?page=2", "/nowhere",
		snapshotSearch, linkPath(s.gone.ID), linkPath(s.moved.ID), linkPath(1), // in the trash
	}
	for _, r := range routes {
		path := strings.TrimSuffix(r.Path, "{$}")
		if r.Method != http.MethodGet || strings.HasSuffix(path, "/feed") || strings.HasSuffix(path, ".epub") || r.Access == page.ForCatalog || strings.HasPrefix(path, "/complete/") {
			continue
		}
		example, ok := s.paths[path]
		switch {
		case ok:
			path = example
		case slices.Contains(otherPatterns, path):
			continue
		case strings.Contains(path, "{"):
			t.Errorf("%s has no example in newFullSite, so its page is not checked", path)
			continue
		}
		p := s.ada.get(path)
		if p.status == http.StatusOK && strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			paths = append(paths, path)
		} else if ok {
			t.Errorf("%s: got %d, want a page", path, p.status)
		}
	}
	return paths
}

// examplePaths returns the paths of pages that have the parts of all.
func (s *fullSite) examplePaths() []string {
	return []string{
		"/links", "/links?view=compact", "/links?view=cards", "/links/create", s.paths["/links/{id}"], s.paths["/links/{id}/read"], snapshotSearch,
		linkPath(s.gone.ID), linkPath(s.moved.ID), "/lists", s.paths["/lists/{id}/share"], "/tags", "/tidy", "/links/broken", "/links/moved",
		"/import", s.paths["/imports/{id}"], "/settings/data", "/settings/server", "/settings/people", s.paths["/help/{name}"],
	}
}

// signInTab signs in with the keyboard.
func signInTab(t *testing.T, tab *browsertest.Tab, name string) {
	t.Helper()
	tab.Go("/signin")
	tab.Until(`document.activeElement.name === "name"`)
	tab.Type(name)
	tab.Press(kb.Tab)
	tab.Type(password)
	tab.Press(kb.Enter)
	tab.UntilPath("/links")
}

// The widths at which pages are shown, besides those of a phone and a desk.
var widths = []int64{320, 768, 1024, 2560}

// overflowing returns what is wider than its card or the page. Parts that scroll do not count.
const overflowing = `(() => {
	const width = document.documentElement.clientWidth;
	const clipped = (e, card) => e !== card && (getComputedStyle(e).overflowX !== "visible" || clipped(e.parentElement, card));
	for (const card of document.querySelectorAll(".card")) {
		for (const e of card.querySelectorAll(".about *")) {
			if (e.getBoundingClientRect().right > card.getBoundingClientRect().right + 1 && !clipped(e.parentElement, card)) return e.outerHTML;
		}
	}
	if (document.documentElement.scrollWidth <= width) return "";
	return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 1 && e.checkVisibility())
		.slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(" | ") || "the page";
})()`

// TestPagesInBrowser shows each page as on a slow network and at each width, and checks it with axe.
func TestPagesInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newFullSite(t)
	tab := openTab(t, chromium, slowProxy(t, s.URL))
	c := newPageChecks(t, tab)
	tab.Allow("status of 404")
	tab.Allow("Scripts may close only the windows") // the window of a link that was saved closes after a moment
	for _, path := range s.pagePaths(t) {
		c.page(path)
	}
	// These have the parts of all pages: rows, cards, forms, tables and the sidebar.
	for _, path := range []string{"/links", "/links?view=cards", s.paths["/links/{id}"], "/links/create", "/settings/people"} {
		tab.Go(path)
		c.look(path, "light", 390, allRules)
		c.look(path, "dark", 1440, contrastRules)
	}
	empty := newSite(t)
	token, err := empty.accounts.SetupToken(t.Context())
	check(t, err)
	first := newPageChecks(t, chromium.Open(t, empty.URL))
	first.page("/setup/" + token)
	first.page("/setup")

	guest := newPageChecks(t, chromium.Open(t, s.URL))
	guest.tab.Allow("status of 404")
	for _, path := range []string{"/signin", s.paths["/join/{token}"], s.paths["/password/{token}"], "/password/unknown", "/guest/links", "/guest/search?q=nothing"} {
		guest.page(path)
	}

	// The pages of a user who has nothing yet.
	empty.user(t, "ada")
	signInTab(t, first.tab, "ada")
	for _, path := range []string{"/links", "/lists", "/tags", "/tags/merge", "/trash/links", "/links/broken", "/links/moved", "/settings/api-keys"} {
		first.page(path)
	}

	// The page that asks for the password again.
	clock := newSiteClock()
	later := newTestSite(t, storetest.OpenWith(t, store.Options{Now: clock.Now}), config.Default().API)
	later.user(t, "ada")
	asked := newPageChecks(t, openTab(t, chromium, later.URL))
	clock.endConfirmation()
	asked.tab.Allow("status of 403")
	asked.page("/settings/data/export?format=csv")
}

// cutLabels returns the labels that do not fit into their element, or are broken within a word. Names that people
// give may be, and tables of the help.
const cutLabels = `[...document.querySelectorAll("button, .btn, .tabs a, .tabs-foot a, .nav a, .nav a > span, label, legend, th, h1, h2, summary, option")]
	.filter((e) => e.checkVisibility() && !e.closest(".visually-hidden, .one-line, .prose") && !e.querySelector("bdi, .one-line"))
	.filter((e) => {
		const range = document.createRange();
		range.selectNodeContents(e);
		const word = e.textContent.trim() && !/[\s-]|\p{Script=Han}/u.test(e.textContent.trim());
		return (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible") ||
			(word && new Set([...e.childNodes].filter((n) => n.nodeType === 3 && n.data.trim()).flatMap((n) => (range.selectNodeContents(n), [...range.getClientRects()].map((r) => r.top)))).size > 1);
	}).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(" | ")`

// otherBody puts the body of the page at a path in the place of that of this page, which takes a third of the time that
// the browser needs to open it.
const otherBody = `fetch(%q).then((response) => response.text()).then((text) => {
	document.body.replaceWith(new DOMParser().parseFromString(text, "text/html").body);
	return true;
})`

// TestPagesInBrowser does the same and more for the default language. The longest words are German: only then all pages
// are opened, arrive slowly, and are shown at more widths.
func TestPagesFitInEachLanguageInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newFullSite(t)
	paths := s.pagePaths(t)
	for _, locale := range s.site.Locales()[1:] {
		t.Run(locale.Name, func(t *testing.T) {
			check(t, s.accounts.SaveSettings(t.Context(), s.ada.user.ID, waymark.Settings{Language: locale.Name}))
			german := locale.Name == "de"
			home, shown := s.URL, []int64{320, 1024}
			if german {
				home, shown = slowProxy(t, s.URL), []int64{320, 768, 1440}
			}
			tab := openTab(t, chromium, home)
			tab.Allow("status of 404")
			tab.Allow("Scripts may close only the windows")
			for _, path := range paths {
				if german {
					tab.Resize(390, 900)
					tab.Go(path)
					if moved := browsertest.Eval[string](tab, layoutShifts); moved != "" {
						t.Errorf("%s, on a phone: moved by %s", path, moved)
					}
				} else {
					browsertest.Eval[bool](tab, fmt.Sprintf(otherBody, path))
				}
				for _, width := range shown {
					tab.Resize(width, 900)
					if wrong := browsertest.Eval[string](tab, overflowing) + browsertest.Eval[string](tab, cutLabels); wrong != "" {
						t.Errorf("%s, %d pixels wide: too wide or cut is %s", path, width, wrong)
					}
					tab.Screenshot(fmt.Sprintf("%s-%s-%d", locale.Name, fileName(path), width))
				}
			}
		})
	}
}

// fileName returns the name of the picture of a page.
func fileName(path string) string {
	return strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(path, "-"), "-")
}

// pageChecks checks the pages in a tab, with axe.
type pageChecks struct {
	t   *testing.T
	tab *browsertest.Tab
	axe string
}

func newPageChecks(t *testing.T, tab *browsertest.Tab) pageChecks {
	t.Helper()
	return pageChecks{t, tab, axeSource(t)}
}

// fresh opens a page on a desk, in the light.
func (c pageChecks) fresh(path string) {
	c.t.Helper()
	c.tab.Media("prefers-color-scheme", "light", "prefers-reduced-motion", "reduce")
	c.tab.Resize(1440, 900)
	c.tab.Go(path)
}

// page loads a page and shows it at each width, and checks it on a desk in the light. On a phone in the dark it checks what
// differs there.
func (c pageChecks) page(path string) {
	c.t.Helper()
	c.fresh(path)
	if moved := browsertest.Eval[string](c.tab, layoutShifts); moved != "" {
		c.t.Errorf("%s: moved by %s", path, moved)
	}
	if path == "/nowhere" && browsertest.Eval[bool](c.tab, "document.documentElement.scrollHeight > innerHeight") {
		c.t.Errorf("%s: a page with a few words is higher than the window", path)
	}
	if title := browsertest.Eval[string](c.tab, "document.title"); title == "hostile" || title == "" {
		c.t.Errorf("%s: got the title %q", path, title)
	}
	for _, width := range widths {
		c.tab.Resize(width, 900)
		if wide := browsertest.Eval[string](c.tab, overflowing); wide != "" {
			c.t.Errorf("%s, %d pixels wide: too wide is %s", path, width, wide)
		}
	}
	c.look(path, "light", 1440, allRules)
	c.look(path, "dark", 390, phoneRules)
	for _, problem := range c.tab.Problems() {
		c.t.Errorf("%s: %s", path, problem)
	}
}

// state checks what the tab shows on a desk in the light, and on a phone in the dark.
func (c pageChecks) state(name string) {
	c.t.Helper()
	c.look(name, "light", 1440, allRules)
	c.look(name, "dark", 390, allRules)
}

// look checks what the tab shows in one scheme and at one width.
func (c pageChecks) look(name, scheme string, width int64, rules string) {
	c.t.Helper()
	c.tab.Media("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce")
	c.tab.Resize(width, 900)
	c.now(fmt.Sprintf("%s-%s-%d", name, scheme, width), rules)
}

// now checks what the tab shows. The page is as tall as its content during the check, so that fixed parts cover
// nothing.
func (c pageChecks) now(name, rules string) {
	c.t.Helper()
	if wide := browsertest.Eval[string](c.tab, overflowing); wide != "" {
		c.t.Errorf("%s: too wide is %s", name, wide)
	}
	c.tab.Screenshot(fileName(name))
	// A new theme or size is complete after the next frame.
	size := browsertest.Eval[[]int64](c.tab, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done([innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]))))")
	c.tab.Resize(size[0], size[1]+200)
	if !browsertest.Eval[bool](c.tab, "typeof axe === 'object'") {
		c.tab.Do(run(c.axe + "; 0"))
	}
	// Frames are left out: the one of a saved page runs no scripts.
	violations := browsertest.Eval[[]string](c.tab, `axe.run(document, {runOnly: `+rules+`, resultTypes: ["violations"], iframes: false, preload: false, selectors: false}).then((result) => result.violations.map((v) =>
		v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.any.concat(n.all, n.none).map((c) => c.message).join(" ")).join(" | ")))`)
	for _, violation := range violations {
		c.t.Errorf("%s: %s", name, violation)
	}
}

// axeSource returns axe-core, which checks accessibility.
func axeSource(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("../../tools/node_modules/axe-core/axe.min.js")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("axe-core is not installed: run scripts/npm.sh")
	}
	return string(source)
}

// The rules of axe: all for WCAG 2.2 AA and best practices, those about colours, which a theme changes, and those about
// sizes besides, which differ on a phone.
const (
	allRules      = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]`
	contrastRules = `{type: "rule", values: ["color-contrast", "link-in-text-block"]}`
	phoneRules    = `{type: "rule", values: ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]}`
)
