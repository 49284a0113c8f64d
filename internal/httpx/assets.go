package httpx

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// Asset is a file in memory, with its hash and its compressed form.
type Asset struct {
	contentType string
	hash        string
	etag        string // weak, because both forms have the same one
	plain       []byte
	gzipped     []byte // nil if compression does not make the file smaller
}

// hashLength is the number of hexadecimal digits of an asset's hash in names and ETags.
const hashLength = 16

// NewAsset returns a file with this name, whose extension determines the media type.
func NewAsset(name string, body []byte) *Asset {
	compressed := gzipBest(body)
	if len(compressed) >= len(body) {
		compressed = nil
	}
	return newAsset(name, body, compressed)
}

func gzipBest(body []byte) []byte {
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	w.Write(body) //nolint:errcheck // a buffer returns no errors
	w.Close()     //nolint:errcheck // as above
	return compressed.Bytes()
}

// newAsset returns a file from both of its forms. gzipped may be nil.
func newAsset(name string, plain, gzipped []byte) *Asset {
	sum := sha256.Sum256(plain)
	hash := hex.EncodeToString(sum[:])[:hashLength]
	return &Asset{contentType: contentTypeOf(name), hash: hash, etag: `W/"` + hash + `"`, plain: plain, gzipped: gzipped}
}

// contentTypes maps extensions to media types, on every host alike.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
}

func contentTypeOf(name string) string {
	if known, ok := contentTypes[path.Ext(name)]; ok {
		return known
	}
	return "text/plain; charset=utf-8"
}

// ServeHTTP sends the file, gzipped if the client accepts that. Browsers revalidate it.
func (a *Asset) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.serve(w, r, "no-cache") }

// serve sends the file, or a range of its plain form.
func (a *Asset) serve(w http.ResponseWriter, r *http.Request, cacheControl string) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", cacheControl)
	body := a.plain
	if a.gzipped != nil {
		AddVary(h, "Accept-Encoding")
		if acceptsGzip(r) && r.Header.Get("Range") == "" {
			body = a.gzipped
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.Itoa(len(body)))
		}
	}
	h["Etag"] = []string{a.etag}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// Assets are the files of one folder. Each has two names: its own, and one with the hash
// of its content, such as init-0123456789abcdef.js, which browsers may cache forever.
type Assets struct {
	byName map[string]*Asset
	hashed map[string]string // the hashed name by the name
	byHash map[string]*Asset // by the hashed name
}

// LoadAssets reads all files of the top folder of files. A file whose name ends in .gz is already
// compressed: LoadAssets unpacks it once, and its name is without .gz. Other scripts and style
// sheets are minified, except those whose names end in .min.js or .min.css. In a style sheet,
// url("NAME") gets the hashed name of the file NAME.
func LoadAssets(files fs.FS) (*Assets, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	a := &Assets{byName: map[string]*Asset{}, hashed: map[string]string{}, byHash: map[string]*Asset{}}
	sheets := map[string][]byte{}
	for _, entry := range entries {
		name := entry.Name()
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if path.Ext(name) == ".css" {
			sheets[name] = body // needs the hashes of the other files
		} else if plainName, ok := strings.CutSuffix(name, ".gz"); ok {
			plain, err := gunzip(body)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			a.add(plainName, newAsset(plainName, plain, body))
		} else {
			if body, err = minified(name, body); err != nil {
				return nil, err
			}
			a.add(name, NewAsset(name, body))
		}
	}
	var renames []string
	for name, hashed := range a.hashed {
		renames = append(renames, `url("`+name+`")`, `url("`+hashed+`")`)
	}
	replacer := strings.NewReplacer(renames...)
	for name, body := range sheets {
		if body, err = minified(name, []byte(replacer.Replace(string(body)))); err != nil {
			return nil, err
		}
		a.add(name, NewAsset(name, body))
	}
	return a, nil
}

// minified returns a script or a style sheet without comments and spaces, and other files unchanged.
func minified(name string, body []byte) ([]byte, error) {
	extension := path.Ext(name)
	if strings.HasSuffix(name, ".min"+extension) {
		return body, nil
	}
	var out bytes.Buffer
	var err error
	switch extension {
	case ".css":
		err = css.Minify(minify.New(), &out, bytes.NewReader(body), nil)
	case ".js":
		err = js.Minify(minify.New(), &out, bytes.NewReader(body), nil)
	default:
		return body, nil
	}
	if err != nil {
		return nil, fmt.Errorf("minify %s: %w", name, err)
	}
	return out.Bytes(), nil
}

func (a *Assets) add(name string, asset *Asset) {
	extension := path.Ext(name)
	hashed := strings.TrimSuffix(name, extension) + "-" + asset.hash + extension
	a.byName[name], a.hashed[name], a.byHash[hashed] = asset, hashed, asset
}

// HashedNames returns the name with the hash by the name of each file. It must not be modified.
func (a *Assets) HashedNames() map[string]string { return a.hashed }

// Handler returns the handler of the file with that name, with or without the hash, or nil if there
// is no such file. The response to the hashed name is immutable; a page that refers to its files by
// these names never combines files of two releases.
func (a *Assets) Handler(name string) http.Handler {
	if asset, ok := a.byHash[name]; ok {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asset.serve(w, r, "public, max-age=31536000, immutable")
		})
	}
	if asset, ok := a.byName[name]; ok {
		return asset
	}
	return nil
}

func gunzip(compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
