package web

import (
	"os"
	"testing"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.End(storetest.End(m.Run()))) }

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
