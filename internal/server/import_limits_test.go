package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestImportsOfTheServerKeepTheSettings(t *testing.T) {
	s := settings(t)
	s.Import.Text = 100
	ready, stop := start(t, s)
	key := newKey(t, s)
	send := func(method, path, body string) string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, ready.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: got %s %s, %v", method, path, response.Status, text, err)
		}
		return string(text)
	}
	imported := func(file string) string {
		t.Helper()
		send(http.MethodPost, "/api/v2/imports", file)
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
			if got := send(http.MethodGet, "/api/v2/imports", ""); !strings.Contains(got, `"running"`) {
				return send(http.MethodGet, "/api/v2/imports/"+strings.TrimPrefix(strings.SplitN(got, ",", 2)[0], `[{"id":`), "")
			}
		}
		t.Fatal("the import has not ended")
		return ""
	}
	if got, want := imported("https://b.example/"+strings.Repeat("a", 100)+"\nhttps://c.example/"), "the line is longer than 100 bytes"; !strings.Contains(got, want) {
		t.Errorf("got %s, want a report that says %q", got, want)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
