package api

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// savedPage is a page as SingleFile saves it.
func savedPage(title, words string) string {
	image := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("p", 20_000)))
	return `<!DOCTYPE html> <html lang=en><!--
 Page saved with SingleFile 
 url: https://news.example/1 
--><head><meta charset=utf-8><title>` + title + `</title>
<meta name=description content="About ` + title + `"><style>.a{background:url(data:image/png;base64,` + image + `)}</style>
<script>steal()</script></head><body onload="steal()"><article><h1>` + title + `</h1><p>` + strings.Repeat(words+" is what this article is about, for several sentences. ", 20) + `</p>
<img alt=x src="data:image/png;base64,` + image + `" onerror="steal()"></article><iframe src="https://spy.example/"></iframe></body></html>`
}

// multipartBody returns a form with the file first, as SingleFile sends it.
func multipartBody(t testing.TB, url, contentType string, file []byte) (string, []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="page.html"`}, "Content-Type": {contentType}})
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil && url != "" {
		err = w.WriteField("url", url)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// send sends a body without checking it against the OpenAPI document, which says nothing of forms.
func (p *testClient) send(t testing.TB, path, contentType string, body io.Reader, headers ...string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.baseURL+"/api/"+p.version+path, body)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Content-Type", contentType)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	check(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	check(t, err)
	return response{"POST " + path, resp.StatusCode, resp.Header, string(text)}
}

// savePage saves a page as the full snapshot of a URL.
func (p *testClient) savePage(t testing.TB, url, file string) response {
	t.Helper()
	contentType, body := multipartBody(t, url, "text/html", []byte(file))
	return p.send(t, "/links/full-snapshot", contentType, bytes.NewReader(body))
}

func gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zipped returns a page as SingleFile compresses it to a page that unpacks itself.
func zipped(t testing.TB, page string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><title>Please wait</title><script>steal()</script><!--")
	w := zip.NewWriter(&b)
	index, err := w.Create("index.html")
	check(t, err)
	if _, err := index.Write([]byte(page)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String() + "--></html>"
}

func TestAPageIsSavedAsTheBrowserHasIt(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	const url = "https://news.example/1?q=a"
	ben.post(t, "/links", `{"url":"`+url+`"}`).ok(t)
	ann.savePage(t, " "+url, savedPage("Bread", "Sourdough")).ok(t).wantValue(t, "id url title description", `[2,"`+url+`","Bread","About Bread"]`)
	wantPage := func(words string) {
		t.Helper()
		if file, err := storetest.FullHTML(t, s.store, 1, 2); err != nil || file != savedPage("Bread", words) {
			t.Errorf("got the page %.2000q, error %v, want what was sent", file, err)
		}
		ann.get(t, "/links/2/snapshot?format=text").wantValue(t, "url title", `["`+url+`","Bread"]`)
		if text := ann.get(t, "/links/2/snapshot?format=text").body; !strings.Contains(text, words) {
			t.Errorf("got the text %.200q, want %s", text, words)
		}
		ann.get(t, "/search/links?search_content=1&query="+words).wantValue(t, "data.*.id", `[2]`)
	}
	wantPage("Sourdough")
	ann.patch(t, "/links/2", `{"url":"`+url+`","title":"My title"}`).ok(t)
	ann.savePage(t, url, string(gzipped(t, []byte(savedPage("Bread", "Baguette"))))).ok(t).wantValue(t, "id title", `[2,"My title"]`)
	wantPage("Baguette")
	ann.get(t, "/search/links?search_content=1&query=Sourdough").wantValue(t, "data.*.id", `[]`)
	contentType, body := multipartBody(t, url, "text/html", []byte(savedPage("Bread", "Brioche")))
	ann.send(t, "/links/full-snapshot", contentType, bytes.NewReader(gzipped(t, body)), "Content-Encoding: gzip").ok(t)
	wantPage("Brioche")
}

// Its bytes are stored, and its character set is known to the browser that shows it.
func TestAPageInAnotherCharacterSetIsSavedAsItIs(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	file := "<!DOCTYPE html><html><head><meta charset=iso-8859-1><title>Br\xf6tchen</title></head><body><p>Br\xf6tchen \xff\x00"
	ann.savePage(t, "https://news.example/1", file).ok(t).wantValue(t, "title", `"Br`+"\u00f6"+`tchen"`)
	stored, err := storetest.FullHTML(t, s.store, 1, 1)
	check(t, err)
	all, err := s.store.Snapshots.Attachments(t.Context(), 1, 1)
	if err != nil || stored != file || len(all) != 1 || all[0].ContentType != "text/html; charset=windows-1252" { // which ISO-8859-1 means in HTML
		t.Errorf("got %q, %v, error %v, want what was sent, in its character set", stored, all, err)
	}
}

// watchMemory watches the heap until stop is called. peak is its largest size after that.
func watchMemory() (before uint64, peak *uint64, stop func()) {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	before, peak = now.HeapInuse, new(uint64)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			runtime.ReadMemStats(&now)
			*peak = max(*peak, now.HeapInuse)
			select {
			case <-end:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return before, peak, func() {
		close(end)
		<-ended
	}
}

func TestAPageThatCannotBeSavedIsRefused(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	const url = "https://news.example/1"
	ann.savePage(t, "", savedPage("Bread", "a")).wantFieldErrors(t, "url: The url field is required.")
	ann.send(t, "/links/full-snapshot", "multipart/form-data; boundary=a", strings.NewReader("--a--\r\n")).
		wantFieldErrors(t, "file: The file field is required.", "url: The url field is required.")
	ann.send(t, "/links/full-snapshot", "application/json", strings.NewReader(`{"url":"a"}`)).
		wantError(t, 400, "The body must be a form of the type multipart/form-data.")
	for _, file := range []string{"\x89PNG\r\n\x1a\n", "", "\x1f\x8bnot gzip", string(gzipped(t, []byte("<html>"))[:20])} {
		ann.savePage(t, url, file).wantFieldErrors(t, "file: The file must be an HTML page.")
	}
	for _, file := range []string{"PK\x03\x04", zipped(t, savedPage("Bread", "a")), string(gzipped(t, []byte(zipped(t, savedPage("Bread", "a")))))} {
		ann.savePage(t, url, file).wantFieldErrors(t, "file: The file is a page in a ZIP file. Choose the file format HTML in the options of SingleFile.")
	}
	contentType, body := multipartBody(t, url, "text/html", []byte(savedPage("Bread", "a")))
	ann.send(t, "/links/full-snapshot", contentType, bytes.NewReader(body[:len(body)/2])).wantError(t, 400, "The body could not be read to its end.")
	ann.savePage(t, "not a URL", savedPage("Bread", "a")).wantStatus(t, 422)
	ann.get(t, "/links").wantValue(t, "total", `0`)
	if left := s.openFiles(t); left != 0 {
		t.Errorf("%d uploads were not released", left)
	}
}

func TestSizeOfASavedPageIsLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends 200 MB")
	}
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	const url = "https://news.example/1"
	contentType, body := multipartBody(t, url, "text/html", []byte(savedPage("Bread", "a")))
	large := io.MultiReader(bytes.NewReader(body[:1000]), io.LimitReader(zeros{}, 101<<20))
	ann.send(t, "/links/full-snapshot", contentType, large).wantError(t, 413, "The body must not be larger than 104857600 bytes.")
	image := `<!DOCTYPE html><img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00")) + strings.Repeat("A", waymark.MaxUpload)
	ann.savePage(t, url, string(gzipped(t, []byte(image)))).wantError(t, 413, "The body must not be larger than 104857600 bytes.")
	if left := s.openFiles(t); left != 0 {
		t.Errorf("%d uploads were not released", left)
	}
}

// openFiles returns the number of files that could not be received although nothing is being received.
func (s *testServer) openFiles(t *testing.T) (left int) {
	t.Helper()
	ann := s.addKey(t, "ann", "again", waymark.AccessFull, 0)
	for range 10 { // more than a server receives at the same time
		if ann.savePage(t, "https://news.example/left", "\x89PNG\r\n\x1a\n").status != http.StatusUnprocessableEntity {
			left++
		}
	}
	return left
}

// zeros reads as zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestAKeyThatMayAddSavesOnlyPagesOfNewLinks(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	adds, reads := s.addKey(t, "ann", "adds", waymark.AccessAdd, 0), s.addKey(t, "ann", "reads", waymark.AccessRead, 0)
	const url = "https://news.example/1"
	reads.savePage(t, url, savedPage("Bread", "a")).wantStatus(t, 403)
	adds.savePage(t, url, savedPage("Bread", "Sourdough")).ok(t)
	adds.savePage(t, url, savedPage("Bread", "Baguette")).wantStatus(t, 403)
	ann.get(t, "/search/links?search_content=1&query=Sourdough").wantValue(t, "data.*.id", `[1]`)
	ann.delete(t, "/links/1", "").ok(t)
	adds.savePage(t, url, savedPage("Bread", "Baguette")).ok(t).wantValue(t, "id", `2`)
}

func TestTwoUploadsOfOneURLMakeOneLink(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		const url = "https://news.example/1"
		var running sync.WaitGroup
		for i := range 4 {
			running.Go(func() {
				if got := ann.savePage(t, url, savedPage("Bread", fmt.Sprint("version", i))); got.status != http.StatusOK {
					t.Errorf("got %d %s", got.status, got.body)
				}
			})
		}
		running.Wait()
		ann.get(t, "/links").wantValue(t, "total", `1`)
		if all, err := s.store.Snapshots.Attachments(t.Context(), 1, 1); err != nil || len(all) != 1 {
			t.Errorf("got attachments %v, error %v, want one", all, err)
		}
	})
}

// TestALargePageNeedsLittleMemory saves a page of 60 MB, as SingleFile makes it of a page with many photos.
func TestALargePageNeedsLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	photo := make([]byte, 3<<20)
	for i := range photo {
		photo[i] = byte(rand.Uint32())
	}
	copy(photo, "\xff\xd8\xff\xe0")
	element := []byte(`<img alt=x src="data:image/jpeg;base64,` + base64.StdEncoding.EncodeToString(photo) + `">`)
	pieces := []io.Reader{strings.NewReader("--a\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.html\"\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><title>Photos</title>")}
	for range 15 {
		pieces = append(pieces, bytes.NewReader(element))
	}
	pieces = append(pieces, strings.NewReader("\r\n--a\r\nContent-Disposition: form-data; name=\"url\"\r\n\r\nhttps://photos.example/\r\n--a--\r\n"))
	before, peak, stop := watchMemory()
	ann.send(t, "/links/full-snapshot", "multipart/form-data; boundary=a", io.MultiReader(pieces...)).ok(t).wantValue(t, "title", `"Photos"`)
	var size counter
	found, err := s.store.Snapshots.Full(t.Context(), 1, 1)
	if err == nil {
		err = s.store.Snapshots.CopyFull(t.Context(), 1, found, &size)
	}
	stop()
	if err != nil || size < 60<<20 || int64(size) != found.Size {
		t.Errorf("got a page of %d bytes (error %v), want more than 60 MB", size, err)
	}
	t.Logf("a page of %d bytes took %d MB", size, (*peak-before)>>20)
	if taken := *peak - before; taken > 150<<20 { // parsing the whole page would take ten times its size
		t.Errorf("a page of %d bytes took %d bytes of memory, want less than 150 MB", size, taken)
	}
}

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
