package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// stuckClient is a ResponseWriter whose client stops reading. Its first Write calls
// onWrite, and blocks until the response is aborted.
type stuckClient struct {
	http.ResponseWriter
	onWrite func()
	once    sync.Once
	aborted chan struct{} // closed when a write deadline in the past is set
}

func (c *stuckClient) Write([]byte) (int, error) {
	c.onWrite()
	select {
	case <-c.aborted:
	case <-time.After(10 * time.Second):
	}
	return 0, os.ErrDeadlineExceeded
}

func (c *stuckClient) SetWriteDeadline(t time.Time) error {
	if t.Before(time.Now()) {
		c.once.Do(func() { close(c.aborted) })
	}
	return nil
}

func TestRevokedKeyEndsItsRunningStreams(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		settings := config.Default().API
		settings.StreamTimeout = 80 * time.Millisecond // the key is checked every 10 ms
		svc := service.New(db)
		users := accounts.New(db, accounts.Options{})
		if _, err := users.AddUser(t.Context(), "ann", ""); err != nil {
			t.Fatal(err)
		}
		key, _, err := users.AddAPIKey(t.Context(), "ann", "lost", waymark.AccessFull, 0)
		if err != nil {
			t.Fatal(err)
		}
		api := newHandler(svc, nil, db, settings, nil)
		var models []string
		for i := range 1000 {
			models = append(models, fmt.Sprintf(`{"url":"https://go.dev/%d","description":%q}`, i, strings.Repeat("a", 100)))
		}
		request := func(w http.ResponseWriter, method, path, body string) {
			r := httptest.NewRequestWithContext(t.Context(), method, "/api/v2"+path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+key)
			api.ServeHTTP(w, r)
		}
		request(httptest.NewRecorder(), http.MethodPost, "/bulk/links", `{"models":[`+strings.Join(models, ",")+`]}`)

		client := &stuckClient{ResponseWriter: httptest.NewRecorder(), aborted: make(chan struct{}), onWrite: func() {
			if err := users.RevokeAPIKey(t.Context(), "ann", "lost"); err != nil {
				t.Error(err)
			}
		}}
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
				t.Errorf("got panic %v, want http.ErrAbortHandler", err)
			}
			select {
			case <-client.aborted:
			default:
				t.Error("the stream went on after its key was revoked")
			}
		}()
		request(client, http.MethodGet, "/links?per_page=-1", "")
	})
}
