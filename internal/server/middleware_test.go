package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// visitFront sends r through the front to handler, and returns the answer and the
// lines of the log.
func visitFront(t *testing.T, handler http.HandlerFunc, r *http.Request) (*http.Response, []map[string]any) {
	t.Helper()
	var log bytes.Buffer
	f := &instrument{next: handler, timeout: time.Minute, log: slog.New(requestIDHandler{slog.NewJSONHandler(&log, nil)})}
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if trouble := recover(); trouble != nil {
				w.Header().Set("Test-Panic", trouble.(error).Error())
			}
		}()
		f.ServeHTTP(w, r)
	}()
	var lines []map[string]any
	for decoder := json.NewDecoder(&log); decoder.More(); {
		var line map[string]any
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	answer := w.Result()
	answer.Header = w.Header()
	return answer, lines
}

func TestRequestLeavesOneLine(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/links?api_token=wm_secret", nil)
	r.Header.Set("Authorization", "Bearer wm_secret")
	answer, lines := visitFront(t, func(w http.ResponseWriter, r *http.Request) {
		httpx.SetRoute(r.Context(), "/api/v1/links", waymark.User{Name: "ann"})
		w.WriteHeader(http.StatusUnprocessableEntity)
		io.WriteString(w, "12345")
	}, r)
	if len(lines) != 1 {
		t.Fatalf("got %d lines, want 1: %v", len(lines), lines)
	}
	line := lines[0]
	for name, want := range map[string]any{
		"msg": "request", "method": "POST", "route": "/api/v1/links", "status": 422.0,
		"bytes": 5.0, "user": "ann", "id": answer.Header.Get("X-Request-Id"),
	} {
		if line[name] != want {
			t.Errorf("%s: got %v, want %v", name, line[name], want)
		}
	}
	if line["duration"] == nil || line["id"] == "" {
		t.Errorf("got line %v, want a duration and an id", line)
	}
	for name, value := range line {
		if text, ok := value.(string); ok && strings.Contains(text, "secret") {
			t.Errorf("%s: got %q, a secret in the log", name, text)
		}
	}
}

func TestAnswersKeepBrowsersCareful(t *testing.T) {
	answer, _ := visitFront(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
	}, httptest.NewRequest(http.MethodGet, "/", nil))
	for name, want := range map[string]string{
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Content-Security-Policy": "default-src 'self'",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	other, _ := visitFront(t, func(http.ResponseWriter, *http.Request) {}, httptest.NewRequest(http.MethodGet, "/", nil))
	if got := other.Header.Get("Content-Security-Policy"); got != "default-src 'none'; frame-ancestors 'none'" {
		t.Errorf("the next answer: got policy %q, want the strict one again", got)
	}
}

func TestPanicIsAnsweredAndLoggedOnce(t *testing.T) {
	answer, lines := visitFront(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		panic("out of cheese")
	}, httptest.NewRequest(http.MethodGet, "/api/v2/links", nil))
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusInternalServerError || strings.TrimSpace(string(body)) != `{"message":"Server Error"}` {
		t.Errorf("got %d %s, want 500 and no more than that", answer.StatusCode, body)
	}
	if got := answer.Header.Get("Content-Length"); got != "" {
		t.Errorf("got Content-Length %s, want none that the handler thought of", got)
	}
	if len(lines) != 2 {
		t.Fatalf("got %d lines, want the cause and the request: %v", len(lines), lines)
	}
	if lines[0]["cause"] != "out of cheese" || !strings.Contains(lines[0]["stack"].(string), "middleware_test.go") {
		t.Errorf("got %v, want the cause and where it happened", lines[0])
	}
	if lines[0]["id"] != answer.Header.Get("X-Request-Id") || lines[1]["status"] != 500.0 {
		t.Errorf("got %v and %v, want the request's id and status", lines[0], lines[1])
	}
}

func TestBrokenAnswerIsNotTakenForWhole(t *testing.T) {
	for _, test := range []struct {
		name  string
		panic any
		lines int
	}{
		{"a panic after the head", errors.New("out of cheese"), 2},
		{"an answer broken off on purpose", http.ErrAbortHandler, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, lines := visitFront(t, func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, `{"data":[`)
				panic(test.panic)
			}, httptest.NewRequest(http.MethodGet, "/", nil))
			if got := answer.Header.Get("Test-Panic"); got != http.ErrAbortHandler.Error() {
				t.Errorf("got panic %q, want http.ErrAbortHandler", got)
			}
			if len(lines) != test.lines || lines[len(lines)-1]["aborted"] != true {
				t.Errorf("got lines %v, want %d, the last with aborted", lines, test.lines)
			}
		})
	}
}

func TestWorkHasALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		visitFront(t, func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			if cause := context.Cause(r.Context()); !errors.Is(cause, context.DeadlineExceeded) {
				t.Errorf("got cause %v, want context.DeadlineExceeded", cause)
			}
		}, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := time.Since(started); got != time.Minute {
			t.Errorf("got the limit after %s, want a minute", got)
		}
	})
}

func TestLongAnswerSetsItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		visitFront(t, func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				http.NewResponseController(w).SetWriteDeadline(time.Now().Add(30 * time.Second))
				time.Sleep(20 * time.Second)
			}
			if err := r.Context().Err(); err != nil {
				t.Errorf("got %v while the answer goes on", err)
			}
			<-r.Context().Done()
		}, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := time.Since(started); got != 210*time.Second {
			t.Errorf("got the limit after %s, want 30 s after the last deadline was set", got)
		}
	})
}

func BenchmarkFront(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpx.SetRoute(r.Context(), "/api/v2/links/{id}", waymark.User{})
		w.WriteHeader(http.StatusOK)
	})
	log := slog.New(requestIDHandler{slog.NewTextHandler(io.Discard, nil)}) //nolint:sloglint // writing the line is part of what is measured
	for name, handler := range map[string]http.Handler{
		"bare":       handler,
		"middleware": &instrument{next: handler, timeout: time.Minute, log: log},
		"metrics":    &instrument{next: handler, timeout: time.Minute, log: log, metrics: newMetrics("v1.2.3", nil)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			w := httptest.NewRecorder()
			for b.Loop() {
				handler.ServeHTTP(w, r)
			}
		})
	}
}
