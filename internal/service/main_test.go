package service_test

import (
	"os"
	"testing"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestMain(m *testing.M) { os.Exit(storetest.End(m.Run())) }

// eachDatabase runs a test with a service on an empty store of each database.
func eachDatabase(t *testing.T, run func(t *testing.T, svc *service.Service, s *store.Store)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { run(t, service.New(s), s) })
}

func addLinks(t *testing.T, svc *service.Service, owner waymark.User, inputs ...waymark.LinkInput) []waymark.Link {
	t.Helper()
	added, err := svc.AddLinks(t.Context(), owner, inputs)
	check(t, err)
	links, err := storetest.All(t.Context(), svc.Store, added)
	check(t, err)
	return links
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
