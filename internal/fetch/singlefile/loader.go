package singlefile

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"waymark/internal/fetch"
	"waymark/internal/fetch/page"
)

// loader downloads the resources of one page, each URL once, in the order in which start was called.
type loader struct {
	ctx     context.Context // ends after Options.Time
	client  *fetch.Client
	options Options
	queue   chan *loading // its buffer has space for all resources
	running sync.WaitGroup

	mu        sync.Mutex
	resources map[string]*loading // by URL
	bytes     int64               // downloaded so far
	refused   map[string]bool     // hosts that have responded with status 429 or 503
}

// newLoader returns a loader. The caller must call stop.
func newLoader(ctx context.Context, client *fetch.Client, options Options) *loader {
	l := &loader{
		ctx: ctx, client: client, options: options, queue: make(chan *loading, options.Resources),
		resources: map[string]*loading{}, refused: map[string]bool{},
	}
	for range pageConnections {
		l.running.Go(func() {
			for r := range l.queue {
				r.resource = l.load(r.key, r.host)
				close(r.done)
			}
		})
	}
	return l
}

// stop waits for the downloads. The caller must not call start after it.
func (l *loader) stop() {
	close(l.queue)
	l.running.Wait()
}

// loading is a resource that is being downloaded.
type loading struct {
	key, host string // the URL without its fragment, and the host of the URL
	done      chan struct{}
	resource
}

// resource is a style sheet, an image or a font.
type resource struct {
	data        []byte   // nil if it could not be downloaded
	contentType string   // of the header of its response
	url         *url.URL // after redirects; empty for a data URL
}

// start starts a download, unless it was started. Of too many resources, it returns an empty one.
func (l *loader) start(u *url.URL) *loading {
	key := withoutFragment(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.resources[key]; ok {
		return r
	}
	r := &loading{key: key, host: u.Host, done: make(chan struct{})}
	if len(l.resources) >= l.options.Resources {
		close(r.done)
		return r
	}
	l.resources[key] = r
	l.queue <- r
	return r
}

// load downloads a resource. It returns an empty one if that is not possible or not allowed.
func (l *loader) load(rawURL, host string) resource {
	l.mu.Lock()
	enough := l.bytes >= l.options.Bytes || l.refused[host]
	l.mu.Unlock()
	if enough || l.ctx.Err() != nil {
		return resource{}
	}
	response, err := l.client.Get(l.ctx, rawURL)
	if err != nil {
		return resource{}
	}
	defer response.Body.Close()
	if response.Status != http.StatusOK {
		if response.Status == http.StatusTooManyRequests || response.Status == http.StatusServiceUnavailable {
			l.mu.Lock()
			l.refused[host] = true
			l.mu.Unlock()
		}
		return resource{}
	}
	data, err := io.ReadAll(response.Body)
	l.mu.Lock()
	l.bytes += int64(len(data))
	l.mu.Unlock()
	if err != nil || int64(len(data)) > l.options.ResourceBytes {
		return resource{}
	}
	return resource{data, response.Header.Get("Content-Type"), response.URL}
}

// wait waits for the end of the download, and returns the resource.
func (r *loading) wait() resource {
	<-r.done
	return r.resource
}

// withoutFragment returns a URL without its fragment.
func withoutFragment(u *url.URL) string {
	v := *u
	v.Fragment, v.RawFragment = "", ""
	return v.String()
}

// parseDataURL returns the content of a data URL. It reports whether the URL is valid.
func parseDataURL(rawURL string) (resource, bool) {
	rest, ok := cutPrefixFold(rawURL, "data:")
	if !ok {
		return resource{}, false
	}
	kind, data, ok := strings.Cut(rest, ",")
	if !ok {
		return resource{}, false
	}
	if i := strings.IndexByte(data, '#'); i >= 0 {
		data = data[:i]
	}
	text := percentDecode(data)
	kind, encoded := strings.CutSuffix(strings.TrimSpace(kind), ";base64")
	if !encoded {
		return resource{data: []byte(text), contentType: kind, url: &url.URL{}}, true
	}
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	content, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return resource{}, false
	}
	return resource{data: content, contentType: kind, url: &url.URL{}}, true
}

// percentDecode replaces the percent-encoded bytes of a text. As in browsers, a % without two
// hexadecimal digits stays as it is: https://url.spec.whatwg.org/#percent-decode
func percentDecode(text string) string {
	decoded := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if b, err := hex.DecodeString(text[i+1 : i+3]); err == nil {
				decoded = append(decoded, b[0])
				i += 2
				continue
			}
		}
		decoded = append(decoded, text[i])
	}
	return string(decoded)
}

// cutPrefixFold is strings.CutPrefix without regard to case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// dataURL returns a data URL with the media type kind.
func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// imageType returns the media type of an image that browsers show, "" for other resources.
func (r resource) imageType() string {
	switch kind := http.DetectContentType(r.data); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon":
		return kind
	}
	if len(r.data) > 12 && (string(r.data[4:12]) == "ftypavif" || string(r.data[4:12]) == "ftypavis") {
		return "image/avif"
	}
	const sniffed = 4 << 10
	kind, _, _ := mime.ParseMediaType(r.contentType)
	if start := bytes.ToLower(r.data[:min(len(r.data), sniffed)]); bytes.Contains(start, []byte("<svg")) && (kind == "image/svg+xml" || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))) {
		return "image/svg+xml"
	}
	return ""
}

// fontType returns the media type of a font, "" for other resources.
func (r resource) fontType() string {
	for _, f := range []struct{ start, kind string }{
		{"wOF2", "font/woff2"}, {"wOFF", "font/woff"}, {"OTTO", "font/otf"}, {"\x00\x01\x00\x00", "font/ttf"}, {"true", "font/ttf"}, {"ttcf", "font/collection"},
	} {
		if bytes.HasPrefix(r.data, []byte(f.start)) {
			return f.kind
		}
	}
	return ""
}

// sheet returns the resource as CSS in UTF-8. It reports whether the resource is a style sheet.
func (r resource) sheet() (string, bool) {
	kind, _, _ := mime.ParseMediaType(r.contentType)
	if r.data == nil || kind != "text/css" && kind != "" && kind != "text/plain" {
		return "", false
	}
	contentType := r.contentType
	if name := sheetCharset(r.data); name != "" && !strings.Contains(strings.ToLower(contentType), "charset") {
		contentType = "text/css; charset=" + name
	}
	text, err := io.ReadAll(page.UTF8(bytes.NewReader(r.data), contentType))
	return strings.TrimPrefix(string(text), "\ufeff"), err == nil
}

// sheetCharset returns the character set that a style sheet declares, "" for none.
func sheetCharset(data []byte) string {
	rest, ok := bytes.CutPrefix(data, []byte(`@charset "`))
	if !ok {
		return ""
	}
	name, _, ok := bytes.Cut(rest, []byte(`";`))
	if !ok || len(name) > 40 || strings.Trim(string(name), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:") != "" {
		return ""
	}
	return string(name)
}
