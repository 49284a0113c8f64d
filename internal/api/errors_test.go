package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestHandleErrorMapsErrorsToStatuses(t *testing.T) {
	cause := errors.New("dial tcp: internal cause with wm_secret")
	invalid := waymark.Invalid(waymark.FieldURL, waymark.RuleRequired)
	for _, test := range []struct {
		name   string
		err    error
		status int
		body   string
		logged string // the level, "" if it is not logged
	}{
		{"not found", fmt.Errorf("link 5: %w", waymark.ErrNotFound), 404, `{"message":"Not found."}`, ""},
		{"forbidden", fmt.Errorf("link 5: %w", waymark.ErrForbidden), 403, `{"message":"This action is unauthorized."}`, ""},
		{"validation", fmt.Errorf("add: %w", invalid), 422, `{"message":"The url field is required.","errors":{"url":["The url field is required."]}}`, ""},
		{"unauthenticated", rest.Error{Status: http.StatusUnauthorized, Sentence: "Unauthenticated."}, 401, `{"message":"Unauthenticated."}`, ""},
		{"error with a status", rest.Error{Status: http.StatusBadRequest, Sentence: `"x" & <y>`}, 400, `{"message":"\"x\" & <y>"}`, ""},
		{"unavailable", fmt.Errorf("%w: %w", waymark.ErrUnavailable, cause), 503, `{"message":"The service is not available at the moment. Please try again soon."}`, "ERROR"},
		{"timeout", fmt.Errorf("query: %w", context.DeadlineExceeded), 503, `{"message":"The service is not available at the moment. Please try again soon."}`, "ERROR"},
		{"all permits in use", fmt.Errorf("%w: %w", waymark.ErrBusy, context.DeadlineExceeded), 503, `{"message":"Too many requests of this kind are running at the moment. Please try again soon."}`, "WARN"},
		{"internal error", cause, 500, `{"message":"Server Error"}`, "ERROR"},
		{"unexpected conflict", waymark.ErrConflict, 500, `{"message":"Server Error"}`, "ERROR"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			words := dialect(slog.New(slog.NewTextHandler(&log, nil)))
			w := httptest.NewRecorder()
			words.WriteError(w, httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/links?api_token=wm_secret", nil), test.err)
			if w.Code != test.status || w.Body.String() != test.body {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, test.status, test.body)
			}
			if lines := strings.Count(log.String(), "\n"); (lines == 1) != (test.logged != "") || lines > 1 || test.logged != "" && !strings.Contains(log.String(), "level="+test.logged) {
				t.Errorf("got log\n%s", &log)
			}
			if got := w.Header().Get("Retry-After") != ""; got != (test.status == 503) {
				t.Errorf("got Retry-After: %v", got)
			}
			if got := w.Header().Get("WWW-Authenticate"); (got == "Bearer") != (test.status == 401) {
				t.Errorf("got WWW-Authenticate %q", got)
			}
		})
	}
}

func TestCanceledRequestIsNotLogged(t *testing.T) {
	var log bytes.Buffer
	words := dialect(slog.New(slog.NewTextHandler(&log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	words.WriteError(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/api/v2/links", nil), fmt.Errorf("query: %w", context.Canceled))
	if log.Len() > 0 {
		t.Errorf("got log\n%s", &log)
	}
}

// TestStoreErrorIsLoggedOnceAndNotSent uses an API whose store is closed.
func TestStoreErrorIsLoggedOnceAndNotSent(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	check(t, err)
	working := testServerOn(t, v1, s)
	ann := working.addUser(t, "ann")
	check(t, s.Close())
	var log bytes.Buffer
	handler := newHandler(service.New(s), nil, nil, s, config.Default().API, slog.New(slog.NewTextHandler(&log, nil)))
	for _, path := range []string{"/api/v1/links?api_token=" + ann.key, "/api/v1/version?api_token=" + ann.key} {
		log.Reset()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
		if body := w.Body.String(); w.Code < 500 || strings.Contains(body, "sql") || strings.Contains(body, "closed") {
			t.Errorf("%s: got %d %s, want a 5xx without its cause", path, w.Code, body)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 1 || strings.Contains(log.String(), ann.key) {
			t.Errorf("%s: got log\n%s, want one line without the key", path, &log)
		}
	}
}

func TestRouteAndUserAreRecorded(t *testing.T) {
	s := storetest.Open(t)
	ann := testServerOn(t, v2, s).addUser(t, "ann")
	handler := newHandler(service.New(s), nil, nil, s, config.Default().API, nil)
	for path, want := range map[string]string{
		"/api/v2/links/5/notes?query=secret": "/api/v2/links/{id}/notes ann",
		"/api/v1/trash/clear":                "/api/v1/trash/clear", // 405
		"/api/version":                       "/api/version",
		"/api/docs/init.js":                  "/api/docs/{file}",
		"/api/v2/openapi.json":               "/api/v2/openapi.json",
		"/api/v2/secret":                     "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		r.Header.Set("Authorization", "Bearer "+ann.key)
		w, r, stop := httpx.Record(httptest.NewRecorder(), r, time.Minute)
		handler.ServeHTTP(w, r)
		stop()
		if got := strings.TrimSpace(w.Route + " " + w.User); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestFieldErrorsAreSortedByField(t *testing.T) {
	words := dialect(slog.New(slog.DiscardHandler))
	w := httptest.NewRecorder()
	words.WriteError(w, httptest.NewRequest(http.MethodGet, "/", nil), fieldErrors{
		{field: "tags", message: "third"},
		{field: "models.10.url", message: "fifth"},
		{field: "models.2.name", message: "fourth"},
		{field: "url", message: "first"},
		{field: "other", message: "zeroth"},
		{field: "url", message: "second"},
	})
	want := `{"message":"zeroth (and 5 more errors)","errors":{"other":["zeroth"],"url":["first","second"],"tags":["third"],"models.2.name":["fourth"],"models.10.url":["fifth"]}}`
	if w.Body.String() != want {
		t.Errorf("got\n  %s, want\n  %s", w.Body, want)
	}
}

func TestRequestTimeoutReturns503(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	s := storetest.Open(t)
	ann := testServerOn(t, v2, s).addUser(t, "ann")
	handler := newHandler(service.New(s), nil, nil, s, config.Default().API, nil)
	for _, call := range []struct{ method, path, body string }{{"GET", "/links", ""}, {"POST", "/links", `{"url":"https://go.dev/"}`}} {
		r := httptest.NewRequestWithContext(ctx, call.method, "/api/v2"+call.path, strings.NewReader(call.body))
		r.Header.Set("Authorization", "Bearer "+ann.key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: got %d %s, want 503", call.method, w.Code, w.Body)
		}
	}
	ann.get(t, "/links").wantValue(t, "total", "0")
}
