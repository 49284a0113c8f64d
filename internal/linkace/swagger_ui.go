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

// docsFiles are the page that shows the documents to people, and what it needs:
// Swagger UI, whose large files are kept gzipped, and a few lines of our own.
//
//go:embed docs/index.html docs/init.js docs/docs.css docs/*.gz docs/*.txt
var docsFiles embed.FS

// docsPolicy lets the page load what this server has and nothing else. Swagger UI
// carries its few pictures as data.
const docsPolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docsRoutes are the documents and the page that shows them, for a server that
// people reach below the path base, mostly "". Nobody needs a key for them.
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

// serveDocs answers with one of docsFiles.
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

// asset is a file that is the same for everyone until the next release.
type asset struct {
	name    string
	content []byte
	gzipped bool // whether content is
}

// assetTypes has the types by their extensions, since what the machine's own
// table says differs from machine to machine.
var assetTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".json": "application/json",
}

// serveAsset answers with a. Browsers may keep it, but ask whether it is still
// the same, so that nobody sees the page of one release with the script of another.
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

// acceptsGzip tells whether the client can unpack gzip. Browsers say so plainly;
// a client that gives weights to encodings gets the plain text, which is never wrong.
func acceptsGzip(r *http.Request) bool {
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.EqualFold(strings.TrimSpace(encoding), "gzip") {
			return true
		}
	}
	return false
}

// gunzip unpacks one of the embedded files.
func gunzip(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(fmt.Sprintf("embedded file: %v", err))
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("embedded file: %v", err))
	}
	return plain
}
