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
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"waymark/internal/fetch"
	"waymark/internal/fetch/page"
)

// loader downloads the resources of one page, each URL once, in the order in which start was called.
type loader struct {
	ctx     context.Context // ends after Options.Time
	client  *fetch.Client
	options Options
	running errgroup.Group // of pageConnections

	resources map[string]*download // by URL without fragment

	mu      sync.Mutex
	bytes   int64           // downloaded so far
	refused map[string]bool // hosts that have responded with status 429 or 503
}

// newLoader returns a loader. The caller must call stop.
func newLoader(ctx context.Context, client *fetch.Client, options Options) *loader {
	l := &loader{
		ctx: ctx, client: client, options: options,
		resources: map[string]*download{}, refused: map[string]bool{},
	}
	l.running.SetLimit(pageConnections)
	return l
}

// stop waits for the downloads. The caller must not call start after it.
func (l *loader) stop() { l.running.Wait() } //nolint:errcheck // there are no errors

// download is a resource that is being downloaded.
type download struct {
	done chan struct{}
	resource
}

// resource is a style sheet, an image or a font.
type resource struct {
	data        []byte   // nil if it could not be downloaded
	contentType string   // of the header of its response
	url         *url.URL // after redirects; empty for a data URL
}

// start starts a download, unless it was started, as soon as fewer than pageConnections run. Of too many resources,
// it returns an empty one. Only one goroutine calls it.
func (l *loader) start(u *url.URL) *download {
	key := withoutFragment(u)
	if r, ok := l.resources[key]; ok {
		return r
	}
	r := &download{done: make(chan struct{})}
	if len(l.resources) >= l.options.Resources {
		close(r.done)
		return r
	}
	l.resources[key] = r
	l.running.Go(func() error {
		defer close(r.done)
		r.resource = l.load(key, u.Host)
		return nil
	})
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
func (r *download) wait() resource {
	<-r.done
	return r.resource
}

// withoutFragment returns a URL without its fragment.
func withoutFragment(u *url.URL) string {
	v := *u
	v.Fragment, v.RawFragment = "", ""
	return v.String()
}

// percentEncoded is a byte that is percent-encoded. As in browsers, a % without two hexadecimal digits stays as it
// is: https://url.spec.whatwg.org/#percent-decode
var percentEncoded = regexp.MustCompile("%[0-9a-fA-F]{2}")

// dataOf returns the content of a data URL without its scheme. It is empty if the URL is invalid.
func dataOf(rest string) resource {
	kind, data, ok := strings.Cut(rest, ",")
	if !ok {
		return resource{}
	}
	data, _, _ = strings.Cut(data, "#")
	data = percentEncoded.ReplaceAllStringFunc(data, func(encoded string) string {
		decoded, _ := hex.DecodeString(encoded[1:]) // two digits
		return string(decoded)
	})
	kind, encoded := strings.CutSuffix(strings.TrimSpace(kind), ";base64")
	content := []byte(data)
	if encoded {
		var err error
		if content, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Join(strings.Fields(data), ""), "=")); err != nil {
			return resource{}
		}
	}
	return resource{data: content, contentType: kind, url: &url.URL{}}
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

// resourceTypes are the media types of images and fonts that contain no URLs.
var resourceTypes = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon", "image/avif",
	"font/woff2", "font/woff", "font/otf", "font/ttf", "font/collection",
}

// mediaType returns the media type of an image or a font that browsers show, "" for other resources.
func (r resource) mediaType() string {
	if kind := http.DetectContentType(r.data); slices.Contains(resourceTypes, kind) {
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

// sheet returns the resource as CSS in UTF-8. It reports whether the resource is a style sheet.
func (r resource) sheet() (string, bool) {
	kind, _, _ := mime.ParseMediaType(r.contentType)
	if r.data == nil || kind != "text/css" && kind != "" && kind != "text/plain" {
		return "", false
	}
	text, err := io.ReadAll(page.UTF8(bytes.NewReader(r.data), r.contentType))
	return strings.TrimPrefix(string(text), "\ufeff"), err == nil
}
