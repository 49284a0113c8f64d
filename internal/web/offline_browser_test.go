package web

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
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
	tab.Until(workerHolds(expression))
}

// workerHolds returns a script that asks the worker for its status. Run again and again, it is true once an expression
// about the status is, also if another page has come in between.
func workerHolds(expression string) string {
	return `(() => {
		const wanted = ` + "`" + expression + "`" + `;
		navigator.serviceWorker.getRegistration().then((registration) => {
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = ({ data: status }) => (window.held = ` + expression + ` && wanted);
			registration?.active?.postMessage({ status: 1 }, [port2]);
		});
		return window.held === wanted;
	})()`
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
	tab.Click("header .btn")
	tab.UntilText(shownHeading, "Add link")
	// The mouse could miss a field of a page that is still drawn.
	tab.Do(run(`{ const form = document.querySelector("[data-view=entry] form"); form.elements.url.value = "https://typed.example/"; form.requestSubmit() }`))
	tab.Until(`location.pathname === "/" && document.readyState === "complete"`)
	tab.UntilText(".waiting span", "4 waiting to be sent")

	h.start()
	tab.Go("/links")
	tab.UntilText(".waiting span", "1 waiting to be sent")
	tab.Screenshot("offline-line")
	tab.Click(".waiting .btn")
	tab.UntilText("li .why-not", "is not a URL")
	ada.get("/links").wantCount(".link", 3)
	ada.get("/links?q=bread.example").wantText("main .title", "Bread again")
	ada.get("/links?q=bread.example").wantText("main .tag", "rye")
	tab.Screenshot("offline-waiting")
	tab.Do(run(`document.querySelector("li button").click()`)) // the mouse could miss a row that is drawn again
	tab.UntilText(shownHeading, "Waiting to be sent 0")
}

// Unread texts can be read without the server, by those who have asked for that, until they sign out.
func TestTextsAreReadWhileTheServerIsAwayInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	first, second := ada.addText("first", 500), ada.addText("second", 100)
	ada.addText("third", 50)
	check(t, s.store.RefreshSearchIndex(t.Context()))
	h := startHome(t, s)
	tab := openHome(t, chromium, h, "ada")
	c := newPageChecks(t, tab)

	tab.Go("/links?q=is:unread")
	tab.Until(`document.querySelector("[data-keeps]:not([hidden])")`)
	tab.Click("[data-keeps] input")
	tab.UntilText("[data-kept]", "Texts on this device: 3")
	h.stop()
	tab.Go("/")
	tab.UntilText(shownHeading, "Unread 3 kept here")
	c.state("offline-unread")
	tab.Do(run(`document.querySelector("ol a").click()`)) // the newest is the first
	tab.UntilText(shownHeading, "third")
	tab.Go(linkPath(second.ID) + "/read")
	tab.UntilText(".prose", "word word")
	c.state("offline-text")
	tab.Do(run(`document.querySelector("[data-view=text] [data-change=done]").click()`))
	tab.UntilText(shownHeading, "Unread 2 kept here")
	tab.UntilText(".waiting span", "1 waiting to be sent")
	share(tab, "Bread", "https://bread.example/")
	tab.UntilText(shownHeading, "Kept on this device")
	c.state("offline-entry")
	tab.Go("/offline")
	tab.UntilText(shownHeading, "Waiting to be sent 2")
	c.state("offline-waiting")

	// The server refuses for some time: everything stays. Then somebody else signs in.
	h.serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("queued") && r.Method == http.MethodPost {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		ours(s.site).ServeHTTP(w, r)
	})
	h.start()
	tab.Go("/settings/signin")
	tab.UntilText("#devices + section [data-kept]", "Texts on this device: 2")
	tab.UntilText("#devices + section .waiting", "2 waiting to be sent")
	c.state("offline-devices")
	tab.Do(run(`document.querySelector("form[action='/signout'] button").click()`))
	tab.UntilPath("/signin")
	untilWorker(tab, "!status.person && !status.texts && !status.keeps && !status.waiting")
	tab.Go("/add?url=https://nobody.example/")
	signInTab(t, tab, "bob")
	untilWorker(tab, "status.person && !status.waiting")
	h.serve(ours(s.site).ServeHTTP)
	tab.Go("/links")
	tab.Do(run(`navigator.serviceWorker.controller.postMessage({ send: 1 }, [new MessageChannel().port2])`))
	tab.Go("/settings/signin")
	tab.Do(run(`document.querySelector("form[action='/signout'] button").click()`))
	tab.UntilPath("/signin")
	bob.get("/links").wantCount(".link", 0)

	signInTab(t, tab, "ada")
	untilWorker(tab, "status.person && !status.waiting")
	ada.get("/links?q=bread.example").wantCount(".link", 1)
	if link, err := s.store.Link(t.Context(), ada.user.ID, second.ID); err != nil || link.Unread || !link.Archived {
		t.Errorf("got %+v (error %v), want the text read and archived", link.LinkFlags, err)
	}

	// The session is ended in another browser.
	tab.Go("/links?q=is:unread")
	tab.Until(`document.querySelector("[data-keeps]:not([hidden]) input:not(:checked)")`)
	tab.Click("[data-keeps] input")
	tab.UntilText("[data-kept]", "Texts on this device: 2")
	check(t, s.store.Accounts.DeleteOtherSessions(t.Context(), ada.user.ID, 0))
	tab.Go("/tags")
	untilWorker(tab, "!status.person && !status.texts")
	h.stop()
	tab.Go(linkPath(first.ID) + "/read")
	tab.UntilText(shownHeading, "No server")
	c.state("offline-nothing")
	share(tab, "Lost", "https://lost.example/")
	tab.UntilText("[data-lost]", "https://lost.example/")
	c.state("offline-lost")
}

// Whatever interrupts the sending, each link is on the server once, with its note, or still waits.
func TestEachLinkArrivesOnceOrWaitsInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newSite(t)
	ada := s.user(t, "ada")
	h := startHome(t, s)
	tab := openHome(t, chromium, h, "ada")
	beside := chromium.OpenBeside(tab)
	beside.Allow("Failed to load resource|ERR_CONNECTION|net::ERR")
	h.stop()
	const links = 6
	for i := range links {
		tab.Go(fmt.Sprintf("/add?url=https://example.org/%d&note=kept-%d", i, i))
		tab.UntilText(shownHeading, "Kept on this device")
	}
	var n atomic.Int32
	held := make(chan struct{}, links)
	h.serve(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !r.URL.Query().Has("queued") {
			ours(s.site).ServeHTTP(w, r)
			return
		}
		switch n.Add(1) % 6 {
		case 0:
			panic(http.ErrAbortHandler)
		case 1: // the answer is lost
			s.site.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Waymark", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3: // the sign-in page of a network
			fmt.Fprint(w, "<!doctype html><title>Free Wi-Fi</title>{}") //nolint:errcheck // the browser is gone
		case 4: // the worker ends before it gets the answer
			s.site.ServeHTTP(httptest.NewRecorder(), r)
			held <- struct{}{}
			<-r.Context().Done()
		default:
			ours(s.site).ServeHTTP(w, r)
		}
	})
	h.start()
	for round := range 60 {
		other := []*browsertest.Tab{tab, beside}[round%2]
		other.Go("/links")
		other.Do(run(`navigator.serviceWorker.ready.then(({ active }) => active.postMessage({ send: 1 }, [new MessageChannel().port2])); 0`))
		select {
		case <-held:
			stopWorkers(tab)
		default:
		}
		waiting := browsertest.Eval[[]string](other, `new Promise((done) => indexedDB.open("waymark / ").onsuccess = ({ target }) => target.result.transaction("queue").objectStore("queue").getAllKeys().onsuccess = ({ target }) => done(target.result.map((key) => key[1])))`)
		arrived := 0
		for i := range links {
			rawURL := fmt.Sprintf("https://example.org/%d", i)
			link, err := s.store.LinkByURL(t.Context(), ada.user.ID, rawURL)
			switch {
			case err == nil:
				arrived++
				if p := ada.get(linkPath(link.ID)); strings.Count(p.text("main"), fmt.Sprint("kept-", i)) != 1 {
					t.Fatalf("link %d: got %s, want its note once", i, p.text("main"))
				}
			case !slices.Contains(waiting, rawURL):
				t.Fatalf("link %d neither arrived nor waits", i)
			}
		}
		if arrived == links && len(waiting) == 0 {
			return
		}
	}
	t.Fatal("links still wait")
}

// stopWorkers ends all workers of the browser, as it does itself after some time.
func stopWorkers(tab *browsertest.Tab) {
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, serviceworker.Enable, cdp.Empty{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, serviceworker.StopAllWorkers, cdp.Empty{})
		return err
	}))
}

// Only the server counts: not a network that answers for it, nor a server that is too slow. A new release replaces the
// worker, and an empty one ends it.
func TestOnlyTheServerAnswersForItselfInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addText("text", 50)
	check(t, s.store.RefreshSearchIndex(t.Context()))
	h := startHome(t, s)
	tab := openHome(t, chromium, h, "ada")
	tab.Allow("status of 403")
	tab.Go("/links?q=is:unread")
	tab.Until(`document.querySelector("[data-keeps]:not([hidden])")`)
	tab.Click("[data-keeps] input")
	tab.UntilText("[data-kept]", "Texts on this device: 1")

	// What the server sends is what the browser gets, also with the worker.
	var sent sync.Map
	h.serve(func(w http.ResponseWriter, r *http.Request) {
		response := httptest.NewRecorder()
		ours(s.site).ServeHTTP(response, r)
		sent.Store(r.URL.RequestURI(), response.Body.String())
		maps.Copy(w.Header(), response.Header())
		w.WriteHeader(response.Code)
		w.Write(response.Body.Bytes()) //nolint:errcheck // the browser is gone
	})
	for _, path := range []string{"/links", "/links/create", "/add?url=https://example.com/", "/links/1/read", "/tags"} {
		tab.Go(path)
		want, _ := sent.Load(path)
		size := browsertest.Eval[[]int](tab, `(({ decodedBodySize, workerStart }) => [decodedBodySize, Math.ceil(workerStart)])(performance.getEntriesByType("navigation")[0])`)
		if size[0] != len(want.(string)) || size[1] == 0 && path != "/tags" {
			t.Errorf("%s: got a page of %d bytes (the worker began at %d ms), want the %d of the server", path, size[0], size[1], len(want.(string)))
		}
	}

	portal := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/add") {
			http.Redirect(w, r, "/portal", http.StatusFound)
			return
		}
		fmt.Fprint(w, "<!doctype html><title>Free Wi-Fi</title><h1>Welcome") //nolint:errcheck // the browser is gone
	}
	h.serve(portal)
	share(tab, "Portal", "https://portal.example/")
	tab.UntilText(shownHeading, "Kept on this device")
	tab.Go("/links")
	tab.UntilText(shownHeading, "Unread 1 kept here")

	// A form that was opened before is kept as well, with all that was typed.
	h.serve(ours(s.site).ServeHTTP)
	tab.Go("/links/create")
	untilWorker(tab, "!status.waiting")
	tab.Do(run(`for (const [id, value] of [["url", "https://slow.example/"], ["title", "Slow"], ["description", "Later"]]) document.getElementById(id).value = value`))
	h.serve(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // the context ends with the connection only after the body was read
		<-r.Context().Done()
	})
	tab.Do(run(`document.getElementById("url").form.requestSubmit()`))
	tab.UntilText(shownHeading, "Kept on this device")
	h.serve(ours(s.site).ServeHTTP)
	h.running.CloseClientConnections() // the browser may have asked for sw.js, and waits without a limit
	tab.Go("/links")
	untilWorker(tab, "!status.waiting")
	ada.get("/links?q=slow.example").wantText(".desc", "Later")

	// A form of another site reaches nothing, with and without the server.
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", page.HTMLType)
		fmt.Fprintf(w, `<!doctype html><title>Evil</title><form method="post" action="http://%s/links"><input name="url" value="https://evil.example/"></form>`, h.address) //nolint:errcheck // the browser is gone
	}))
	defer evil.Close()
	tab.Allow("request to another host")
	evilPage := strings.Replace(evil.URL, "127.0.0.1", "evil.test", 1)
	tab.Do(chromedp.Navigate(evilPage))
	tab.Do(run(`document.forms[0].submit()`))
	tab.UntilText("h1", "another site")
	ada.get("/links?q=evil.example").wantCount(".link", 0)

	// A new release with another style sheet, while a page is open.
	tab.Go("/links")
	sheet := s.site.AssetURL("waymark.css")
	renamed := "/static/waymark-0123456789abcdef.css"
	h.serve(func(w http.ResponseWriter, r *http.Request) {
		response := httptest.NewRecorder()
		r.URL.Path = strings.Replace(r.URL.Path, renamed, sheet, 1)
		r.Header.Del("If-None-Match")
		r.Header.Del("Accept-Encoding")
		ours(s.site).ServeHTTP(response, r)
		maps.Copy(w.Header(), response.Header())
		w.Header().Del("Content-Length")
		w.Header().Del("Etag")
		w.WriteHeader(response.Code)
		fmt.Fprint(w, strings.ReplaceAll(response.Body.String(), sheet, renamed)) //nolint:errcheck // the browser is gone
	})
	// The first request can join one that the browser has made for the page before.
	tab.Do(run(`asked = setInterval(async () => (await navigator.serviceWorker.getRegistration()).update().catch(() => {}), 500); 0`))
	tab.Until(`Promise.all([caches.match("` + renamed + `"), navigator.serviceWorker.getRegistration()]).then(([found, { installing, waiting }]) => {
		window.replaced = found && !installing && !waiting;
	}) && window.replaced`)
	tab.Do(run(`clearInterval(asked)`))
	if got := browsertest.Eval[string](tab, `document.querySelector("link[rel=stylesheet]").getAttribute("href")`); got != sheet {
		t.Errorf("the open page has the sheet %s, want still %s", got, sheet)
	}
	h.stop()
	tab.Go("/links")
	tab.UntilText(shownHeading, "Unread 1 kept here")
	if got := browsertest.Eval[string](tab, `document.querySelector("link[rel=stylesheet]").getAttribute("href")`); got != renamed {
		t.Errorf("the page of the worker has the sheet %s, want %s", got, renamed)
	}
	h.start()

	h.serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sw.js" {
			ours(s.site).ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
	})
	tab.Go("/tags")
	tab.Do(run(`asked = setInterval(async () => {
		const registration = await navigator.serviceWorker.getRegistration();
		await registration.update().catch(() => {});
		window.waiting = registration.waiting;
	}, 500); 0`))
	tab.Until("window.waiting") // for the pages of the other one to be closed
	for waits := true; waits; {
		tab.Do(chromedp.Navigate("about:blank"))
		tab.Go("/tags") // can come before the other one has ended
		waits = browsertest.Eval[bool](tab, `navigator.serviceWorker.getRegistration().then(({ waiting }) => !!waiting)`)
	}
	h.stop()
	tab.Do(run(`location.assign("/add?url=https://gone.example/"); 0`))
	tab.Until(`document.body?.innerText.includes("ERR_CONNECTION_REFUSED")`)
	h.start()
}

// The place in a text is kept, and does not wait like a link. On a full device people are told what was not kept; what
// waits there stays, and is sent.
func TestPlacesAreKeptAndFullDevicesSaySoInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newSite(t)
	ada := s.user(t, "ada")
	text := ada.addText("long", 5000)
	check(t, s.store.RefreshSearchIndex(t.Context()))
	h := startHome(t, s)
	// There is space for all but what says too-much.
	h.serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sw.js" {
			ours(s.site).ServeHTTP(w, r)
			return
		}
		response := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding")
		s.site.ServeHTTP(response, r)
		w.Header().Set("Waymark", "1")
		w.Header().Set("Content-Type", "text/javascript")
		//nolint:errcheck // the browser is gone
		fmt.Fprint(w, `const { put } = IDBObjectStore.prototype;
			IDBObjectStore.prototype.put = function (value, key) {
				return JSON.stringify(value).includes("too-much") ? this.transaction.abort() : put.call(this, value, key);
			};`, response.Body)
	})
	tab := openHome(t, chromium, h, "ada")
	tab.Go("/links?q=is:unread")
	tab.Until(`document.querySelector("[data-keeps]:not([hidden])")`)
	tab.Click("[data-keeps] input")
	tab.UntilText("[data-kept]", "Texts on this device: 1")
	untilPlace := func(expression string) {
		t.Helper()
		tab.Do(run(fmt.Sprintf(`placed = {}; setInterval(() => indexedDB.open("waymark / ").onsuccess = ({ target: { result } }) => {
			result.transaction("texts").objectStore("texts").get(%d).onsuccess = ({ target }) => { placed = target.result; result.close(); };
		}, 50); 0`, text.ID)))
		tab.Until(expression)
	}
	h.stop()
	tab.Go(linkPath(text.ID) + "/read")
	tab.UntilText(".prose", "word word")
	tab.Do(run(`document.getElementById("p-60").scrollIntoView({ behavior: "instant" })`))
	untilPlace(`placed.moved && placed.at.paragraph > 50`)
	tab.Go("/offline")
	tab.UntilText(shownHeading, "Waiting to be sent 0")
	tab.Go(linkPath(text.ID) + "/read")
	tab.Until(`document.getElementById("p-60") && Math.abs(document.getElementById("p-60").getBoundingClientRect().top) < innerHeight`)
	h.start()
	tab.Go("/links")
	untilPlace(`placed.moved === 0`)
	if at, err := s.store.Snapshots.ReadingPositions(t.Context(), ada.user.ID, []waymark.LinkID{text.ID}); err != nil || at[text.ID].Paragraph < 50 {
		t.Errorf("got %+v (error %v), want the place in the text", at, err)
	}

	h.stop()
	share(tab, "Bread", "https://bread.example/")
	tab.UntilText(shownHeading, "Kept on this device")
	tab.Click("#lists")
	tab.Type("Kitchen")
	tab.Click(".main-act")
	tab.UntilText(shownHeading, "Unread 1 kept here")
	share(tab, "Butter", "https://too-much.example/ salted")
	tab.UntilText("[data-lost]", "https://too-much.example/ Butter salted")
	tab.Go("/offline?kept=https://bread.example/")
	tab.Until(`document.getElementById("lists").value === "Kitchen"`)
	tab.Do(run(`document.getElementById("url").value = "https://too-much.example/rye"`))
	tab.Click(".main-act")
	tab.UntilText("[data-full]:not([hidden])", "no space left")
	tab.Go("/offline")
	tab.UntilText(shownHeading, "Waiting to be sent 1")
	ada.addText("too-much", 5000)
	check(t, s.store.RefreshSearchIndex(t.Context()))
	h.start()
	tab.Go("/links?q=is:unread")
	untilWorker(tab, "!status.waiting")
	ada.get("/links?q=bread.example").wantText("main .in-list", "Kitchen")
	ada.get("/links?q=too-much.example").wantCount(".link", 0)
	tab.Do(run(`document.querySelector("[data-keeps] input").click()`)) // off, and on again
	untilWorker(tab, "!status.keeps")
	tab.Do(run(`document.querySelector("[data-keeps] input").click()`))
	tab.UntilText("[data-full]:not([hidden])", "no space left")
	tab.Go("/settings/signin")
	tab.Do(run(`document.querySelector("form[action='/signout'] button").click()`))
	tab.UntilPath("/signin")
	untilWorker(tab, "!status.person && !status.texts")
}
