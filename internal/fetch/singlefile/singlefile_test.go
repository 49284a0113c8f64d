package singlefile_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/fetch"
	"waymark/internal/fetch/singlefile"
)

// newMaker returns a Maker that downloads from this machine.
func newMaker(o singlefile.Options) *singlefile.Maker {
	return singlefile.New(fetch.New(fetch.Options{
		Allow:     []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		UserAgent: "Waymark/test",
		Timeout:   30 * time.Second, Bytes: 1 << 20, Redirects: 5, HeaderBytes: 64 << 10, Ratio: 200,
	}), o)
}

// limits are enough for most tests.
func limits() singlefile.Options {
	return singlefile.Options{Bytes: 1 << 20, ResourceBytes: 256 << 10, Resources: 50, Time: 30 * time.Second}
}

// site serves files by their path, with the type that their extension says.
func site(t testing.TB, files map[string]string) *url.URL {
	t.Helper()
	types := map[string]string{".css": "text/css", ".svg": "image/svg+xml"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := files[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", types[path.Ext(r.URL.Path)])
		if _, err := w.Write([]byte(content)); err != nil {
			t.Log(err)
		}
	}))
	t.Cleanup(server.Close)
	pageURL, err := url.Parse(server.URL + "/dir/page.html")
	check(t, err)
	return pageURL
}

func makeFile(t *testing.T, page string, pageURL *url.URL) string {
	t.Helper()
	file, err := newMaker(limits()).Make(t.Context(), []byte(page), "text/html; charset=utf-8", pageURL)
	check(t, err)
	return file
}

const png = "\x89PNG\r\n\x1a\n"

// pngURL is a data URL of png.
const pngURL = "data:image/png;base64,iVBORw0KGgo="

func TestFileHasItsSheetsImagesAndFonts(t *testing.T) {
	pageURL := site(t, map[string]string{
		"/a.css": `@import "b.css" screen; a{background:url(img/x.png)} ` +
			`@font-face{font-family:F;src:url(f.eot);src:url(f.eot?#iefix) format("embedded-opentype"),url("f.woff2") format("woff2"),url(f.woff) format('woff')}`,
		"/b.css": `@import "c.css" layer(x);@namespace url(n);b{color:red`, "/img/x.png": png, "/dir/y.png": png, "/f.woff2": "wOF2",
		"/late.css": `i{color:red}@import "b.css";`,
	})
	file := makeFile(t, `<link rel=stylesheet href=/a.css media=all><link rel=preload as=style href=/late.css onload="this.rel='stylesheet'"><link rel=icon href=/img/x.png>
		<img src=data:, srcset="y.png 400w, z.png 900w" alt=A><img data-src=y.png src=none.png><img src=y.png srcset="none.png 2x"><p style="background:url('y.png')">
		<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='100%'%3E%3C/svg%3E">`, pageURL)
	for _, want := range []string{
		`<style media="all">@media screen{b{color:red}} a{background:url("` + pngURL + `")}`,
		`src:url("data:,");src:url("data:,") format("embedded-opentype"),url("data:font/woff2;base64,d09GMg==") format("woff2"),url("data:,") format('woff')}</style>`,
		`<style>i{color:red}</style><link rel="icon" href="` + pngURL + `"/>`,
		`<img alt="A" src="` + pngURL + `"/><img src="` + pngURL + `"/><img src="` + pngURL + `"/>`,
		`<img src="data:image/svg+xml;base64,PHN2Zy`, // with the width 100%, which is not percent-encoded
		`<p style="background:url(&#34;` + pngURL + `&#34;)">`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("the file does not have %s:\n%s", want, file)
		}
	}
}

func TestFileHasNothingThatRunsOrRequests(t *testing.T) {
	pageURL := site(t, map[string]string{"/dir/y.png": png})
	file := makeFile(t, `<head><meta http-equiv=refresh content="0;url=https://spy.example/"><base href=/dir/><link rel=preload href=x><script src=x></script>
		<noscript><link rel=stylesheet href="data:text/css,p{color:red}"></noscript></head>
		<body onload=x()><a href="javascript:x()">a</a><a href=z#f target=_top ping=x>z</a><a href="#here">here</a><a href="ftp://f.example/">f</a><a href="mailto:a@b.example">m</a>
		<form action=/x method=post><button formaction=/y>b</button></form><iframe srcdoc=x></iframe><object data=x></object><embed src=x><template><img src=x></template>
		<img src=y.png onerror=x()><img src=y.png width=1 height=1><img src=none.png alt=none><noscript><img src=y.png></noscript>
		<p style="color:red;background:url(none.png)" onclick=x()><style>@import "none.css"; @font-face{font-family:F;src:url(none.woff2)} q{background:\75rl(none.png)}</style>
		<svg><script>x()</script><a xlink:href="javascript:x()"><use href="y.svg#a"/><use href="#b"/></a><rect fill="url(#c)"/><set attributeName=href to=x /></svg><!-- <script> -->`, pageURL)
	const want = `<html><head><meta charset="utf-8"/>
		<style>p{color:red}</style></head>
		<body><a>a</a><a href="SITE/dir/z#f" target="_top">z</a><a href="#here">here</a><a>f</a><a href="mailto:a@b.example">m</a>
		<form><button>b</button></form>
		<img src="` + pngURL + `"/><img alt="none"/>
		<p style="color:red;background:url(&#34;data:,&#34;)"><style> @font-face{font-family:F;src:url("data:,")} q{background:url("data:,")}</style>
		<svg><a><use></use><use href="#b"></use></a><rect fill="url(&#34;#c&#34;)"></rect></svg></p></body></html>`
	if diff := cmp.Diff(strings.Fields(strings.ReplaceAll(want, "SITE", "http://"+pageURL.Host)), strings.Fields(file)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestFileStaysWithinItsLimits(t *testing.T) {
	large := png + strings.Repeat("x", 200<<10)
	files := map[string]string{"/dir/sheet.css": "p{color:red}", "/dir/huge.png": png + strings.Repeat("x", 400<<10)}
	var page strings.Builder
	page.WriteString("<link rel=stylesheet href=sheet.css><img src=huge.png>")
	for i := range 10 {
		files[fmt.Sprintf("/dir/%d.png", i)] = large
		fmt.Fprintf(&page, "<img src=%d.png>", i)
	}
	pageURL := site(t, files)
	for _, test := range []struct {
		name   string
		change func(o *singlefile.Options)
		images int
	}{
		{"bytes", func(*singlefile.Options) {}, 3}, // of 267 KiB each, in 1 MiB
		{"resources", func(o *singlefile.Options) { o.Resources = 3 }, 1},
		{"bytes of a resource", func(o *singlefile.Options) { o.ResourceBytes = 100 << 10 }, 0},
		{"time", func(o *singlefile.Options) { o.Time = time.Nanosecond }, 0},
	} {
		o := limits()
		test.change(&o)
		file, err := newMaker(o).Make(t.Context(), []byte(page.String()), "text/html", pageURL)
		if got := strings.Count(file, "data:image/png"); err != nil || got != test.images || int64(len(file)) > o.Bytes {
			t.Errorf("%s: got %d images, %d bytes, error %v, want %d images", test.name, got, len(file), err, test.images)
		}
		if got, want := strings.Contains(file, "color:red"), test.name != "time"; got != want {
			t.Errorf("%s: the file has the style sheet: %t, want %t", test.name, got, want)
		}
	}
	o := limits()
	o.Bytes = 100
	for name, test := range map[string]struct {
		page, contentType string
		want              error
	}{
		"page":     {strings.Repeat("text ", 100), "text/html", singlefile.ErrTooLarge},
		"elements": {strings.Repeat("<p>", 200_000), "text/html", singlefile.ErrTooLarge},
		"depth":    {strings.Repeat("<div>", 1000), "text/html", singlefile.ErrTooLarge},
		"a PDF":    {"%PDF-1.7", "application/pdf", singlefile.ErrNoPage},
	} {
		if _, err := newMaker(o).Make(t.Context(), []byte(test.page), test.contentType, pageURL); !errors.Is(err, test.want) {
			t.Errorf("%s: got error %v, want %v", name, err, test.want)
		}
	}
}

// Sheets that import each other many times take no more work than the size of a file allows.
func TestSheetsThatImportEachOtherEnd(t *testing.T) {
	pageURL := site(t, map[string]string{
		"/dir/a.css": strings.Repeat(`@import "b.css";`, 5000), "/dir/b.css": strings.Repeat(`@import "a.css";`, 5000),
		"/dir/self.css": `@import "self.css"; p{color:red}`,
	})
	makeFile(t, `<link rel=stylesheet href=a.css>`, pageURL)
	if file := makeFile(t, `<link rel=stylesheet href=self.css>`, pageURL); !strings.Contains(file, "p{color:red}") {
		t.Errorf("got %s", file)
	}
}

func TestHostThatAsksForFewerRequestsGetsNoMore(t *testing.T) {
	var requests, together, most atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), together.Add(1)))
		defer together.Add(-1)
		requests.Add(1)
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(server.Close)
	pageURL, err := url.Parse(server.URL)
	check(t, err)
	var page strings.Builder
	for i := range 40 {
		fmt.Fprintf(&page, "<img src=%d.png>", i)
	}
	makeFile(t, page.String(), pageURL)
	if requests.Load() > 8 || most.Load() > 2 {
		t.Errorf("got %d requests, %d of them at the same time, want no more after the first ones, and 2", requests.Load(), most.Load())
	}
}

// The largest sheets that a server sends take no minutes, whatever is in them, and little memory: as tokens in a slice
// one took 957 MB. The limit counts what the heap has got for all of them, with the sheets and their garbage.
func TestHostileSheetsNeedLittleMemoryAndTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // the tests may run with another GOGC
	var before runtime.MemStats                       // HeapSys does not shrink
	runtime.ReadMemStats(&before)
	const size = 6 << 20
	for name, part := range map[string]string{
		"brackets": "(", "ends": ";", "rules": "a{", "empty URLs": "url()", "at-rules": "@a", "imports": `@import url("a"];`, "names": "a ", "escapes": `\61`, "strings": `"`,
	} {
		pageURL := site(t, map[string]string{"/dir/a.css": strings.Repeat(part, size/len(part))})
		o := singlefile.Options{Bytes: 4 * size, ResourceBytes: size, Resources: 10, Time: 30 * time.Second}
		began := time.Now()
		file, err := newMaker(o).Make(t.Context(), []byte("<link rel=stylesheet href=a.css><p>Bread"), "text/html", pageURL)
		took := time.Since(began)
		if err != nil || !strings.Contains(file, "Bread") {
			t.Errorf("%s: got error %v and the file %.100q, want the page", name, err, file)
		}
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		if taken := after.HeapSys - before.HeapSys; taken > 250<<20 || took > 20*time.Second {
			t.Errorf("%s: took %d MB and %s, want less than 250 MB and 20s", name, taken>>20, took)
		}
	}
}

// Each takes about 0.2 seconds, and minutes if each part reads those after it.
func TestManyPartsAreReadInLinearTime(t *testing.T) {
	o := limits()
	o.Bytes = 8 << 20
	for name, page := range map[string]string{
		"at-rules": "<style>" + strings.Repeat("@a", 100_000),
		"imports":  "<style>" + strings.Repeat(`@import url("a"];`, 100_000),
		"images":   "<picture>" + strings.Repeat("<img>", 100_000),
	} {
		began := time.Now()
		if _, err := newMaker(o).Make(t.Context(), []byte(page), "text/html", site(t, nil)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

func TestLinksToOneStyleSheetDoNotDecodeItAgain(t *testing.T) {
	const links = 5_000
	pageURL := site(t, map[string]string{"/dir/a.css": "p{color:red}" + strings.Repeat(" ", 200<<10)})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file := makeFile(t, strings.Repeat("<link rel=stylesheet href=a.css>", links), pageURL)
	runtime.ReadMemStats(&after)
	if n := strings.Count(file, "color:red"); n == 0 || n > 5 {
		t.Errorf("the style sheet is %d times in the file, want once for each 200 KiB of 1 MiB", n)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<30 {
		t.Errorf("allocated %d bytes", got)
	}
}

func TestSourceOfAPictureReplacesAMissingImage(t *testing.T) {
	pageURL := site(t, map[string]string{"/dir/a.png": "\x89PNG\r\n\x1a\na", "/dir/b.png": "\x89PNG\r\n\x1a\nb"})
	file := makeFile(t, `<picture><source data-srcset="a.png 800w"><source srcset="b.png 800w"><img alt=c></picture><img alt=d>`, pageURL)
	if want := `<picture><img alt="c" src="data:image/png;base64,iVBORw0KGgph"/></picture><img alt="d"/>`; !strings.Contains(file, want) {
		t.Errorf("got\n%s\nwant\n%s", file, want)
	}
}

// Browsers request what these URLs name, if it is not replaced.
func TestURLsInUnusualCSSAreReplaced(t *testing.T) {
	address := site(t, nil)
	for _, css := range []string{
		`\75rl(a.png)`, `u\72l( a.png )`, `ur\l(a.png)`, `\75rl("a.png")`, `u\72l(a.png/*)`, `url("a.png" b)`, `url("a.png`, `url(a.png`,
		`url( a\.png )`, "url('a\\\n.png')", "\\\xff=url(a.png)", "\\\xff)u\\72l(a.png)", `-webkit-image-set("a.png" 1x)`, `image-set("\61.png" 1x)`,
	} {
		file := makeFile(t, `<p>text<style>p{background:`+css, address)
		if strings.Contains(file, ".png") || !strings.Contains(file, "data:,") {
			t.Errorf("%q: got %q, want no URL", css, file)
		}
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
