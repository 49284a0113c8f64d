package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// linksFile is the environment variable with the path of a file of real links, one
// JSON object a line: url, title, description, list, source. Without it the links
// are those that storetest makes up.
const linksFile = "WAYMARK_TEST_LINKS"

// testDrafts are links in many scripts.
func testDrafts(t testing.TB) []waymark.LinkDraft {
	t.Helper()
	var drafts []waymark.LinkDraft
	name := os.Getenv(linksFile)
	if name == "" {
		for i := range 800 {
			drafts = append(drafts, storetest.Draft(i))
		}
		return drafts
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		var l struct{ URL, Title, Description, List, Source string }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if seen[l.URL] {
			continue
		}
		seen[l.URL] = true
		draft := storetest.Draft(len(drafts)) // for its visibility and status
		draft.Link.URL, draft.Link.Title, draft.Link.Description = l.URL, l.Title, l.Description
		draft.Lists, draft.Tags = refs(l.Source), refs(l.Source)
		if l.List != "" {
			draft.Lists = refs(l.List)
		}
		drafts = append(drafts, draft)
	}
	return drafts
}

func TestBothDatabasesAnswerAlikeWordForWord(t *testing.T) {
	drafts := testDrafts(t)
	clock := func() waymark.Time { return 1_583_782_403_000_000 }
	postgres := storetest.PostgresOptions(t)
	postgres.Now = clock
	stores := []*store.Store{
		storetest.OpenWith(t, store.Options{Dir: t.TempDir(), Now: clock}),
		storetest.OpenWith(t, postgres),
	}
	for _, s := range stores {
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob")}
		i := 0
		for some := range slices.Chunk(drafts, 300) {
			storetest.CreateLinks(t, s, users[i%2], some...)
			i++
		}
	}
	const ada waymark.UserID = 1
	alike := func(what string, list func(s *store.Store) store.Listing[waymark.Link]) (total int) {
		t.Helper()
		var shown [2]store.Page[waymark.Link]
		for i, s := range stores {
			var err error
			if shown[i], err = list(s).Page(t.Context()); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		if shown[0].Total != shown[1].Total || len(shown[0].Entities) != len(shown[1].Entities) {
			t.Errorf("%s: %d of %d in SQLite, %d of %d in PostgreSQL", what, len(shown[0].Entities), shown[0].Total, len(shown[1].Entities), shown[1].Total)
			return shown[0].Total
		}
		for i := range shown[0].Entities {
			if a, b := shown[0].Entities[i], shown[1].Entities[i]; !reflect.DeepEqual(a, b) {
				t.Errorf("%s: place %d is, in SQLite and in PostgreSQL:\n%+v\n%+v", what, i, a, b)
				break
			}
		}
		return shown[0].Total
	}

	for _, by := range waymark.LinkSortFields {
		alike(fmt.Sprint("all by ", by), func(s *store.Store) store.Listing[waymark.Link] {
			return s.Links(ada, waymark.Order{By: by}, unlimited)
		})
	}
	found := 0
	r := rand.New(rand.NewPCG(2020, 309))
	orders := []waymark.Order{{By: waymark.SortByTitle}, {By: waymark.SortByTitle, Desc: true}, {By: waymark.SortByURL}, {By: waymark.SortByURL, Desc: true}, {By: waymark.SortByCreatedAt, Desc: true}}
	for range 150 {
		draft := drafts[r.IntN(len(drafts))]
		text := []rune(draft.Link.URL + draft.Link.Title + draft.Link.Description)
		from := r.IntN(len(text))
		query := waymark.LinkFilter{
			Text:              string(text[from:min(len(text), from+1+r.IntN(8))]),
			SearchTitle:       r.IntN(2) == 0,
			SearchDescription: r.IntN(2) == 0,
			BrokenOnly:        r.IntN(6) == 0,
		}
		if len(draft.Tags) > 0 && r.IntN(5) == 0 {
			query.Tags = draft.Tags[:1]
		}
		order, page := orders[r.IntN(len(orders))], waymark.Pagination{Offset: 24 * r.IntN(3), Limit: 24}
		found += alike(fmt.Sprintf("search %+v, order %v, page %v", query, order, page), func(s *store.Store) store.Listing[waymark.Link] {
			return s.SearchLinks(ada, query, order, page)
		})
	}
	if found < 150 {
		t.Errorf("150 searches for what is there found only %d links", found)
	}
}
