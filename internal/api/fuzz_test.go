package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// oddBodies are the seeds for fuzzing bodies.
var oddBodies = []string{
	`{"url":"https://go.dev/","title":"Go","description":null,"lists":"a,b","tags":[1,"x",{"id":2},{"name":"y"}],"visibility":2,"is_private":false,"check_disabled":"1","status":3}`,
	`{"name":" a,b ","description":5,"visibility":"3"}`, `{"link_id":"7","note":"n"}`, `{"model":"links","id":1.5}`, `{"models":[1,"2",null]}`, `{"models":[{"url":""},7]}`,
	`{"type":"tags","models":{}}`, `{"tags":[],"tags_mode":"append","lists":null,"lists_mode":"replace"}`,
	``, `{}`, ` {} `, `[]`, `null`, `7`, `"a"`, `{"a":1}{}`, `{"a":`, "{\"a\":\"\xff\"}", `{"a":"\ud800","a":"\u0000"}`, `{"visibility":18446744073709551617}`, `{"url":{"url":[]}}`,
	strings.Repeat(`{"a":[`, 40) + strings.Repeat(`]}`, 40), strings.Repeat("[", 1000), `{"is_private":"\u0031","status":"\u0032"}`, `{"a":"[[[[{{{{\\\"["}`,
}

func FuzzBody(f *testing.F) {
	for _, body := range oddBodies {
		f.Add([]byte(body))
	}
	limits := config.Default().API
	f.Fuzz(func(t *testing.T, body []byte) {
		fields, err := parseObject(body)
		var compact bytes.Buffer
		isObject := json.Compact(&compact, body) == nil && (strings.HasPrefix(compact.String(), "{") || compact.String() == "[]" || compact.String() == "null")
		if want := utf8.Valid(body) && isObject; want != (err == nil) {
			t.Fatalf("got error %v, want one: %v", err, !want)
		}
		if err != nil {
			var p statusError
			if !errors.As(err, &p) || p.status != http.StatusBadRequest || !utf8.ValidString(p.message) {
				t.Fatalf("got error %#v, want a 400 in UTF-8", err)
			}
			return
		}
		parsed := &jsonBody{fields: fields, limits: &limits}
		decodeAll(t, parsed)
		for model := range parsed.models() {
			decodeAll(t, model)
		}
	})
}

// decodeAll decodes a body as every kind of input and checks the results.
func decodeAll(t *testing.T, b *jsonBody) {
	t.Helper()
	owner := waymark.User{ID: 1, DefaultVisibility: waymark.DefaultsTo(waymark.Private)}
	if link, err := waymark.NewLink(owner, b.linkInput()); err == nil {
		fine := link.URL != "" && link.Title != "" && link.Visibility.Valid() && link.Status.Valid()
		for text, most := range map[string]int{link.URL: waymark.MaxURL, link.Title: waymark.MaxTitle, link.Description: waymark.MaxDescription} {
			fine = fine && utf8.ValidString(text) && strings.TrimSpace(text) == text && utf8.RuneCountInString(text) <= most && !strings.Contains(text, "\x00")
		}
		if !fine {
			t.Fatalf("got link %+v", link)
		}
	}
	b.errors = nil
	if list, err := waymark.NewList(owner, b.listInput()); err == nil && (list.Name == "" || strings.Contains(list.Name, ",")) {
		t.Fatalf("got list %+v", list)
	}
	if tag, err := waymark.NewTag(owner, b.tagInput()); err == nil && tag.Name == "" {
		t.Fatalf("got tag %+v", tag)
	}
	if note, err := waymark.NewNote(owner, 1, b.noteInput()); err == nil && note.Text == "" {
		t.Fatalf("got note %+v", note)
	}
	b.errors = nil
	ids := b.ids()
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			t.Fatalf("got id %d twice", id)
		}
	}
	if len(ids) == 0 && len(b.errors) == 0 {
		t.Fatal("got no ids and no error")
	}
	b.visibilityEdit()
	b.linkEdit()
	b.id("id")
	b.enum("model", "links")
	b.enum("type", "lists")
	for _, e := range b.errors {
		if !utf8.ValidString(e.message) || len(e.message) > 1000 {
			t.Fatalf("got sentence %q", e.message)
		}
	}
	w := httptest.NewRecorder()
	writeFieldErrors(w, b.errors)
	if len(b.errors) > 0 && !json.Valid(w.Body.Bytes()) {
		t.Fatalf("got response %s", w.Body)
	}
}

// inProcess is a transport that calls a handler directly.
type inProcess struct{ http.Handler }

func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	sent := r.Clone(r.Context())
	sent.RequestURI, sent.RemoteAddr = r.URL.RequestURI(), "192.0.2.1:1234"
	if sent.Body == nil {
		sent.Body = http.NoBody
	}
	h.ServeHTTP(w, sent)
	return w.Result(), nil
}

// FuzzRequests sends requests to the operations and to other paths.
func FuzzRequests(f *testing.F) {
	for i, r := range routes {
		body := oddBodies[i%len(oddBodies)]
		f.Add(byte(i), "", "1", "page=1&query=a", []byte(body), "application/json")
		f.Add(byte(i), "OPTIONS", "0", "only_lists=1,a&per_page=-1", []byte(`{"models":[1],"model":"link","type":"lists","id":1,"name":"n`+strconv.Itoa(i)+`","url":"https://`+r.path+`"}`), "")
	}
	f.Add(byte(255), "GET", "/api/v1/links/%2F..", "api_token=x", []byte("{"), "text/plain")
	f.Add(byte(254), "PATCH", "/api/version/", "", []byte{}, "")

	s := storetest.Open(f)
	lib := service.New(s)
	users := accounts.New(s, accounts.Options{})
	if _, err := users.AddUser(f.Context(), "ann", ""); err != nil {
		f.Fatal(err)
	}
	key, _, err := users.AddAPIKey(f.Context(), "ann", "main", waymark.AccessFull, 0)
	if err != nil {
		f.Fatal(err)
	}
	settings := config.Default().API
	settings.BodyLimit = 4 << 10
	uploads, err := transfer.New(s, 0).NewUploads(f.TempDir(), 100, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := uploads.Close(); err != nil {
			f.Error(err)
		}
	})
	handler := newHandler(lib, nil, uploads, s, settings, nil)
	f.Fuzz(func(t *testing.T, which byte, method, path, query string, body []byte, contentType string) {
		version := []string{v1, v2}[len(body)%2]
		if int(which) < len(routes) {
			chosen := routes[which]
			path = "/api/" + version + strings.ReplaceAll(chosen.path, "{id}", url.PathEscape(path))
			if method == "" || len(method) > 9 {
				method = chosen.method
			}
		}
		requestURL, err := url.Parse("http://links.example.org" + path + "?" + query)
		if err != nil || requestURL.Host != "links.example.org" {
			t.Skip("not a valid URL for the server")
		}
		r, err := http.NewRequestWithContext(t.Context(), method, requestURL.String(), bytes.NewReader(body))
		if err != nil || method == http.MethodConnect {
			t.Skip("not a valid request")
		}
		r.Header["Authorization"] = []string{"Bearer " + key}
		r.Header["Content-Type"] = []string{contentType}
		resp, err := validating(t, inProcess{handler}).RoundTrip(r)
		check(t, err)
		var text bytes.Buffer
		if _, err := text.ReadFrom(resp.Body); err != nil {
			t.Fatal(err)
		}
		switch {
		case resp.StatusCode >= 500:
			t.Fatalf("%s %s: got %d %s", method, requestURL, resp.StatusCode, &text)
		case resp.StatusCode >= 300 && resp.StatusCode < 400 && !strings.HasPrefix(path, "/api/docs"):
			t.Fatalf("%s %s: got %d to %s", method, requestURL, resp.StatusCode, resp.Header.Get("Location"))
		case method == http.MethodOptions || method == http.MethodHead || strings.HasPrefix(path, "/api/docs"):
		case !json.Valid(text.Bytes()) || !utf8.Valid(text.Bytes()):
			t.Fatalf("%s %s: got %d with %q, want JSON", method, requestURL, resp.StatusCode, &text)
		case bytes.Contains(text.Bytes(), []byte(key)):
			t.Fatalf("%s %s: the response contains the API key: %s", method, requestURL, &text)
		}
	})
}
