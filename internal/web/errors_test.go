package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/httpx"
)

// errorStatuses are the statuses of all error pages.
var errorStatuses = []int{400, 403, 404, 405, 413, 414, 422, 429, 500, 503}

func TestEachErrorHasAPageInEachLanguage(t *testing.T) {
	s := newSite(t)
	for _, locale := range s.site.Locales() {
		language := locale.Name
		for _, status := range errorStatuses {
			r := httptest.NewRequest(http.MethodPost, "/x", nil)
			r.Header.Set("Accept-Language", language)
			w := httptest.NewRecorder()
			w.Header().Set("X-Request-Id", "k3f9x")
			w.Header().Set("Retry-After", "7")
			s.site.ShowError(w, r, status)
			document, err := goquery.NewDocumentFromReader(w.Body)
			check(t, err)
			p := response{Document: document, t: t}
			text := p.text("main")
			if w.Code != status || p.Find("main h1").Length() != 1 || strings.Contains(text, "error.") || strings.Contains(text, "{") {
				t.Errorf("%s: got %d %s", language, w.Code, text)
			}
			for _, want := range []string{fmt.Sprint(status), "k3f9x"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %d: got %s, want %s", language, status, text, want)
				}
			}
			if status == 429 && !strings.Contains(text, "7") {
				t.Errorf("%s: got %s, want the wait", language, text)
			}
			p.wantAttr("html", "lang", language)
			p.wantCount("html[data-posted]", 1)
			if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Content-Security-Policy") == "" {
				t.Errorf("%d: got headers %v", status, w.Header())
			}
		}
	}
}

func TestErrorPagesHaveTheShellForUsers(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/nowhere", 404},
		{"PUT", "/links", 405},
	} {
		p := ada.do(test.method, test.path, "").wantStatus(test.status)
		if p.Find(".side").Length() != 1 || p.Find("form.find").Length() != 1 || p.Find("main#content h1").Length() != 1 {
			t.Errorf("%s %s: the page has no shell", test.method, test.path)
		}
		if got := p.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s %s: got Cache-Control %q, want no-store", test.method, test.path, got)
		}
	}
	if got := ada.do("PUT", "/jump", "").header.Get("Allow"); got != "GET, HEAD" {
		t.Errorf("got Allow %q, want GET, HEAD", got)
	}
	ada.get("/nowhere").wantAttr("main .btn:not(.main-act)", "href", "/trash/links")
}

func TestURLsThatWorkOnceSayThatTheyNoLongerDo(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, path := range []string{"/setup/used", "/join/used", "/password/used"} {
		s.guest(t).get(path).wantStatus(404).wantText("h1", "This URL no longer works")
	}
	ada.post("/undo/used").wantStatus(404).wantText("h1", "This can no longer be undone")
}

func TestLargeFormsAreRefused(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	s.guest(t).post("/signin", "name", "ada", "password", strings.Repeat("x", httpx.GuestBody)).wantStatus(http.StatusRequestEntityTooLarge)
	text := strings.Repeat("x", httpx.GuestBody)
	ada.post("/links", "url", "https://a.example/", "description", text).wantStatus(http.StatusSeeOther)
	text = strings.Repeat("x", httpx.UserBody)
	ada.post("/links", "url", "https://b.example/", "description", text).wantStatus(http.StatusRequestEntityTooLarge)
}
