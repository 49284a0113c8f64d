package httpx_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"waymark/internal/httpx"
)

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

// request passes a request with the header lines "Name: value" to handler.
func request(t *testing.T, handler http.Handler, method string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "/", nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// plain returns the body of a response without its encoding.
func plain(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	body := io.Reader(w.Body)
	if w.Header().Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(body); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(body)
	check(t, err)
	return string(text)
}

func TestAssetsHaveTwoNames(t *testing.T) {
	script := strings.Repeat("a=1,", 1000) + "a=1"
	assets, err := httpx.LoadAssets(fstest.MapFS{
		"a.js":    {Data: []byte(script)},
		"b.js.gz": {Data: gzipped(t, script)},
		"tiny":    {Data: []byte("x")},
	})
	check(t, err)
	for _, test := range []struct{ name, contentType, body string }{
		{"a.js", "text/javascript; charset=utf-8", script},
		{"b.js", "text/javascript; charset=utf-8", script},
		{"tiny", "text/plain; charset=utf-8", "x"},
	} {
		hashed := assets.HashedNames()[test.name]
		for name, cache := range map[string]string{test.name: "no-cache", hashed: "public, max-age=31536000, immutable"} {
			handler := assets.Handler(name)
			if handler == nil {
				t.Fatalf("there is no %q", name)
			}
			for _, encoding := range []string{"gzip", ""} {
				w := request(t, handler, "GET", "Accept-Encoding: "+encoding)
				if w.Code != http.StatusOK || plain(t, w) != test.body || w.Header().Get("Content-Type") != test.contentType || w.Header().Get("Cache-Control") != cache {
					t.Errorf("%s: got %d %v with %.20q", name, w.Code, w.Header(), w.Body)
				}
			}
		}
	}
	if assets.Handler("c.js") != nil || assets.Handler("b.js.gz") != nil {
		t.Error("got a handler of a file that does not exist")
	}
	if _, err := httpx.LoadAssets(fstest.MapFS{"a.gz": {Data: []byte("not gzip")}}); err == nil || !strings.Contains(err.Error(), "a.gz") {
		t.Errorf("got error %v, want one that names the damaged file", err)
	}
}

func TestAssetHasItsLengthAndRanges(t *testing.T) {
	asset := httpx.NewAsset("a.css", bytes.Repeat([]byte("a{}"), 1000))
	for _, test := range []struct {
		headers []string
		code    int
		length  string
		body    string
	}{
		{nil, http.StatusOK, "3000", strings.Repeat("a{}", 1000)},
		{[]string{"Range: bytes=0-3"}, http.StatusPartialContent, "4", "a{}a"},
		{[]string{"Range: bytes=0-3", "Accept-Encoding: gzip"}, http.StatusPartialContent, "4", "a{}a"},
		{[]string{"Range: bytes=9000-"}, http.StatusRequestedRangeNotSatisfiable, "", ""},
	} {
		w := request(t, asset, "GET", test.headers...)
		if w.Code != test.code || test.length != "" && (w.Header().Get("Content-Length") != test.length || w.Body.String() != test.body) {
			t.Errorf("%q: got %d %v", test.headers, w.Code, w.Header())
		}
	}
	if w := request(t, asset, "HEAD", "Accept-Encoding: gzip"); w.Header().Get("Content-Length") == "" || w.Body.Len() > 0 {
		t.Errorf("HEAD: got %v with %d bytes", w.Header(), w.Body.Len())
	}
}

// The cache of nginx before 1.23 reads only the first line, and would give everybody the page of the first language.
func TestVaryIsOneLine(t *testing.T) {
	page := httpx.Represent(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpx.AddVary(w.Header(), "Accept-Language, Cookie")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<p>")
	}), true)
	if got := request(t, page, "GET").Header()["Vary"]; len(got) != 1 || got[0] != "Accept-Language, Cookie, Accept-Encoding" {
		t.Errorf("got %q, want one line", got)
	}
}

func TestAssetIsNotSentTwice(t *testing.T) {
	asset := httpx.NewAsset("a.css", bytes.Repeat([]byte("a{}"), 1000))
	compressed, uncompressed := request(t, asset, "GET", "Accept-Encoding: gzip"), request(t, asset, "GET")
	if compressed.Body.Len() >= uncompressed.Body.Len() {
		t.Errorf("got %d bytes with gzip and %d without", compressed.Body.Len(), uncompressed.Body.Len())
	}
	tag := compressed.Header().Get("ETag")
	for _, names := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
		w := request(t, asset, "GET", "Accept-Encoding: gzip", "If-None-Match: "+names)
		if w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != tag || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("If-None-Match %s: got %d with %d bytes and %v, want 304", names, w.Code, w.Body.Len(), w.Header())
		}
	}
	head := request(t, asset, "HEAD", "Accept-Encoding: gzip")
	if head.Body.Len() != 0 || head.Header().Get("Content-Length") != compressed.Header().Get("Content-Length") {
		t.Errorf("HEAD: got %d bytes with %v", head.Body.Len(), head.Header())
	}
}

func TestClientsThatAcceptGzipGetIt(t *testing.T) {
	asset := httpx.NewAsset("a.css", bytes.Repeat([]byte("a{}"), 1000))
	for accepted, want := range map[string]string{
		"GZIP": "gzip", "deflate, gzip, br": "gzip", "br;q=1.0, gzip;q=0.8": "gzip", "": "", "br": "", "gzip;q=0": "", "gzip ; Q=0.000, *": "", "gzipped": "",
	} {
		if w := request(t, asset, "GET", "Accept-Encoding: "+accepted); w.Header().Get("Content-Encoding") != want {
			t.Errorf("%q: got %q, want %q", accepted, w.Header().Get("Content-Encoding"), want)
		}
	}
	if w := request(t, asset, "GET", "Accept-Encoding: br", "Accept-Encoding: gzip"); w.Header().Get("Content-Encoding") != "gzip" {
		t.Error("gzip in a second header line is not accepted")
	}
}

func TestScriptsAndStyleSheetsAreMinified(t *testing.T) {
	const script = "// A comment.\nlet a = 1;\n"
	assets, err := httpx.LoadAssets(fstest.MapFS{
		"a.js": {Data: []byte(script)}, "b.min.js": {Data: []byte(script)}, "z.woff2": {Data: []byte("a font")},
		"a.css": {Data: []byte(`/* A comment. */ @font-face { src: url("z.woff2"); } a { background: url("other.png"); }`)},
	})
	check(t, err)
	sheet := `@font-face{src:url(` + assets.HashedNames()["z.woff2"] + `)}a{background:url(other.png)}`
	for name, want := range map[string]string{"a.js": "let a=1", "a.css": sheet, "b.min.js": script} {
		if got := plain(t, request(t, assets.Handler(assets.HashedNames()[name]), "GET")); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, err := httpx.LoadAssets(fstest.MapFS{"a.js": {Data: []byte("let a = ;")}}); err == nil {
		t.Error("a script with a syntax error is accepted")
	}
}
