package singlefile_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

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
		w.Header().Set("Content-Type", types[extension(r.URL.Path)])
		if _, err := w.Write([]byte(content)); err != nil {
			t.Log(err)
		}
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL + "/dir/page.html")
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func extension(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[i:]
		}
	}
	return ""
}

func makeFile(t *testing.T, page string, address *url.URL) string {
	t.Helper()
	file, err := newMaker(limits()).Make(t.Context(), []byte(page), "text/html; charset=utf-8", address)
	if err != nil {
		t.Fatal(err)
	}
	again, err := singlefile.Clean(file, singlefile.MaxBytes)
	if err != nil || again != file {
		t.Errorf("Clean: got error %v and\n%s\nwant\n%s", err, again, file)
	}
	return file
}

const png = "\x89PNG\r\n\x1a\n"

// pngURL is a data URL of png.
const pngURL = "data:image/png;base64,iVBORw0KGgo="

func TestFileHasItsSheetsImagesAndFonts(t *testing.T) {
	address := site(t, map[string]string{
		"/a.css": `@import "b.css" screen; a{background:url(img/x.png)} ` +
			`@font-face{font-family:F;src:url(f.eot);src:url(f.eot?#iefix) format("embedded-opentype"),url("f.woff2") format("woff2"),url(f.woff) format('woff')}`,
		"/b.css": `b{color:red}`, "/img/x.png": png, "/dir/y.png": png, "/f.woff2": "wOF2",
	})
	file := makeFile(t, `<link rel=stylesheet href=/a.css media=all><link rel=icon href=/img/x.png>
		<img src=small.png srcset="small.png 400w, y.png 900w" alt=A><img data-src=y.png src=data:,><p style="background:url('y.png')">`, address)
	for _, want := range []string{
		`<style media="all">@import url("data:text/css;charset=utf-8;base64,Yntjb2xvcjpyZWR9") screen; a{background:url("` + pngURL + `")}`,
		`src:url("data:font/woff2;base64,d09GMg==")}</style>`,
		`<link rel="icon" href="` + pngURL + `"/>`,
		`<img alt="A" src="` + pngURL + `"/><img src="` + pngURL + `"/>`,
		`<p style="background:url(&#34;` + pngURL + `&#34;)">`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("the file does not have %s:\n%s", want, file)
		}
	}
}
