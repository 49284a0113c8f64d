package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestResponsesAreCompressedAndTagged(t *testing.T) {
	for _, compression := range []bool{true, false} {
		s := settings(t)
		s.HTTP.Compression = compression
		ready, stop := start(t, s)
		key := newKey(t, s)
		send := func(method, path, body string, header ...string) *http.Response {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), method, ready.URL+"/api/v2"+path, strings.NewReader(body))
			check(t, err)
			r.Header.Set("Authorization", "Bearer "+key)
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			response, err := http.DefaultClient.Do(r)
			check(t, err)
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			return response
		}
		for i := range 5 {
			send(http.MethodPost, "/links", fmt.Sprintf(`{"url":"https://go.dev/%d"}`, i))
		}
		page := send(http.MethodGet, "/links", "", "Accept-Encoding", "gzip")
		if got := page.Header.Get("Content-Encoding") == "gzip"; got != compression {
			t.Errorf("got a compressed page: %t, want %t", got, compression)
		}
		again := send(http.MethodGet, "/links", "", "If-None-Match", page.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified || again.Header.Get("Cache-Control") != "no-cache, private" {
			t.Errorf("got %s with %v for an unchanged page, want 304", again.Status, again.Header)
		}
		send(http.MethodPost, "/links", `{"url":"https://go.dev/"}`)
		if changed := send(http.MethodGet, "/links", "", "If-None-Match", page.Header.Get("ETag")); changed.StatusCode != http.StatusOK {
			t.Errorf("got %s for a changed page, want 200", changed.Status)
		}
		http.DefaultClient.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}
