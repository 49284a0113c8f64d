package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// hostilePage does everything that a page can do to run or to request something. SPY is the URL
// of a server that counts requests.
const hostilePage = `<!DOCTYPE html><html><head><title>Hostile</title>
<meta http-equiv="refresh" content="0;url=SPY/refresh"><meta http-equiv="Content-Security-Policy" content="default-src *">
<base href="SPY/base/" target="_top">
<link rel="stylesheet" href="SPY/sheet.css"><link rel="preload" as="image" href="SPY/preload"><link rel="prefetch" href="SPY/prefetch">
<link rel="preconnect" href="SPY"><link rel="icon" href="SPY/icon"><link rel="manifest" href="SPY/manifest"><link rel="modulepreload" href="SPY/module.js">
<style>@import "SPY/import.css"; @import url("data:text/css,@import 'SPY/nested.css';"); @font-face{font-family:Spy;src:url(SPY/font.woff2)}
body{background:url(SPY/background);font-family:Spy;\62 ackground-image:\75 rl("SPY/escaped")} p::after{content:url(SPY/content)}</style>
<script>document.documentElement.dataset.ran = 1; fetch("SPY/fetch"); new Image().src = "SPY/image"; top.location = "SPY/top"</script>
<script src="SPY/script.js"></script><script type="speculationrules">{"prefetch":[{"urls":["SPY/speculation"]}]}</script></head>
<body onload="document.documentElement.dataset.ran = 2; location = 'SPY/onload'">
<a id="script" href="javascript:document.documentElement.dataset.ran=3;fetch('SPY/javascript')">script</a>
<a id="data" href="data:text/html,<script>fetch('SPY/data')</script>">data</a>
<a id="ping" href="#here" ping="SPY/ping">ping</a>
<form action="SPY/form" method="post"><input name="secret" value="1" autofocus onfocus="document.documentElement.dataset.ran=4"><button id="send">send</button></form>
<form id="other"></form><button form="other" id="other-send" formaction="SPY/formaction">send</button>
<img src="SPY/pixel.gif" width="1" height="1"><img srcset="SPY/srcset 2x, SPY/srcset1 1x" src="SPY/src" onerror="document.documentElement.dataset.ran=5">
<picture><source srcset="SPY/source"><img></picture><p style="background:url(SPY/style)">text</p>
<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='top.document.documentElement.dataset.ran=6'><script>top.document.documentElement.dataset.ran=7</script><image href='SPY/svg-image'/></svg>">
<svg><script>document.documentElement.dataset.ran=8</script><image href="SPY/inline-svg"/><use href="SPY/use.svg#a"/><a xlink:href="javascript:1"><text>x</text></a><rect fill="url(SPY/fill#a)" width="9" height="9"/><animate attributeName="href" to="javascript:1"/></svg>
<iframe src="SPY/iframe"></iframe><iframe srcdoc="<script>parent.document.documentElement.dataset.ran=9;fetch('SPY/srcdoc')</script>"></iframe>
<object data="SPY/object"></object><embed src="SPY/embed"><video src="SPY/video" poster="SPY/poster" autoplay></video><audio src="SPY/audio" autoplay></audio>
<table background="SPY/table"><tr><td>x</table><input type="image" src="SPY/input"><details open ontoggle="document.documentElement.dataset.ran=10">x</details>
<noscript><img src="SPY/noscript"></noscript><template><img src="SPY/template"></template><math><mtext><img src="SPY/math" onerror="document.documentElement.dataset.ran=11"></mtext></math>
</body></html>`

// A page from a browser is stored as it is. It does nothing because of the policy.
func TestHostileFullSnapshotDoesNothingInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	var mu sync.Mutex
	var requests []string
	spy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		requests = append(requests, r.URL.Path)
	}))
	t.Cleanup(spy.Close)
	raw := strings.ReplaceAll(hostilePage, "SPY", spy.URL)
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	saveWholePage(t, s, link, raw)
	tab := chromium.Open(t, s.URL)
	tab.Allow("Blocked form submission")
	tab.Allow("log: |console: |request to another host") // Chromium tells what it blocks
	signInTab(t, tab, "ada")
	path := linkPath(link.ID) + "/full-snapshot/file"
	tab.Go(path)
	tab.Resize(1000, 800)
	tab.UntilPath(path)
	if got := browsertest.Eval[string](tab, `self.origin + " " + (() => { try { return document.cookie } catch (e) { return e.name } })() + " " + (() => { try { return localStorage.length } catch (e) { return e.name } })()`); got != "null SecurityError SecurityError" {
		t.Errorf("got the origin, cookies and storage %q", got)
	}
	for _, id := range []string{"script", "data", "ping", "send", "other-send"} {
		tab.Click("#" + id)
	}
	tab.Click("p") // after all that the clicks have begun
	if got := browsertest.Eval[string](tab, `location.pathname + " " + document.documentElement.dataset.ran`); got != path+" undefined" {
		t.Errorf("got the path and the script that ran %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(requests) > 0 {
		t.Errorf("the page has requested %q", requests)
	}
}
