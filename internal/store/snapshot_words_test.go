package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/query"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// snapshotTexts are words of texts in many scripts.
var snapshotTexts = strings.Fields("the quick brown fox's den Straße STRASSE naïve nai\u0308ve Kern\u00adspaltung one\u200btwo " +
	`C++ node.js snake_case 3.14 it's "quoted" * ^ ( ) AND OR NOT NEAR -dash :colon {brace} back\slash 'single' & | ! <-> $1 ?1 1e9 x ` +
	"Москва ёлка Σίσυφος ΑΘΉΝΑ مرحبا بالعالم שָׁלוֹם हिन्दी में tiếng Việt İstanbul ﬁnance ａｂｃ 🌍 " +
	"北京图书馆 在Go中 東京タワー、夜 国立国会図書館 한국어 사전 ราชอาณาจักรไทย 𠮷野家")

// randomText returns a text of n words.
func randomText(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = snapshotTexts[r.IntN(len(snapshotTexts))]
	}
	return strings.Join(words, []string{" ", "\n", " — "}[r.IntN(3)])
}

// snapshotHas reports whether a search for a text must find a snapshot with some words: for each word of
// the text, one of them begins with it.
func snapshotHas(words []string, text string) bool {
	prefixes := waymark.QueryWords(text)
	return len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(prefix string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, prefix) })
	})
}

// indexSnapshotWords stores the words of the snapshot of a link's page, or removes them if text is "".
func indexSnapshotWords(ctx context.Context, s *store.Store, link waymark.LinkID, text string) error {
	return s.Database().WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if text == "" {
			return s.Snapshots.ForgetWords(ctx, q, link)
		}
		return s.Snapshots.IndexWords(ctx, q, link, text)
	})
}

// snapshotsWith returns the links whose snapshots match the words of a query, sorted.
func snapshotsWith(ctx context.Context, s *store.Store, text string) ([]int64, error) {
	db := s.Database()
	a, d := db.Querier().Args(), query.NewDialect(db.Kind())
	ids, err := database.QueryAll(ctx, db.Querier(), database.ScanValue[int64], d.SnapshotsWith(a.Add(d.SnapshotQuery(waymark.QueryWords(text)))), a.Values...)
	return slices.Sorted(slices.Values(ids)), err
}

// saveSnapshots gives the links from first to the last one snapshots with texts.
func saveSnapshots(t testing.TB, s *store.Store, links []waymark.Link, text func(i int) string) map[waymark.LinkID][]string {
	t.Helper()
	words := map[waymark.LinkID][]string{}
	for i, link := range links {
		if text := text(i); text != "" {
			check(t, indexSnapshotWords(t.Context(), s, link.ID, text))
			words[link.ID] = waymark.SnapshotWords(text)
		}
	}
	return words
}

// Both databases find exactly the snapshots that the rules of package waymark say, word for word.
func TestBothDatabasesFindTheSameSnapshots(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := rand.New(rand.NewPCG(1, 2))
		links := storetest.Fill(t, s, storetest.User(t, s, "ada"), 60)
		words := saveSnapshots(t, s, links, func(int) string { return randomText(r, 1+r.IntN(6)) })
		queries := slices.Clone(snapshotTexts)
		for _, of := range words {
			for _, word := range of {
				letters := []rune(word)
				queries = append(queries, word, word+"x", string(letters[:1]), string(letters[:1+r.IntN(len(letters))]))
			}
		}
		for range 100 {
			queries = append(queries, randomText(r, 2))
		}
		for _, query := range queries {
			var want []int64
			for _, link := range links {
				if snapshotHas(words[link.ID], query) {
					want = append(want, int64(link.ID))
				}
			}
			if len(waymark.QueryWords(query)) == 0 {
				continue
			}
			got, err := snapshotsWith(t.Context(), s, query)
			check(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("query %q: got %v, want %v", query, got, want)
			}
		}
	})
}

// Each word of a search may be in the texts of a link or in its snapshot, for every viewer and filter.
func TestSearchFindsTextsAndSnapshots(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := rand.New(rand.NewPCG(3, 4))
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		links := slices.Concat(storetest.Fill(t, s, ada, 120), storetest.Fill(t, s, bob, 60))
		words := saveSnapshots(t, s, links, func(i int) string {
			if i%3 == 0 {
				return ""
			}
			return randomText(r, 1+r.IntN(12)) + " " + storetest.Draft(i+1000).Link.Title
		})
		moveToTrash(t, s, ada, waymark.Links, links[4].ID, links[7].ID)
		inTrash := func(l waymark.Link) bool { return l.ID == links[4].ID || l.ID == links[7].ID }
		found := 0
		for i := range 20 {
			contains := waymark.Contains{Text: snapshotTexts[r.IntN(len(snapshotTexts))], In: waymark.TextFields(1+r.IntN(7)) | waymark.InSnapshot}
			also := []waymark.Contains{contains}
			filter := where(contains)
			if i%4 == 0 {
				also = append(also, waymark.Contains{Text: snapshotTexts[r.IntN(8)], In: contains.In})
				filter = where(contains, also[1], not(inTexts("garden")))
			}
			all := filter.Where.(waymark.And)
			broken, mine := i%7 == 0, i%11 == 0
			if broken {
				all = append(all, waymark.IsBroken)
			}
			if mine {
				all = append(all, waymark.OwnedBy{ID: ada.ID})
			}
			filter.Where = all
			for _, viewer := range []waymark.UserID{ada.ID, bob.ID, waymark.Guest} {
				want := idsWhere(links, func(l waymark.Link) bool {
					if inTrash(l) || !viewer.MaySee(l.Owner, l.Visibility) || broken && l.Status == waymark.StatusOK || mine && l.Owner != ada.ID {
						return false
					}
					inSnapshot := func(text string) bool { return viewer != waymark.Guest && snapshotHas(words[l.ID], text) }
					if len(also) > 1 && matchesText(l, inTexts("garden")) {
						return false
					}
					return !slices.ContainsFunc(also, func(c waymark.Contains) bool { return !matchesText(l, c) && !inSnapshot(c.Text) })
				})
				found += len(want)
				if got := searchIDs(t, s, waymark.User{ID: viewer}, filter); !slices.Equal(got, want) {
					t.Errorf("viewer %d, %+v: got %v, want %v", viewer, filter, got, want)
				}
			}
		}
		if found < 150 {
			t.Errorf("the searches found %d links, want more", found)
		}
	})
}

// contentTotal returns the number of links that a search for a text finds, also in snapshots.
func contentTotal(t *testing.T, s *store.Store, viewer waymark.UserID, text string) int {
	t.Helper()
	filter := where(waymark.Contains{Text: text, In: waymark.InURL | waymark.InSnapshot})
	page := readPage(t, s.SearchLinks(viewer, filter, waymark.Order{}, waymark.Pagination{Limit: 24}))
	counts, err := s.CountLinks(t.Context(), viewer, []waymark.LinkFilter{filter})
	check(t, err)
	if page.Total != len(page.Entities) || counts[0] != page.Total {
		t.Errorf("search %q: total %d, %d links, count %d", text, page.Total, len(page.Entities), counts[0])
	}
	return page.Total
}

func TestSearchFollowsSnapshotsOfOtherProcesses(t *testing.T) {
	eachShared(t, 2, func(t *testing.T, stores []*store.Store) {
		server, other := stores[0], stores[1]
		ada := storetest.User(t, other, "ada")
		link := storetest.Link(t, other, ada, "https://example.org/", waymark.Private)
		for _, step := range []struct {
			what   string
			do     func() error
			needle int
			newer  int
		}{
			{"before there is a snapshot", func() error { return nil }, 0, 0},
			{"a snapshot", func() error { return indexSnapshotWords(t.Context(), other, link.ID, "a needle in the hay") }, 1, 0},
			{"a newer snapshot", func() error { return indexSnapshotWords(t.Context(), other, link.ID, "a newer text") }, 0, 1},
			{"the trash", func() error { return other.Delete(t.Context(), ada, waymark.Links, int64(link.ID)) }, 0, 0},
			{"restored", func() error { return other.Restore(t.Context(), ada, waymark.Links, int64(link.ID)) }, 0, 1},
			{"the first snapshot again", func() error { return indexSnapshotWords(t.Context(), other, link.ID, "needle") }, 1, 0},
			{"the snapshot is removed", func() error { return indexSnapshotWords(t.Context(), other, link.ID, "") }, 0, 0},
			{"a last snapshot", func() error { return indexSnapshotWords(t.Context(), other, link.ID, "needle") }, 1, 0},
			{"the user is removed", func() error { return storetest.RemoveUser(t.Context(), other, ada.ID) }, 0, 0},
		} {
			check(t, step.do())
			for range 3 { // the second and the third find an index that is up to date
				if got := contentTotal(t, server, ada.ID, "needle"); got != step.needle {
					t.Errorf("%s: %d links with needle, want %d", step.what, got, step.needle)
				}
				if got := contentTotal(t, server, ada.ID, "newer"); got != step.newer {
					t.Errorf("%s: %d links with newer, want %d", step.what, got, step.newer)
				}
			}
		}
		if found, err := snapshotsWith(t.Context(), server, "needle"); err != nil || len(found) > 0 {
			t.Errorf("the words of the links %v of a removed user are left (%v)", found, err)
		}
	})
}

func TestSearchInSnapshotsWithUnusualTexts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://example.org/?a=!!!", waymark.Private)
		long := strings.Repeat("w", 70)
		text := long + " " + strings.Repeat("many ", 100)
		for i := range 300 {
			text += fmt.Sprintf(" n%d", i)
		}
		check(t, indexSnapshotWords(t.Context(), s, link.ID, text))
		var twenty []string
		for i := range waymark.MaxWords {
			twenty = append(twenty, fmt.Sprintf("n%d", 100+i))
		}
		for _, test := range []struct {
			query string
			want  int
		}{
			{"!!!", 1}, // the URL has it; snapshots are not searched for it
			{"???", 0},
			{long, 1},
			{long[:64], 1},
			{long + "w", 1}, // words are cut off after 64 letters
			{"n", 1},
			{strings.Join(twenty, " "), 1},
			{strings.Join(twenty[1:], ", ") + " nowhere", 0},
			{text, 1},
			{text + strings.Repeat(" nowhere", 10), 0},
			{"MANY\x00", 0},
		} {
			if got := contentTotal(t, s, ada.ID, test.query); got != test.want {
				t.Errorf("query %.40q: %d links, want %d", test.query, got, test.want)
			}
		}
		if s.Snapshots.Any() {
			t.Error("it is known that there are snapshots before anything has looked for them")
		}
		check(t, s.RefreshSearchIndex(t.Context()))
		if !s.Snapshots.Any() {
			t.Error("the snapshot is not known")
		}
		check(t, indexSnapshotWords(t.Context(), s, link.ID, "!!!"))
		if got := contentTotal(t, s, ada.ID, "many"); got != 0 {
			t.Errorf("a snapshot without words was found")
		}
	})
}
