package store_test

import (
	"errors"
	"net/url"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// The connection to PostgreSQL breaks at the COMMIT of a request with an idempotency key. When
// the client sends the request again, the change exists once.
func TestRequestWhoseCommitIsLostCanBeRepeated(t *testing.T) {
	for name, test := range map[string]struct {
		forward bool
		want    string
	}{
		"committed":     {true, "first"},
		"not committed": {false, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			direct := storetest.PostgresOptions(t)
			parsed, err := url.Parse(direct.Database)
			check(t, err)
			proxy := newCommitProxy(t, parsed.Host)
			parsed.Host = proxy.listener.Addr().String()
			s := storetest.OpenWith(t, store.Options{Database: parsed.String(), Connections: 4})
			ada := storetest.User(t, s, "ada")

			proxy.cut(test.forward, false)
			request := store.OnceRequest{User: ada.ID, Key: "key"}
			if _, err := s.Once(t.Context(), request, addList(ada, "first")); !errors.Is(err, waymark.ErrUnavailable) {
				t.Errorf("the first request: got error %v, want ErrUnavailable", err)
			}
			var got store.Response
			for err = store.ErrKeyInProgress; errors.Is(err, store.ErrKeyInProgress) || errors.Is(err, waymark.ErrUnavailable); {
				got, err = s.Once(t.Context(), request, addList(ada, "second"))
			}
			if err != nil || string(got.Body) != test.want {
				t.Errorf("the second request: got %q, %v, want %q", got.Body, err, test.want)
			}
			wantLists(t, s, ada, 1)
		})
	}
}
