package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFormsWorkOverPlainHTTPInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ada.addLinks(1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Referrer-Policy", "no-referrer") // as package server does
		s.site.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	tab := chromium.Open(t, strings.Replace(server.URL, "127.0.0.1", "waymark.test", 1))
	tab.Allow("Cross-Origin-Opener-Policy header has been ignored") // browsers use it with https only
	signInTab(t, tab, "ada")
	tab.Press("j#")
	tab.UntilText("#toasts", "is in the trash.")
	tab.Press("z")
	tab.Until(titles + `.length === 1`)
	tab.Go("/settings/profile")
	tab.Click("form[action$='/settings/profile'] .main-act")
	tab.UntilText("#toasts", "Saved.")
}
