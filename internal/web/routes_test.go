package web

import (
	"net/http"
	"regexp"
	"testing"
)

// examplePath returns a path that matches the pattern of a route.
func examplePath(pattern string) string {
	pattern = regexp.MustCompile(`\{\$\}`).ReplaceAllString(pattern, "")
	return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(pattern, "1")
}

func TestGuestsReachOnlyTheirPages(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		s.user(t, "ada")
		guest := s.guest(t)
		for _, r := range routes {
			if r.access < forUsers {
				continue
			}
			p := guest.do(r.method, examplePath(r.path), "", "Content-Type", "application/x-www-form-urlencoded")
			if p.status != http.StatusSeeOther || p.location[:7] != "/signin" {
				t.Errorf("%s %s as a guest: got %d %s, want the sign-in page", r.method, r.path, p.status, p.location)
			}
		}
	})
}

func TestAdministratorPagesAreHiddenFromOthers(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		for _, r := range routes {
			if r.access != forAdmins {
				continue
			}
			if p := ada.do(r.method, examplePath(r.path), "", "Content-Type", "application/x-www-form-urlencoded"); p.status != http.StatusNotFound {
				t.Errorf("%s %s: got %d, want 404", r.method, r.path, p.status)
			}
		}
	})
}

func TestUnknownAddressesAndMethods(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
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
			if p := ada.do(test.method, test.path, ""); p.status != test.status {
				t.Errorf("%s %s: got %d, want %d", test.method, test.path, p.status, test.status)
			}
		}
	})
}
