package web

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// layoutShifts returns the parts that have moved since the page was shown first, if the cumulative
// layout shift is 0.03 or more; https://web.dev/articles/cls names 0.1 as the limit for good pages.
// It is not 0 for pages that arrive in chunks: the columns of a table get their widths from all its
// cells, buttons at the end of a row have their place when the last one is there, and a row that arrives
// in two chunks moves its title when its names arrive. That alone is 0.02 for the longest names.
const layoutShifts = `document.fonts.ready.then(() => new Promise((done) => {
	const text = (node, from, to) => (node ? (node.outerHTML || node.textContent).slice(0, 120) : "a removed element") +
		" from " + [from.x, from.y, from.width, from.height] + " to " + [to.x, to.y, to.width, to.height];
	let total = 0;
	const moved = [];
	const observer = new PerformanceObserver((list) => list.getEntries().forEach((shift) => {
		total += shift.value;
		moved.push(shift.value + ": " + shift.sources.map((s) => text(s.node, s.previousRect, s.currentRect)).join(", "));
	}));
	observer.observe({type: "layout-shift", buffered: true});
	// A shift is reported some time after its frame.
	requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(total < 0.03 ? "" : moved.join(" | ")), 50)));
}))`

// slowProxy returns the URL of a proxy which sends each page of site in 8 chunks, with a pause
// after each in which a browser shows what it has.
func slowProxy(t *testing.T, site string) string {
	const chunks, pause = 8, 25 * time.Millisecond // more than a frame
	target, err := url.Parse(site)
	check(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(r *http.Response) error {
			if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
				return nil
			}
			page, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			// Nothing is shown before the body begins.
			body := max(0, bytes.Index(page, []byte("<body")))
			from, to := io.Pipe()
			r.Body = from
			go func() {
				defer to.Close()
				begin := 0
				for i := range chunks {
					end := body + (len(page)-body)*(i+1)/chunks
					if _, err := to.Write(page[begin:end]); err != nil {
						return
					}
					begin = end
					time.Sleep(pause)
				}
			}()
			return nil
		},
	})
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// The tests of all pages look at what moves while they load.
func TestNothingMovesWhenTheEndOfAPageArrivesInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ada.makeAdmin()
	ada.addLinks(30)
	for i := range 30 {
		s.user(t, fmt.Sprint("person", i))
	}
	tab := openTab(t, chromium, slowProxy(t, s.URL))
	tab.Go("/links")
	browsertest.Eval[string](tab, layoutShifts) // the page is painted now: what moves before that does not count
	tab.Do(run(`document.querySelector("h1").style.marginTop = "200px"; 0`))
	if browsertest.Eval[string](tab, layoutShifts) == "" {
		t.Fatal("the browser does not report that the page has moved")
	}
	// A sidebar that is higher than the window has the same top as before its end has arrived.
	tab.Go("/links")
	var tops []int64
	for _, height := range []int64{1600, 400} {
		tab.Resize(1440, height)
		tops = append(tops, browsertest.Eval[int64](tab, `document.querySelector(".side .nav").offsetTop`))
	}
	if tops[0] != tops[1] {
		t.Errorf("the sidebar begins at %d pixels, and at %d in a low window", tops[0], tops[1])
	}
	// So has a table when what follows its first row has not arrived.
	tab.Resize(1440, 900)
	tab.Go("/settings/people")
	if moved := browsertest.Eval[float64](tab, `(() => {
		const table = document.querySelector("table");
		const before = table.getBoundingClientRect().top;
		table.querySelectorAll("tbody tr + tr").forEach((row) => row.remove());
		while (table.nextSibling) table.nextSibling.remove();
		return table.getBoundingClientRect().top - before;
	})()`); moved != 0 {
		t.Errorf("the table of people moves by %v pixels without its end", moved)
	}
}

// A URL that pages may not contain as a link is printed too, and a long title has two lines.
func TestRowsOfURLsThatAreNoLinksInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	settings := config.Default().API
	settings.GuestPages = true
	s := newTestSite(t, storetest.Open(t), settings)
	ada := s.user(t, "ada")
	ada.user.DefaultVisibility = waymark.DefaultsTo(waymark.Public)
	for _, rawURL := range []string{"https://example.org/", "file:///home/ada/a.html", "mailto:ada@example.org"} {
		ada.addLink(waymark.LinkInput{URL: rawURL, Title: new(strings.Repeat("x", 950))})
	}
	tab := openTab(t, chromium, s.URL)
	for _, path := range []string{"/links", "/links?view=compact", "/links?view=cards", "/guest/links"} {
		tab.Media()
		tab.Resize(390, 800)
		tab.Go(path)
		if tall := browsertest.Eval[int64](tab, `Math.max(...[...document.querySelectorAll(".title")].map((e) => e.offsetHeight))`); tall > 60 {
			t.Errorf("%s: a title is %d pixels high, want two lines", path, tall)
		}
		tab.Print()
		const want = `" mailto:ada@example.org", " file:///home/ada/a.html", " https://example.org/"`
		if got := browsertest.Eval[string](tab, `[...document.querySelectorAll(".title > *")].map((e) => getComputedStyle(e, "::after").content).join(", ")`); got != want {
			t.Errorf("%s on paper: got the URLs %s, want %s", path, got, want)
		}
	}
}
