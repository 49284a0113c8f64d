package crawl_test

import (
	"os"
	"testing"

	"waymark/internal/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.End(m.Run())) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
