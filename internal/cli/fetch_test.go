package cli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
)

// A host can ask for a pause of days. The server of Waymark waits for it, but no command.
func TestFetchEndsWhileAHostAsksForALongPause(t *testing.T) {
	if testing.Short() {
		t.Skip("waits two seconds")
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	createStore(t, store.Options{Dir: dir})
	run := func(in string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, "waymark", append(args, "--data", dir)...)
		command.Stdin = strings.NewReader(in)
		command.Env = append(os.Environ(), "WAYMARK_FETCH_ALLOW=127.0.0.1")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("waymark %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("", "user", "add", "ann", "--no-password")
	run(site.URL+"/1\n"+site.URL+"/2\n", "import", "--user", "ann", "-")
	out := run("", "fetch", "--user", "ann")
	if !strings.Contains(out, "1 not fetched, because their servers are busy") || strings.Count(out, "to fetch") > 2 {
		t.Errorf("got the output:\n%s", out)
	}
}
