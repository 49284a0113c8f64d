package linkace

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"html"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// docsFiles are the page that displays the OpenAPI documents and its assets: Swagger UI,
// whose large files are gzipped, and our own HTML, CSS and JavaScript.
//
//go:embed docs/index.html docs/init.js docs/docs.css docs/*.gz docs/*.txt
var docsFiles embed.FS

// docsPolicy is the Content-Security-Policy of the page. It allows files of this server
// only; the images of Swagger UI are data URLs.
const docsPolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docsRoutes returns the routes of the OpenAPI documents and of the page that displays
// them. They need no API key. The path base is the prefix of all public URLs of the server,
// or "".
func docsRoutes(base string) []route {
	document := func(version string) handler {
		text := sync.OnceValue(func() []byte { return newDocument(version, base) })
		return func(_ *API, w http.ResponseWriter, r *http.Request, _ waymark.User) error {
			serveAsset(w, r, asset{name: "openapi.json", content: text()})
			return nil
		}
	}
	return []route{
		{"GET", "/api/v1/openapi.json", accessNone, document(v1)},
		{"GET", "/api/v2/openapi.json", accessNone, document(v2)},
		{"GET", "/api/docs", accessNone, func(_ *API, w http.ResponseWriter, r *http.Request, _ waymark.User) error {
			return serveDocs(w, r, "index.html", base)
		}},
		{"GET", "/api/docs/{file}", accessNone, func(_ *API, w http.ResponseWriter, r *http.Request, _ waymark.User) error {
			return serveDocs(w, r, r.PathValue("file"), base)
		}},
	}
}

// serveDocs serves one of docsFiles.
func serveDocs(w http.ResponseWriter, r *http.Request, name, base string) error {
	a := asset{name: name}
	var err error
	if a.content, err = docsFiles.ReadFile("docs/" + name); err != nil {
		a.gzipped = true
		if a.content, err = docsFiles.ReadFile("docs/" + name + ".gz"); err != nil {
			return waymark.ErrNotFound
		}
	}
	if name == "index.html" {
		a.content = bytes.ReplaceAll(a.content, []byte(`="/`), []byte(`="`+html.EscapeString(base)+`/`))
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	serveAsset(w, r, a)
	return nil
}

// asset is a static file.
type asset struct {
	name    string
	content []byte
	gzipped bool // content is gzipped
}

// assetTypes maps extensions to media types. mime.TypeByExtension is not used, because its
// result depends on the host.
var assetTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".json": "application/json",
}

// serveAsset serves a static file. Browsers may cache it but must revalidate it, so that
// they never combine the page of one release with the script of another.
func serveAsset(w http.ResponseWriter, r *http.Request, a asset) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	if known, ok := assetTypes[path.Ext(a.name)]; ok {
		header.Set("Content-Type", known)
	}
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	tag := fmt.Sprintf("%x", sha256.Sum256(a.content))[:16]
	if a.gzipped {
		header.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			header.Set("Content-Encoding", "gzip")
			tag += "-gzip"
		} else {
			a.content = gunzip(a.content)
		}
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.content))
}

// acceptsGzip reports whether the client accepts gzip. It ignores encodings with quality
// values, which browsers do not send: such a client gets the uncompressed file.
func acceptsGzip(r *http.Request) bool {
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.EqualFold(strings.TrimSpace(encoding), "gzip") {
			return true
		}
	}
	return false
}

// gunzip decompresses one of the embedded files.
func gunzip(compressed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(fmt.Sprintf("embedded file: %v", err))
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("embedded file: %v", err))
	}
	return plain
}
