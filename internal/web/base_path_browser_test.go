package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
)

func TestScriptReturnsToPagesBelowABasePathInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	settings := config.Default().API
	check(t, settings.BaseURL.UnmarshalText(fmt.Appendf(nil, "http://%s/base", listener.Addr())))
	s := newTestSite(t, storetest.Open(t), settings)
	server := httptest.NewUnstartedServer(http.StripPrefix("/base", ours(s.site)))
	check(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	s.user(t, "ada").addLinks(2)

	tab := chromium.Open(t, server.URL)
	tab.Go("/base/signin?back=%2Flinks%3Forder%3Dtitle")
	tab.Until(`document.activeElement.name === "name"`)
	tab.Type("ada")
	tab.Press(kb.Tab)
	tab.Type(password)
	tab.Press(kb.Enter)
	tab.UntilPath("/base/links?order=title")
	tab.Press("j#")
	tab.Until(`document.querySelector("#toasts form")`)
	tab.Until(titles + `.length === 1`)
	if got, want := browsertest.Eval[string](tab, `document.querySelector("#toasts [name=back]").value`), "/links?order=title"; got != want {
		t.Errorf("the form that undoes the change returns to %q, want %q", got, want)
	}
	tab.Press("z")
	tab.Until(titles + `.length === 2`)
	if got, want := tab.Path(), "/base/links?order=title"; got != want {
		t.Errorf("after the undo: got the URL %q, want %q", got, want)
	}
}
