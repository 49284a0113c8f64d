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

// linksFile is the environment variable with the path of a file of real links, one JSON
// object a line: url, title, description, list, source. Without it the test uses links
// of storetest.
const linksFile = "WAYMARK_TEST_LINKS"

// testDrafts returns links in many scripts, each URL once.
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
	known := map[string]bool{}
	for line := range bytes.Lines(text) {
		var l struct{ URL, Title, Description, List, Source string }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if known[l.URL] {
			continue
		}
		known[l.URL] = true
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

// randomFilter returns a filter that the link of a draft can satisfy.
func randomFilter(r *rand.Rand, draft waymark.LinkDraft) waymark.LinkFilter {
	text := []rune(draft.Link.URL + draft.Link.Title + draft.Link.Description)
	from := r.IntN(len(text))
	all := waymark.And{waymark.Contains{Text: string(text[from:min(len(text), from+1+r.IntN(8))]), In: waymark.TextFields(1 + r.IntN(7))}}
	if len(draft.Tags) > 0 && r.IntN(5) == 0 {
		all = append(all, labeled(waymark.Tags, draft.Tags[:1]))
	}
	switch r.IntN(12) {
	case 0:
		all = append(all, waymark.IsUntagged)
	case 1:
		all = append(all, waymark.IsUnfiled)
	case 2:
		all = append(all, waymark.Is(waymark.Visibility(1+r.IntN(3)).String()))
	case 3:
		all = append(all, not(labeled(waymark.Tags, draft.Tags)))
	case 4:
		all = append(all, withAll(waymark.Tags, draft.Tags))
	case 5:
		all = append(all, waymark.Labeled{Kind: waymark.Lists, Refs: draft.Lists, All: r.IntN(2) == 0})
	case 6:
		all = append(all, waymark.IsBroken)
	}
	return where(all...)
}

// Both databases list the same links, with the search index and with SQL alone.
func TestBothDatabasesListTheSameLinks(t *testing.T) {
	drafts := testDrafts(t)
	postgres := storetest.PostgresOptions(t)
	var stores []*store.Store
	for _, o := range []store.Options{{Dir: t.TempDir()}, postgres} {
		o.Now = func() waymark.Time { return 1_583_782_403_000_000 }
		s := storetest.OpenWith(t, o)
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob")}
		i := 0
		for batch := range slices.Chunk(drafts, 300) {
			storetest.CreateLinks(t, s, users[i%2], batch...)
			i++
		}
		o.IndexBytes = storetest.NoIndex
		stores = append(stores, s, storetest.OpenWith(t, o))
	}
	names := []string{"SQLite", "SQLite without an index", "PostgreSQL", "PostgreSQL without an index"}
	const ada waymark.UserID = 1
	compare := func(what string, list func(s *store.Store) store.Listing[waymark.Link]) (total int) {
		t.Helper()
		var first store.Page[waymark.Link]
		for i, s := range stores {
			page, err := list(s).Page(t.Context())
			if err != nil {
				t.Fatalf("%s, %s: %v", what, names[i], err)
			}
			if i == 0 {
				first = page
			}
			if page.Total != first.Total || len(page.Entities) != len(first.Entities) {
				t.Errorf("%s: %d of %d in %s, %d of %d in %s", what, len(first.Entities), first.Total, names[0], len(page.Entities), page.Total, names[i])
				return first.Total
			}
			for n := range first.Entities {
				if a, b := first.Entities[n], page.Entities[n]; !reflect.DeepEqual(a, b) {
					t.Errorf("%s: result %d in %s and in %s:\n%+v\n%+v", what, n, names[0], names[i], a, b)
					break
				}
			}
		}
		return first.Total
	}

	for _, by := range waymark.LinkSortFields {
		compare(fmt.Sprint("all by ", by), func(s *store.Store) store.Listing[waymark.Link] {
			return s.Links(ada, waymark.Order{By: by}, unlimited)
		})
	}
	found := 0
	r := rand.New(rand.NewPCG(2020, 309))
	orders := []waymark.Order{{By: waymark.SortByTitle}, {By: waymark.SortByTitle, Desc: true}, {By: waymark.SortByURL}, {By: waymark.SortByURL, Desc: true}, {By: waymark.SortByCreatedAt, Desc: true}}
	for range 150 {
		draft := drafts[r.IntN(len(drafts))]
		filter := randomFilter(r, draft)
		order, page := orders[r.IntN(len(orders))], waymark.Pagination{Offset: 24 * r.IntN(3), Limit: 24}
		found += compare(fmt.Sprintf("search %+v, order %v, page %v", filter, order, page), func(s *store.Store) store.Listing[waymark.Link] {
			return s.SearchLinks(ada, filter, order, page)
		})
	}
	if found < 150 {
		t.Errorf("150 searches for texts of links found %d links, want at least 150", found)
	}
}
