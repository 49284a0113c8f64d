package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func selectRows(t *testing.T, s *store.Store, text string) [][]any {
	t.Helper()
	rows, err := s.Rows(t.Context(), text)
	check(t, err)
	return rows
}

func TestPruneChangesOfSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("it logs 230,000 changes")
	}
	s := storetest.Open(t)
	insert := func(n int) {
		t.Helper()
		check(t, s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
			return exec("INSERT INTO changes (entity, id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT 'links', i FROM n", n)
		}))
	}
	for _, step := range []struct{ insert, wantMin, wantMax int64 }{{1, 1, 1}, {99_999, 1, 100_000}, {5, 6, 100_005}, {130_000, 130_006, 230_005}} {
		insert(int(step.insert))
		check(t, s.PruneChanges(t.Context()))
		wantEqual(t, "first and last change", selectRows(t, s, "SELECT min(seq), max(seq) FROM changes"), [][]any{{step.wantMin, step.wantMax}})
	}
}

func TestPruneChangesOfPostgreSQL(t *testing.T) {
	s := storetest.OpenWith(t, storetest.PostgresOptions(t))
	ada := storetest.User(t, s, "ada")
	change := func(statements ...string) {
		t.Helper()
		check(t, s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
			for _, text := range statements {
				if err := exec(text); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	var links []waymark.Link
	for i := range 3 {
		links = append(links, storetest.Link(t, s, ada, fmt.Sprint("https://a.example/", i), waymark.Private))
	}
	// Changes are kept while an older transaction runs, also one of another test on this server.
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		rows := selectRows(t, s, "SELECT max(xid) < pg_snapshot_xmin(pg_current_snapshot()) FROM changes")
		if rows[0][0] == true {
			break
		}
		if time.Now().After(end) {
			t.Fatal("an older transaction does not end")
		}
	}
	prune := func(want ...waymark.Link) {
		t.Helper()
		check(t, s.PruneChanges(t.Context()))
		var ids [][]any
		for _, link := range want {
			ids = append(ids, []any{int64(link.ID)})
		}
		wantEqual(t, "links in the log", selectRows(t, s, "SELECT id FROM changes ORDER BY xid"), ids)
	}
	prune(links...)
	change("UPDATE changes SET at = at - INTERVAL '61 minutes' WHERE id <= 2")
	prune(links[1:]...) // the newest one that may be deleted is kept
	wantEqual(t, "changes before this one are deleted", selectRows(t, s, "SELECT before = (SELECT xid FROM changes ORDER BY xid LIMIT 1) FROM changes_pruned"), [][]any{{true}})
	prune(links[1:]...)

	// A backup of another server can have transactions with larger numbers.
	change("UPDATE changes SET xid = '9000000000000' WHERE id = 3", "UPDATE changes_pruned SET before = '9000000000000'")
	prune(links[1])
	check(t, s.RefreshSearchIndex(t.Context())) // builds it again
	storetest.Link(t, s, ada, "https://a.example/3", waymark.Private)
	wantTotal(t, s, ada.ID, "a.example", 4)
}

// A server that prunes waits for another one, which has deleted more.
func TestServersPruneTogether(t *testing.T) {
	s := storetest.OpenWith(t, storetest.PostgresOptions(t))
	ada := storetest.User(t, s, "ada")
	storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
	before := func() any { return selectRows(t, s, "SELECT CAST(before AS TEXT) FROM changes_pruned")[0][0] }
	pruned := make(chan error, 1)
	check(t, s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
		return exec("UPDATE changes SET at = at - INTERVAL '61 minutes'")
	}))
	for end := time.Now().Add(time.Minute); before() == "0"; time.Sleep(10 * time.Millisecond) { // changes are kept while an older transaction runs
		check(t, s.PruneChanges(t.Context()))
		if time.Now().After(end) {
			t.Fatal("an older transaction does not end")
		}
	}
	check(t, s.Change(t.Context(), func(ctx context.Context, exec func(string, ...any) error) error {
		if err := exec("UPDATE changes_pruned SET before = pg_current_xact_id()"); err != nil {
			return err
		}
		go func() { pruned <- s.PruneChanges(t.Context()) }()
		for selectRows(t, s, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE changes_pruned%'")[0][0] == int64(0) {
			time.Sleep(10 * time.Millisecond)
		}
		return ctx.Err()
	}))
	wantError(t, "the second server", <-pruned, nil)
	wantEqual(t, "changes of the first server are deleted", selectRows(t, s, "SELECT before > (SELECT max(xid) FROM changes) FROM changes_pruned"), [][]any{{true}})
}
