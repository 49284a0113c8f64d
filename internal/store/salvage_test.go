package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/doctor"
	"waymark/internal/store/storetest"
)

// Whichever page is damaged, all links that are not on it come back, and most of the rest of the data.
func TestSalvageReadsWhatIsNotOnTheDamagedPage(t *testing.T) {
	dir := t.TempDir()
	s := storetest.OpenWith(t, store.Options{Dir: dir})
	ada := storetest.User(t, s, "ada")
	storetest.Fill(t, s, ada, 700)
	long := storetest.Draft(700)
	long.Link.Description = strings.Repeat("a long description ", 3000)
	storetest.CreateLinks(t, s, ada, long)
	roots := map[string]int{}
	for _, name := range []string{"users", "links", "link_lists", "lists", "links_url"} {
		roots[name] = count(t, s.Database(), "SELECT rootpage FROM sqlite_master WHERE name = '"+name+"'")
	}
	check(t, s.Close())
	file, err := os.ReadFile(filepath.Join(dir, "waymark.db"))
	check(t, err)
	const pageSize = 4096
	pages := map[string]int{"none": 0, "the first": 1, "the last": len(file) / pageSize}
	for name, root := range roots {
		pages["the root of "+name] = root
	}
	for n := 7; n < len(file)/pageSize; n += len(file) / pageSize / 6 {
		pages[fmt.Sprint(n)] = n
	}
	for name, n := range pages {
		t.Run(name, func(t *testing.T) {
			damaged := bytes.Clone(file)
			if n > 0 {
				copy(damaged[(n-1)*pageSize:], bytes.Repeat([]byte{0xA5}, pageSize))
			}
			from := t.TempDir()
			check(t, os.WriteFile(filepath.Join(from, "waymark.db"), damaged, 0o600))
			to, err := store.OpenDatabase(t.Context(), store.Options{Dir: t.TempDir()})
			check(t, err)
			_, left, err := doctor.Salvage(t.Context(), from, to)
			check(t, err)
			links, memberships, users := count(t, to, "SELECT count(*) FROM links"), count(t, to, "SELECT count(*) FROM link_lists"), count(t, to, "SELECT count(*) FROM users")
			check(t, to.Close())
			t.Logf("%d links, %d memberships, %d rows left out", links, memberships, left)
			if lost := 701 - links; lost > 30 || n == 0 && lost+left > 0 || users != 1 || memberships == 0 && n != roots["lists"] {
				t.Errorf("%d links are lost, %d memberships and %d users are there", lost, memberships, users)
			}
		})
	}
}

// count returns the number that a statement selects.
func count(t *testing.T, db *database.DB, text string) int {
	t.Helper()
	n, err := database.QueryOne(t.Context(), db.Querier(), database.ScanValue[int], text)
	check(t, err)
	return n
}
