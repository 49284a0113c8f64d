package check_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"waymark/internal/waymark"
)

// TestRedirectsThatDoNotLeadToThePage tests which permanent redirects give a link a new URL, and that
// temporary ones to the same places do not show that the page is there.
func TestRedirectsThatDoNotLeadToThePage(t *testing.T) {
	for _, test := range []struct {
		from, to string
		want     waymark.CheckResult
	}{
		{"/story/7", "/", waymark.CheckUnsure},
		{"/story/7", "/?utm_source=old", waymark.CheckUnsure},
		{"/story/7", "/story/", waymark.CheckUnsure},
		{"/story/7", "/errors/page-not-found.html", waymark.CheckUnsure},
		{"/story/7", "/?error=404", waymark.CheckUnsure},
		{"/story/7", "/en/", waymark.CheckUnsure},
		{"/story/7", "/search?q=story", waymark.CheckUnsure},
		{"/story/7", "/maintenance", waymark.CheckUnsure},
		{"/story/7", "/sorry/index?continue=x", waymark.CheckBlocked},
		{"/story/7", "/en/story/7", waymark.CheckMoved},
		{"/story/7", "/view?article_id=7", waymark.CheckMoved},
		{"/search/7", "/search?q=7&page=1", waymark.CheckMoved},
		{"/story/7", "/users/sign_in?next=/story/7", waymark.CheckBlocked},
		{"/story/7", "/story/7/", waymark.CheckMoved},
		{"/story/index.html", "/story/", waymark.CheckMoved},
		{"/story/7", "/?p=7", waymark.CheckMoved},
		{"/index.html", "/", waymark.CheckMoved},
		{"/story/7/amp", "/story/7", waymark.CheckMoved},
	} {
		for _, status := range []int{http.StatusMovedPermanently, http.StatusFound} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RequestURI() == test.from {
					http.Redirect(w, r, test.to, status)
				}
			}))
			got := checkURL(t, client(), server.URL+test.from)
			server.Close()
			want := test.want
			if want == waymark.CheckMoved && status == http.StatusFound {
				want = waymark.CheckOK
			}
			if got.Result != want || (got.NewURL != "") != (want == waymark.CheckMoved) {
				t.Errorf("%d from %s to %s: got %+v, want %v", status, test.from, test.to, got, want)
			}
		}
	}
}
