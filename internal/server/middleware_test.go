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

// failWithJSON responds with an error as to a client of the API.
func failWithJSON(w http.ResponseWriter, _ *http.Request, status int, message string) {
	writeError(w, status, message)
}

// serveInstrumented passes r through the middleware to handler. It returns the response
// and the log lines.
func serveInstrumented(t *testing.T, handler http.HandlerFunc, r *http.Request) (*http.Response, []map[string]any) {
	t.Helper()
	var log bytes.Buffer
	f := &instrument{next: handler, fail: failWithJSON, timeout: time.Minute, log: slog.New(requestIDHandler{slog.NewJSONHandler(&log, nil)})}
	check(t, f.trusted.UnmarshalText([]byte("10.0.0.1")))
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if cause := recover(); cause != nil {
				w.Header().Set("Test-Panic", cause.(error).Error())
			}
		}()
		f.ServeHTTP(w, r)
	}()
	var lines []map[string]any
	for decoder := json.NewDecoder(&log); decoder.More(); {
		var line map[string]any
		check(t, decoder.Decode(&line))
		lines = append(lines, line)
	}
	response := w.Result()
	response.Header = w.Header()
	return response, lines
}

func TestHealthChecksAreLoggedOnlyWhenTheyFail(t *testing.T) {
	for status, want := range map[int]int{http.StatusOK: 0, http.StatusServiceUnavailable: 1} {
		_, lines := serveInstrumented(t, func(w http.ResponseWriter, r *http.Request) {
			httpx.SetRoute(r.Context(), "/healthz", waymark.User{})
			w.WriteHeader(status)
		}, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		if len(lines) != want {
			t.Errorf("status %d: got %d lines, want %d", status, len(lines), want)
		}
	}
}

func TestRequestIsLoggedOnce(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/links?api_token=wm_secret", nil)
	r.RemoteAddr = "10.0.0.1:1234"
	r.Header.Set("X-Forwarded-For", "198.51.100.1, 203.0.113.7")
	r.Header.Set("Authorization", "Bearer wm_secret")
	response, lines := serveInstrumented(t, func(w http.ResponseWriter, r *http.Request) {
		httpx.SetRoute(r.Context(), "/api/v1/links", waymark.User{Name: "ann"})
		httpx.SetAPIKey(r.Context(), "phone")
		w.WriteHeader(http.StatusUnprocessableEntity)
		io.WriteString(w, "12345")
	}, r)
	if len(lines) != 1 {
		t.Fatalf("got %d lines, want 1: %v", len(lines), lines)
	}
	line := lines[0]
	for name, want := range map[string]any{
		"msg": "request", "method": "POST", "route": "/api/v1/links", "status": 422.0,
		"bytes": 5.0, "client": "203.0.113.7", "user": "ann", "key": "phone", "id": response.Header.Get("X-Request-Id"),
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
			t.Errorf("%s: got %q, want no secret in the log", name, text)
		}
	}
}

func TestResponsesHaveTheHeadersOfAll(t *testing.T) {
	response, _ := serveInstrumented(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
	}, httptest.NewRequest(http.MethodGet, "/", nil))
	for name, want := range map[string]string{
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Waymark":                 "1",
		"Content-Security-Policy": "default-src 'self'",
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	other, _ := serveInstrumented(t, func(http.ResponseWriter, *http.Request) {}, httptest.NewRequest(http.MethodGet, "/", nil))
	if got := other.Header.Get("Content-Security-Policy"); got != "default-src 'none'; frame-ancestors 'none'" {
		t.Errorf("the next response: got policy %q, want the default", got)
	}
}

func TestForwardedAddressesOfStrangersAreLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	i := &instrument{next: http.NotFoundHandler(), timeout: time.Minute, log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	check(t, i.trusted.UnmarshalText([]byte("10.0.0.1")))
	request := func(peer, forwarded string) int {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = peer + ":4000"
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		i.ServeHTTP(httptest.NewRecorder(), r)
		return strings.Count(log.String(), "--trusted-proxies")
	}
	if request("10.0.0.1", "192.0.2.1") != 0 || request("10.0.0.2", "") != 0 {
		t.Errorf("the log is %q, want no warning", log.String())
	}
	if request("10.0.0.2", "192.0.2.1") != 1 || request("10.0.0.3", "192.0.2.1") != 1 || !strings.Contains(log.String(), "peer=10.0.0.2:4000") {
		t.Errorf("the log is %q, want one warning with the peer", log.String())
	}
}

func TestPanicIsLoggedAndTheResponseIs500(t *testing.T) {
	response, lines := serveInstrumented(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		panic("test panic")
	}, httptest.NewRequest(http.MethodGet, "/api/v2/links", nil))
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusInternalServerError || strings.TrimSpace(string(body)) != `{"message":"Server Error"}` {
		t.Errorf("got %d %s, want 500 without details", response.StatusCode, body)
	}
	if got := response.Header.Get("Content-Length") + response.Header.Get("Waymark"); got != "1" {
		t.Errorf("got Content-Length and Waymark %s, want only the latter", got)
	}
	if len(lines) != 2 {
		t.Fatalf("got %d lines, want the cause and the request: %v", len(lines), lines)
	}
	if lines[0]["cause"] != "test panic" || !strings.Contains(lines[0]["stack"].(string), "middleware_test.go") {
		t.Errorf("got %v, want the cause and the stack", lines[0])
	}
	if lines[0]["id"] != response.Header.Get("X-Request-Id") || lines[1]["status"] != 500.0 {
		t.Errorf("got %v and %v, want the ID and the status of the request", lines[0], lines[1])
	}
}

func TestAbortedResponseClosesTheConnection(t *testing.T) {
	for _, test := range []struct {
		name  string
		panic any
		lines int
	}{
		{"a panic after the header", errors.New("test panic"), 2},
		{"http.ErrAbortHandler", http.ErrAbortHandler, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, lines := serveInstrumented(t, func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, `{"data":[`)
				panic(test.panic)
			}, httptest.NewRequest(http.MethodGet, "/", nil))
			if got := response.Header.Get("Test-Panic"); got != http.ErrAbortHandler.Error() {
				t.Errorf("got panic %q, want http.ErrAbortHandler", got)
			}
			if len(lines) != test.lines || lines[len(lines)-1]["aborted"] != true {
				t.Errorf("got lines %v, want %d, the last with aborted", lines, test.lines)
			}
		})
	}
}

func TestRequestHasATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		serveInstrumented(t, func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			if cause := context.Cause(r.Context()); !errors.Is(cause, context.DeadlineExceeded) {
				t.Errorf("got cause %v, want context.DeadlineExceeded", cause)
			}
		}, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := time.Since(started); got != time.Minute {
			t.Errorf("got the timeout after %s, want a minute", got)
		}
	})
}

// disconnectedRequest returns a request whose client closes its side of the connection
// when the handler calls disconnect, as net/http reports it.
func disconnectedRequest(method string) (r *http.Request, disconnect context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	return httptest.NewRequest(method, "/", nil).WithContext(ctx), cancel
}

func TestReadEndsWithItsClient(t *testing.T) {
	r, disconnect := disconnectedRequest(http.MethodGet)
	serveInstrumented(t, func(_ http.ResponseWriter, r *http.Request) {
		disconnect()
		<-r.Context().Done()
	}, r)
}

func TestChangeDoesNotEndWithItsClient(t *testing.T) {
	for _, method := range []string{http.MethodPost, http.MethodPatch, http.MethodDelete} {
		synctest.Test(t, func(t *testing.T) {
			r, disconnect := disconnectedRequest(method)
			serveInstrumented(t, func(_ http.ResponseWriter, r *http.Request) {
				disconnect()
				time.Sleep(59 * time.Second)
				if err := r.Context().Err(); err != nil {
					t.Errorf("%s: got %v within the time limit of the request", method, err)
				}
			}, r)
		})
	}
}

func TestWriteDeadlineReplacesTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		serveInstrumented(t, func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				http.NewResponseController(w).SetWriteDeadline(time.Now().Add(30 * time.Second))
				time.Sleep(20 * time.Second)
			}
			if err := r.Context().Err(); err != nil {
				t.Errorf("got %v during the response", err)
			}
			<-r.Context().Done()
		}, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := time.Since(started); got != 210*time.Second {
			t.Errorf("got the timeout after %s, want 30 s after the last deadline was set", got)
		}
	})
}
