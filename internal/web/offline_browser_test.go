package web

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// homeServer is a site on a server that can be stopped and started again at the same address.
type homeServer struct {
	t       *testing.T
	address string
	handler atomic.Value // of http.HandlerFunc
	running *httptest.Server
}

func startHome(t *testing.T, s *testSite) *homeServer {
	t.Helper()
	h := &homeServer{t: t, address: "127.0.0.1:0"}
	h.serve(ours(s.site).ServeHTTP)
	h.start()
	t.Cleanup(func() { h.stop() })
	return h
}

// serve lets another handler respond.
func (h *homeServer) serve(handler http.HandlerFunc) { h.handler.Store(handler) }

func (h *homeServer) start() {
	h.t.Helper()
	listener, err := new(net.ListenConfig).Listen(h.t.Context(), "tcp", h.address)
	check(h.t, err)
	h.address = listener.Addr().String()
	h.running = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.handler.Load().(http.HandlerFunc)(w, r)
	}))
	check(h.t, h.running.Listener.Close())
	h.running.Listener = listener
	h.running.Start()
}

func (h *homeServer) stop() {
	h.running.CloseClientConnections()
	h.running.Close()
}

// openHome signs in in a tab and waits until the worker is ready.
func openHome(t *testing.T, chromium *browsertest.Browser, h *homeServer, name string) *browsertest.Tab {
	t.Helper()
	tab := chromium.Open(t, "http://"+h.address)
	tab.Allow("Failed to load resource|ERR_CONNECTION|net::ERR|Scripts may close only")
	signInTab(t, tab, name)
	untilWorker(tab, "status.person && navigator.serviceWorker.controller")
	return tab
}

// untilWorker waits until an expression about the status of the worker is true.
func untilWorker(tab *browsertest.Tab, expression string) {
	tab.Do(run(`workerStatus = {}; (async () => {
		const { active } = await navigator.serviceWorker.ready;
		const asked = setInterval(() => {
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = ({ data: status }) => {
				if (!(workerStatus.holds = ` + expression + `)) return;
				clearInterval(asked);
			};
			active.postMessage({ status: 1 }, [port2]);
		}, 50);
	})(); 0`))
	tab.Until("workerStatus.holds")
}

// share opens the page to which a phone shares a URL.
func share(tab *browsertest.Tab, title, text string) {
	tab.Go("/add?" + url.Values{"title": {title}, "text": {text}}.Encode())
}

// shownHeading selects the heading of what the page of the worker shows.
const shownHeading = "[data-view]:not([hidden]) h1"

func TestLinksAreKeptWhileTheServerIsAwayInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://known.example/"})
	h := startHome(t, s)
	tab := openHome(t, chromium, h, "ada")

	h.stop()
	share(tab, "Bread", "Look: https://bread.example/rye.")
	tab.UntilText(shownHeading, "Kept on this device")
	tab.Until(`document.getElementById("url").value === "https://bread.example/rye" && document.getElementById("title").value === "Bread"`)
	tab.Screenshot("offline-entry")
	tab.Click("#tags")
	tab.Type("rye")
	tab.Click(".main-act")
	tab.UntilText(shownHeading, "No server")
	share(tab, "Known", "https://known.example/")
	tab.UntilText(shownHeading, "Kept on this device")
	share(tab, "Bread again", "https://bread.example/rye")
	tab.UntilText(shownHeading, "Kept on this device")
	tab.Until(`document.getElementById("tags").value === "rye"`)
	share(tab, "", "no URL")
	tab.UntilText(shownHeading, "Kept on this device")
	tab.Go("/offline")
	tab.UntilText("[data-view=waiting] h1", "Waiting to be sent 3")
	tab.Go("/links")
	tab.UntilText(".waiting span", "3 waiting to be sent")

	h.start()
	tab.Go("/links")
	tab.UntilText(".waiting span", "1 waiting to be sent")
	tab.Screenshot("offline-line")
	tab.Click(".waiting .btn")
	tab.UntilText("li .why-not", "is not a URL")
	ada.get("/links").wantCount(".link", 2)
	if p := ada.get("/links/2"); !strings.Contains(p.text("main"), "Bread again") || !strings.Contains(p.text("main"), "rye") {
		t.Errorf("got %s, want the last title and the tag", p.text("main"))
	}
	tab.Screenshot("offline-waiting")
	tab.Do(run(`document.querySelector("li button").click()`)) // the mouse could miss a row that is drawn again
	tab.UntilText(shownHeading, "Waiting to be sent 0")
}
