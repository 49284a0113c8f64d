package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// entityStates returns what the log of changes is about, by "links 1" and so on: all
// columns of links with the ids of their lists and tags, and visible_to of lists and tags.
func entityStates(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	states := map[string]string{}
	for entity, columns := range map[string]string{
		"links": "id, user_id, visibility, status, check_disabled, created_at, updated_at, deleted_at, url, title, image_url, description, unread, archived, favorite",
		"lists": "id, visible_to",
		"tags":  "id, visible_to",
	} {
		for _, row := range selectRows(t, s, "SELECT "+columns+" FROM "+entity) {
			states[fmt.Sprint(entity, " ", row[0])] = fmt.Sprint(row)
		}
	}
	for _, row := range selectRows(t, s, "SELECT link_id, 'list', list_id FROM link_lists UNION ALL SELECT link_id, 'tag', tag_id FROM link_tags ORDER BY 1, 2, 3") {
		states[fmt.Sprint("links ", row[0])] += fmt.Sprint(row[1:])
	}
	return states
}

// loggedChanges returns the number of rows in the log of changes of each entity.
func loggedChanges(t *testing.T, s *store.Store) map[string]int64 {
	t.Helper()
	logged := map[string]int64{}
	for _, row := range selectRows(t, s, "SELECT entity, id, count(*) FROM changes GROUP BY entity, id") {
		logged[fmt.Sprint(row[0], " ", row[1])] = row[2].(int64)
	}
	return logged
}

func selectRows(t *testing.T, s *store.Store, text string) [][]any {
	t.Helper()
	rows, err := s.Rows(t.Context(), text)
	check(t, err)
	return rows
}

// randomWrites makes writes with random arguments, most of which have an effect.
type randomWrites struct {
	t      *testing.T
	s      *store.Store
	r      *rand.Rand
	drafts int
}

func (w *randomWrites) draft() waymark.LinkDraft {
	w.drafts++
	return storetest.Draft(w.drafts)
}

// ids returns some ids of the entities, and one that does not exist.
func (w *randomWrites) ids(entity string) []int64 {
	chosen := []int64{1_000_000}
	for _, row := range selectRows(w.t, w.s, "SELECT id FROM "+entity+" ORDER BY id") {
		if w.r.IntN(4) == 0 {
			chosen = append(chosen, row[0].(int64))
		}
	}
	return chosen
}

func (w *randomWrites) labels(entity string) []waymark.Ref {
	var refs []waymark.Ref
	for _, id := range w.ids(entity) {
		refs = append(refs, waymark.Ref{ID: id})
	}
	return append(refs, w.draft().Tags...)
}

func (w *randomWrites) visibility() *waymark.Visibility {
	v := waymark.Visibility(1 + w.r.IntN(3))
	return &v
}

func (w *randomWrites) edit() waymark.BulkEdit {
	return waymark.BulkEdit{Visibility: w.visibility(), Lists: w.labels("lists"), Tags: w.labels("tags"), ListsMode: waymark.RefsMode(w.r.IntN(3)), TagsMode: waymark.RefsMode(w.r.IntN(3))}
}

// all returns the writes by name.
func (w *randomWrites) all(ctx context.Context) map[string]func(user waymark.User) error {
	kinds := []waymark.EntityKind{waymark.Links, waymark.Lists, waymark.Tags}
	tables := []string{"links", "lists", "tags"}
	return map[string]func(user waymark.User) error{
		"create links": func(user waymark.User) error {
			_, err := w.s.CreateLinks(ctx, user, []waymark.LinkDraft{w.draft(), w.draft()})
			return err
		},
		"change a link": func(user waymark.User) error {
			lists, tags := w.labels("lists"), w.labels("tags")
			_, err := w.s.ChangeLink(ctx, user, waymark.LinkID(slices.Max(append(w.ids("links")[1:], 1))), &lists, &tags, func(link *waymark.Link) error {
				link.Title += "!"
				return nil
			})
			return err
		},
		"edit links": func(user waymark.User) error {
			_, err := w.s.EditLinks(ctx, user, w.ids("links"), w.edit(), anyOwner)
			return err
		},
		"edit lists": func(user waymark.User) error {
			_, err := w.s.EditLists(ctx, user.ID, w.ids("lists"), w.edit(), anyOwner)
			return err
		},
		"edit tags": func(user waymark.User) error {
			_, err := w.s.EditTags(ctx, user.ID, w.ids("tags"), w.edit(), anyOwner)
			return err
		},
		"delete": func(user waymark.User) error {
			var errs []error
			for i, kind := range kinds {
				some := w.ids(tables[i])
				_, err := w.s.DeleteMany(ctx, user.ID, kind, some[:min(3, len(some))], anyOwner)
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
		"restore": func(waymark.User) error {
			var errs []error
			for i, kind := range kinds {
				errs = append(errs, w.s.Restore(ctx, kind, slices.Min(w.ids(tables[i]+" WHERE visible_to IS NULL")), anyOwner))
			}
			return errors.Join(errs...)
		},
		"clear the trash": func(user waymark.User) error { return w.s.ClearTrash(ctx, user.ID, kinds[w.r.IntN(3)]) },
	}
}

func TestEveryChangeIsLogged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		r := rand.New(rand.NewPCG(2020, 309))
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob"), storetest.User(t, s, "eve")}
		writes := (&randomWrites{t: t, s: s, r: r}).all(ctx)
		names := slices.Sorted(maps.Keys(writes))
		changed := map[string]int{}
		check := func(name string, write func() error) {
			t.Helper()
			states, logged := entityStates(t, s), loggedChanges(t, s)
			err := write() // most errors are those of the random arguments
			after, loggedAfter := entityStates(t, s), loggedChanges(t, s)
			for entity := range union(states, after) {
				switch {
				case states[entity] == after[entity]:
				case loggedAfter[entity] == logged[entity]:
					t.Errorf("%s: the change of %s is not in the log (error %v)", name, entity, err)
				default:
					changed[name+" "+strings.Fields(entity)[0]]++
				}
			}
		}
		for range 160 {
			name, user := names[r.IntN(len(names))], users[r.IntN(len(users))]
			check(name, func() error { return writes[name](user) })
		}
		// Deleted users, lists and tags are removed from the links of others, too.
		for _, entity := range []string{"list", "tag"} {
			check("remove a "+entity, func() error {
				return s.Change(ctx, func(_ context.Context, exec func(string, ...any) error) error {
					return exec("DELETE FROM " + entity + "s WHERE id = (SELECT max(" + entity + "_id) FROM link_" + entity + "s)")
				})
			})
		}
		check("remove a user", func() error { return storetest.RemoveUser(ctx, s, users[0].ID) })
		for _, want := range []string{
			"create links links", "create links lists", "create links tags", "change a link links", "edit links links", "edit links tags",
			"edit lists lists", "edit tags tags", "delete links", "delete lists", "delete tags", "restore links", "restore lists", "restore tags",
			"clear the trash links", "clear the trash lists", "clear the trash tags", "remove a list links", "remove a tag links",
			"remove a user links", "remove a user lists", "remove a user tags",
		} {
			if changed[want] == 0 {
				t.Errorf("nothing was changed by %s", want)
			}
		}
	})
}

func union(a, b map[string]string) map[string]bool {
	keys := map[string]bool{}
	for _, m := range []map[string]string{a, b} {
		for key := range m {
			keys[key] = true
		}
	}
	return keys
}

func TestPruneChangesOfSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("it logs 230,000 changes")
	}
	s := storetest.Open(t)
	insert := func(n int) {
		t.Helper()
		if err := s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
			return exec("INSERT INTO changes (entity, id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT 'links', i FROM n", n)
		}); err != nil {
			t.Fatal(err)
		}
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
		if err := s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
			for _, text := range statements {
				if err := exec(text); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
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
	if err := s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
		return exec("UPDATE changes SET at = at - INTERVAL '61 minutes'")
	}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); before() == "0"; time.Sleep(10 * time.Millisecond) { // changes are kept while an older transaction runs
		check(t, s.PruneChanges(t.Context()))
		if time.Now().After(end) {
			t.Fatal("an older transaction does not end")
		}
	}
	if err := s.Change(t.Context(), func(ctx context.Context, exec func(string, ...any) error) error {
		if err := exec("UPDATE changes_pruned SET before = pg_current_xact_id()"); err != nil {
			return err
		}
		go func() { pruned <- s.PruneChanges(t.Context()) }()
		for selectRows(t, s, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE changes_pruned%'")[0][0] == int64(0) {
			time.Sleep(10 * time.Millisecond)
		}
		return ctx.Err()
	}); err != nil {
		t.Fatal(err)
	}
	wantError(t, "the second server", <-pruned, nil)
	wantEqual(t, "changes of the first server are deleted", selectRows(t, s, "SELECT before > (SELECT max(xid) FROM changes) FROM changes_pruned"), [][]any{{true}})
}
