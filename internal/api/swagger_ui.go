package api

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// openapi has the OpenAPI documents of both versions. They are made from openapi.yaml.
//
//go:generate go test -run TestOpenAPIDocumentsAreUpToDate . -update
//go:embed openapi.v1.json openapi.v2.json
var openapi embed.FS

// newDocument returns the OpenAPI document of one version as JSON. The path base is the
// prefix of all public URLs of the server, or "".
func newDocument(version, base string) []byte {
	document, err := openapi.ReadFile("openapi." + version + ".json")
	if err != nil {
		panic(fmt.Sprintf("embedded files: %v", err))
	}
	server := func(base string) []byte { return []byte(`"servers":[{"url":"` + base + "/api/" + version + `"`) }
	return bytes.Replace(document, server(""), server(base), 1)
}

// docsFiles are the assets of the page that displays the OpenAPI documents: Swagger UI,
// whose large files are gzipped, and our own CSS and JavaScript.
//
//go:embed docs/init.js docs/docs.css docs/*.gz docs/*.txt
var docsFiles embed.FS

// docsPage is the page itself.
//
//go:embed docs/index.html
var docsPage string

// docsPolicy is the Content-Security-Policy of the page. It allows files of this server
// only; the images of Swagger UI are data URLs.
const docsPolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docs are the page that displays the OpenAPI documents, and its assets.
type docs struct {
	page   *httpx.Asset
	assets *httpx.Assets
}

// newDocs unpacks the assets, and refers to them in the page by the names with their
// hashes. It panics if a file is damaged, which the tests detect.
func newDocs(base string) docs {
	files, err := fs.Sub(docsFiles, "docs")
	if err != nil {
		panic(err)
	}
	assets, err := httpx.LoadAssets(files)
	if err != nil {
		panic(fmt.Sprintf("embedded files: %v", err))
	}
	base = html.EscapeString(base)
	var replace []string
	for name, hashed := range assets.HashedNames() {
		replace = append(replace, `="/api/docs/`+name+`"`, `="`+base+`/api/docs/`+hashed+`"`)
	}
	replace = append(replace, `="/`, `="`+base+`/`)
	page := strings.NewReplacer(replace...).Replace(docsPage)
	return docs{page: httpx.NewAsset("index.html", []byte(page)), assets: assets}
}

// docsRoutes returns the routes of the OpenAPI documents and of the page that displays them. They
// need no API key. The path base is the prefix of all public URLs of the server, or "". Their
// responses are prepared once, on the first request.
func docsRoutes(base string) []route {
	document := func(version string) handler {
		text := sync.OnceValue(func() *httpx.Asset { return httpx.NewAsset("openapi.json", newDocument(version, base)) })
		return func(_ *API, w http.ResponseWriter, r *http.Request, _ waymark.User) error {
			text().ServeHTTP(w, r)
			return nil
		}
	}
	once := sync.OnceValue(func() docs { return newDocs(base) })
	return []route{
		rest.On("GET /api/v1/openapi.json", rest.Open, document(v1)),
		rest.On("GET /api/v2/openapi.json", rest.Open, document(v2)),
		rest.On("GET /api/docs", rest.Open, func(_ *API, w http.ResponseWriter, r *http.Request, _ waymark.User) error {
			return once().serve(w, r, "index.html")
		}),
		rest.On("GET /api/docs/{file}", rest.Open, func(_ *API, w http.ResponseWriter, r *http.Request, _ waymark.User) error {
			return once().serve(w, r, r.PathValue("file"))
		}),
	}
}

// serve sends the page or one of its assets.
func (d docs) serve(w http.ResponseWriter, r *http.Request, name string) error {
	var file http.Handler = d.page
	if name != "index.html" {
		file = d.assets.Handler(name)
	}
	if file == nil {
		return waymark.ErrNotFound
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	file.ServeHTTP(w, r)
	return nil
}
