package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestExportHasEachFormat(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://ann.example/","visibility":1,"lists":["Read"]}`)
	ben.link(t, `{"url":"https://ben.example/","visibility":1}`)
	reader := s.addKey(t, "ann", "reader", waymark.AccessRead, 0)
	for format, want := range map[string]struct{ extension, media, begin string }{
		"archive": {"ndjson", "application/x-ndjson", `{"format":"waymark-archive","version":1}`},
		"html":    {"html", "text/html; charset=utf-8", "<!DOCTYPE NETSCAPE-Bookmark-file-1>"},
		"csv":     {"csv", "text/csv; charset=utf-8", "\ufeffurl,title,"},
		"json":    {"json", "application/json", `{"format":"waymark-bookmarks"`},
	} {
		got := reader.get(t, "/export?format="+format).ok(t)
		name := got.header.Get("Content-Disposition")
		if got.header.Get("Content-Type") != want.media || !strings.HasSuffix(name, "."+want.extension+`"`) || !strings.HasPrefix(got.body, want.begin) {
			t.Errorf("%s: got %s, %s, %.100q, want %s, …%s and %q", format, got.header.Get("Content-Type"), name, got.body, want.media, want.extension, want.begin)
		}
		if !strings.Contains(got.body, "https://ann.example/") || strings.Contains(got.body, "ben.example") {
			t.Errorf("%s: got\n%s\nwant ann's link only", format, got.body)
		}
	}
	for _, query := range []string{"", "?format=xml"} {
		got := ann.get(t, "/export"+query)
		got.wantFieldErrors(t, "format: The format must be archive, html, csv, json, markdown or readwise.")
		if name := got.header.Get("Content-Disposition"); name != "" {
			t.Errorf("an error has the file name %s, want none", name)
		}
	}
	s.addKey(t, "ann", "adder", waymark.AccessAdd, 0).get(t, "/export?format=csv").wantStatus(t, 403)
	s.withoutKey().get(t, "/export?format=csv").wantStatus(t, 401)
}

func TestExportThatFailsInTheMiddleDoesNotLookWhole(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	description := strings.Repeat("a", 90_000)
	for i := range 25 {
		ann.link(t, fmt.Sprintf(`{"url":"https://a.example/%d","description":%q}`, i, description))
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.baseURL+"/api/v2/export?format=archive", nil)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+ann.key)
	resp, err := http.DefaultTransport.RoundTrip(r)
	check(t, err)
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := s.store.Close(); err != nil { // as a server that stops
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %d bytes and error %v, want %v", len(rest), err, io.ErrUnexpectedEOF)
	}
}
