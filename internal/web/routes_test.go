package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// examplePath returns a path that matches the pattern of a route.
func examplePath(pattern string) string {
	pattern = regexp.MustCompile(`\{\$\}`).ReplaceAllString(pattern, "")
	return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(pattern, "1")
}

func TestGuestsReachOnlyTheirPages(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	guest := s.guest(t)
	for _, r := range routes {
		if r.Access < page.ForUsers {
			continue
		}
		p := guest.do(r.Method, examplePath(r.Path), "", "Content-Type", "application/x-www-form-urlencoded")
		if p.status != http.StatusSeeOther || p.location[:7] != "/signin" {
			t.Errorf("%s %s as a guest: got %d %s, want the sign-in page", r.Method, r.Path, p.status, p.location)
		}
	}
}

func TestAdministratorPagesAreHiddenFromOthers(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, r := range routes {
		if r.Access != page.ForAdmins {
			continue
		}
		ada.do(r.Method, examplePath(r.Path), "", "Content-Type", "application/x-www-form-urlencoded").wantStatus(http.StatusNotFound)
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/nowhere", 404},
		{"GET", "/links/0", 404},
		{"GET", "/links/x", 404},
		{"GET", "//links", 404},
		{"GET", "/static/nothing.js", 404},
		{"DELETE", "/links", 405},
		{"HEAD", "/links", 200},
	} {
		ada.do(test.method, test.path, "").wantStatus(test.status)
	}
}

func TestURLsWithASlashAtTheEndRedirect(t *testing.T) {
	eachGuestSite(t, func(settings *config.API) {
		check(t, settings.BaseURL.UnmarshalText([]byte("http://links.example/base")))
	}, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		for _, test := range []struct {
			method, path string
			status       int
			location     string
		}{
			{"GET", "/links/", 303, "/base/links"},
			{"HEAD", "/links/?q=a/", 303, "/base/links?q=a/"},
			{"GET", "/users/a%2Fb/", 303, "/base/users/a%2Fb"},
			{"GET", "/guest/", 303, "/base/guest/links"},
			{"GET", "/guest", 303, "/base/guest/links"},
			{"POST", "/links/", 404, ""},
			{"GET", "/nowhere/", 404, ""},
			{"GET", "/links//", 404, ""},
			{"GET", "//links/", 404, ""},
			{"GET", "/links%2F", 404, ""},
		} {
			if p := ada.do(test.method, test.path, ""); p.status != test.status || p.location != test.location {
				t.Errorf("%s %s: got %d %q, want %d %q", test.method, test.path, p.status, p.location, test.status, test.location)
			}
		}
	})
}

// linkAcePaths are the pages of LinkAce's routes/web.php that browsers, extensions and
// feed readers open. Its pages for administrators, for the set-up and for signing in at other
// services are not among them.
var linkAcePaths = []string{
	"/", "/dashboard", "/links", "/search?query=example", "/lists/feed", "/links/feed", "/lists/{list}/feed", "/tags/feed", "/tags/{tag}/feed",
	"/login", "/settings", "/settings/api-tokens", "/users/ada", "/import", "/export", "/bookmarklet/login",
	"/guest/links", "/guest/lists", "/guest/lists/{list}", "/guest/tags", "/guest/tags/{tag}", "/guest/users/ada",
	"/guest/search?query=example", "/guest/links/feed", "/guest/lists/feed", "/guest/lists/{list}/feed",
	"/guest/tags/feed", "/guest/tags/{tag}/feed",
}

func TestPathsOfLinkAceWork(t *testing.T) {
	s := newGuestSite(t)
	ada := s.user(t, "ada")
	ada.makeAdmin()
	c := ada.addCollection()
	ids := strings.NewReplacer(
		"{link}", fmt.Sprint(c.links[waymark.Public].ID), "{list}", fmt.Sprint(c.lists[waymark.Public].ID), "{tag}", fmt.Sprint(c.tags[waymark.Public].ID),
	)
	for _, path := range linkAcePaths {
		path := ids.Replace(path)
		if p := ada.get(path); p.status != http.StatusOK && p.status != http.StatusSeeOther {
			t.Errorf("%s: got %d, want 200 or 303", path, p.status)
		}
	}
}
