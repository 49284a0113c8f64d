package transfer_test

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// storable generates a text that a field can have: at most limit characters.
func storable(limit int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 30).Draw(t, "longest") == 30 {
			return strings.Repeat("x", limit)
		}
		return rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'B', 'ß', 'é', '東', '🌍', ' ', '\n', '\t', '<', '&', '"', '\\', '\u2028', '\u200d', '=', '/'}), 1, min(limit, 40), -1).Draw(t, "text")
	})
}

func name() *rapid.Generator[string] {
	return rapid.Map(storable(waymark.MaxName), func(s string) string { return cmp.Or(waymark.NormalizeName(s), "name") })
}

// visible reports whether a title has a visible character. Other titles become the default title.
func visible(title string) bool { return waymark.NormalizeName(title) != "" }

// entities generates the entities of an archive in the order that an export has.
func entities(t *rapid.T) (all []archive.Entity) {
	created := archive.Time(1_500_000_000_000_000)
	times := func() archive.Times {
		created += archive.Time(rapid.SampledFrom([]int{0, 1, 1000, 1_000_000}).Draw(t, "later"))
		at := archive.Times{CreatedAt: created, UpdatedAt: created + archive.Time(rapid.IntRange(0, 5).Draw(t, "updated"))}
		if rapid.IntRange(0, 3).Draw(t, "trash") == 0 {
			at.DeletedAt = at.UpdatedAt + 1
		}
		return at
	}
	visibility := func() archive.Visibility { return archive.Visibility(rapid.IntRange(1, 3).Draw(t, "visibility")) }
	optional := func(limit int) string {
		if rapid.Bool().Draw(t, "empty") {
			return ""
		}
		return storable(limit).Draw(t, "text")
	}
	number := func(what string, n int) int { return rapid.IntRange(0, n).Draw(t, what) }
	some := func(n int) (numbers []int) {
		for i := 1; i <= n; i++ {
			if rapid.Bool().Draw(t, "attached") {
				numbers = append(numbers, i)
			}
		}
		return numbers
	}
	all = append(all, archive.Settings{
		Language: rapid.SampledFrom([]string{"", "de", "en"}).Draw(t, "language"), LinksPerPage: rapid.SampledFrom([]int{0, 24, 96}).Draw(t, "links per page"),
		Theme: rapid.SampledFrom([]string{"", "dark"}).Draw(t, "theme"), NewTab: rapid.Bool().Draw(t, "new tab"),
		Default: archive.DefaultVisibility{Links: visibility(), Lists: visibility(), Tags: visibility(), Notes: visibility()},
	})
	lists, tags := number("lists", 4), number("tags", 4)
	for i := range lists {
		all = append(all, archive.List{Number: i + 1, Name: rapid.SampledFrom([]string{"A", "a", name().Draw(t, "name")}).Draw(t, "list"), Description: optional(waymark.MaxListDescription / 4), Visibility: visibility(), Pinned: rapid.Bool().Draw(t, "pinned"), Times: times()})
	}
	used := map[string]bool{}
	for i := range tags {
		tag := archive.Tag{Number: i + 1, Name: rapid.SampledFrom([]string{"go", "Go", name().Draw(t, "name")}).Draw(t, "tag"), Visibility: visibility(), Pinned: rapid.Bool().Draw(t, "pinned"), Times: times()}
		if folded := waymark.Fold(tag.Name); tag.DeletedAt == 0 {
			if used[folded] {
				tag.DeletedAt = tag.UpdatedAt
			}
			used[folded] = true
		}
		all = append(all, tag)
	}
	clear(used)
	urls := map[string]bool{}
	for i := range number("links", 6) {
		link := archive.Link{
			Number: i + 1, URL: rapid.SampledFrom([]string{"https://a.example/", "https://A.example/", "ftp://x/%zz", "https://東京.example/?a=" + strings.Repeat("b", waymark.MaxURL-100)}).Draw(t, "url"),
			Title: storable(waymark.MaxTitle).Filter(visible).Draw(t, "title"), Description: optional(waymark.MaxDescription), Visibility: visibility(),
			ImageURL: rapid.SampledFrom([]string{"", "https://a.example/a.png"}).Draw(t, "thumbnail"),
			Status:   archive.Status(rapid.IntRange(1, 3).Draw(t, "status")), CheckDisabled: rapid.Bool().Draw(t, "disabled"), Unread: rapid.Bool().Draw(t, "unread"), Archived: rapid.Bool().Draw(t, "archived"), Favorite: rapid.Bool().Draw(t, "favorite"), Lists: some(lists), Tags: some(tags), Times: times(),
		}
		if link.DeletedAt == 0 {
			if used[link.URL] {
				link.DeletedAt = link.UpdatedAt
			}
			used[link.URL] = true
		}
		urls[link.URL] = true
		all = append(all, link)
		if rapid.Bool().Draw(t, "text snapshot") {
			all = append(all, archive.TextSnapshot{Link: i + 1, URL: "https://a.example/", HTML: "<p>text</p>", FetchedAt: created, Paragraph: number("paragraph", 2), PerMille: number("per mille", 1000)})
		}
		noteCreated := created
		for range number("notes", 3) {
			noteCreated += archive.Time(number("later", 1))
			at := archive.Times{CreatedAt: noteCreated, UpdatedAt: noteCreated, DeletedAt: archive.Time(number("deleted", 1))}
			all = append(all, archive.Note{Link: i + 1, Text: storable(waymark.MaxNote).Draw(t, "text"), Visibility: visibility(), Times: at})
		}
	}
	for range number("searches", 2) {
		created++
		all = append(all, archive.SavedSearch{Name: name().Draw(t, "name"), Query: fmt.Sprintf("is:mine list:#%d <x", number("list", lists)), Order: "title", CreatedAt: created})
	}
	same := []string{"https://A.example/", "https://a.example/"} // in the order of their hashes
	if rapid.Bool().Draw(t, "links apart") && urls[same[0]] && urls[same[1]] {
		all = append(all, archive.KeptApart{URLs: same})
	}
	for range number("tags apart", 1) {
		all = append(all, archive.KeptApart{Tags: []string{"go", "golang"}}, archive.KeptApart{Tags: []string{"go", "strassen"}})
	}
	return all
}

// archiveOf returns the archive of entities.
func archiveOf(t rapid.TB, all []archive.Entity) string {
	t.Helper()
	var file strings.Builder
	w := archive.NewWriter(&file)
	for _, e := range all {
		w.Write(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// A test must pass with every seed. With this one, the same commit has the same result; make fuzz takes others.
var _, _ = flag.Set("rapid.seed", "1"), flag.Set("rapid.checks", "50")

func TestAnyArchiveIsExportedAgainByteForByte(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		svc.setQuota(1 << 30)
		users := 0
		rapid.Check(t, func(rt *rapid.T) {
			file := archiveOf(rt, entities(rt))
			users++
			user := storetest.User(t, s, fmt.Sprint("user", users))
			for range 1 + users%2 { // a second import adds nothing
				if _, problems := importArchive(t, svc, s, user, strings.NewReader(file)); len(problems) > 0 {
					rt.Fatalf("problems: %q", problems)
				}
				if got := export(t, svc, user, transfer.ExportArchive); got != file {
					rt.Fatalf("got\n%s\nwant\n%s", got, file)
				}
			}
		})
	})
}
