package bench

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"
)

func TestBaselineRespondsLikeWaymark(t *testing.T) {
	for _, database := range []struct{ name, server string }{{"sqlite", ""}, {"postgres", os.Getenv("WAYMARK_TEST_POSTGRES")}} {
		t.Run(database.name, func(t *testing.T) {
			if database.name == "postgres" && database.server == "" {
				t.Skip("WAYMARK_TEST_POSTGRES is not set")
			}
			t.Setenv(databaseVariable, database.server)
			t.Cleanup(stopServers)
			s := startServer(t, 1000)
			client := s.dial(t, s.address)
			baseline := s.baseline(t)

			const path = "/api/v2/links"
			response := slices.Clone(mustDo(t, client, "GET", path, nil))
			handler, err := baseline.PageHandler(t.Context(), response)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, s, serve(t, handler), path, response)

			withLists, withTags := 0, 0
			for _, link := range getPage(t, client, path).Data {
				path := fmt.Sprintf("/api/v2/links/%d", link.ID)
				response := slices.Clone(mustDo(t, client, "GET", path, nil))
				handler, err := baseline.LinkHandler(t.Context(), response)
				if err != nil {
					t.Fatal(err)
				}
				wantSame(t, s, serve(t, handler), path, response)
				if bytes.Contains(response, []byte(`"list_id"`)) {
					withLists++
				}
				if bytes.Contains(response, []byte(`"tag_id"`)) {
					withTags++
				}
			}
			if withLists == 0 || withTags == 0 {
				t.Errorf("%d links have lists and %d have tags, want some of each", withLists, withTags)
			}

			response = slices.Clone(mustDo(t, client, "POST", path, newLink("baseline", 0)))
			if handler, err = baseline.CreateHandler(t.Context(), response); err != nil {
				t.Fatal(err)
			}
			before := getPage(t, client, path).Total
			wantSame(t, s, serve(t, handler), path, response)
			if got := getPage(t, client, path).Total; got != before+1 {
				t.Errorf("links after the baseline created one: got %d, want %d", got, before+1)
			}
		})
	}
}

// wantSame compares the baseline's response at an address with Waymark's.
func wantSame(t *testing.T, s *testServer, address, path string, want []byte) {
	t.Helper()
	method, body := "GET", []byte(nil)
	if bytes.HasPrefix(want, []byte(`{"id"`)) && path == "/api/v2/links" {
		method, body = "POST", newLink("baseline", 1)
	}
	got := mustDo(t, s.dial(t, address), method, path, body)
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, at-100)
	t.Errorf("%s %s: the baseline responds with %d bytes, Waymark with %d. From byte %d they are\n%.300s\nand\n%.300s",
		method, path, len(got), len(want), from, got[min(from, len(got)):], want[min(from, len(want)):])
}
