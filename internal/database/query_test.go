package database_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

func TestInSelectsAnyNumberOfValues(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		for id, text := range map[int64]string{1: "a", 2: `"b"`, 3: "ç"} {
			mustWrite(t, db, insertText(id, text))
		}
		q := db.Querier()
		check := func(a *database.Args, condition string, want ...int64) string {
			t.Helper()
			text := "SELECT id FROM texts WHERE " + condition + " ORDER BY id"
			got, err := database.QueryAll(t.Context(), q, database.ScanValue[int64], text, a.Values...)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s with %v: got %v (error %v), want %v", text, a.Values, got, err, want)
			}
			return text
		}
		var texts []string
		for _, ids := range [][]int64{{}, {1, 3}, {3, 1, 9, 3}, {3}} {
			want := slices.DeleteFunc([]int64{1, 2, 3}, func(id int64) bool { return !slices.Contains(ids, id) })
			a := q.Args()
			texts = append(texts, check(a, "id "+database.In(a, ids), want...))
		}
		if texts[0] != texts[1] || texts[1] != texts[2] {
			t.Errorf("the text of the statement depends on the number of values: %q", texts)
		}
		if !strings.Contains(texts[3], "id = $1") {
			t.Errorf("one value is selected by %q, want a comparison", texts[3])
		}
		a := database.NewArgs(db.Kind(), 1)
		check(a, "id > $1 AND text "+database.In(a, []string{"a", `"b"`, "ç"}), 2, 3)
	})
}

func TestConstraintErrorsAreMapped(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		mustWrite(t, db, insert(1))
		wantError(t, "the same id", writeTx(t.Context(), db, insert(1)), waymark.ErrConflict)
		wantError(t, "a missing row", writeTx(t.Context(), db, func(exec exec) error {
			return exec("INSERT INTO refs VALUES (2)")
		}), waymark.ErrNotFound)
		errOwn := errors.New("own")
		if err := writeTx(t.Context(), db, func(exec) error { return errOwn }); err != errOwn { //nolint:errorlint // as it is
			t.Errorf("got error %v, want that of the function as it is", err)
		}
		wantIDs(t, db, 1)
	})
}

func TestIDsContinueAfterTheLastOne(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		setLastID := func(id int64) {
			t.Helper()
			check(t, db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
				return errors.Join(q.SetLastID(ctx, "texts", id), q.Analyze(ctx))
			}))
		}
		wantLast := func(want int64) {
			t.Helper()
			if got, err := db.Querier().LastID(t.Context(), "texts"); err != nil || got != want {
				t.Errorf("got the last id %d, %v, want %d", got, err, want)
			}
		}
		add := func(exec exec) error { return exec("INSERT INTO texts (text) VALUES ('')") }
		setLastID(0)
		wantLast(0)
		mustWrite(t, db, insert(41))
		setLastID(7) // less than the largest id
		mustWrite(t, db, add)
		wantIDs(t, db, 41, 42)
		setLastID(50)
		mustWrite(t, db, add)
		wantIDs(t, db, 41, 42, 51)
		mustWrite(t, db, func(exec exec) error { return exec("DELETE FROM texts") })
		wantLast(51)
	})
}

func TestLockSerializesWrites(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		// Each write inserts the text if it is missing, which only a lock makes safe.
		results := make(chan error)
		for range 4 {
			go func() {
				results <- db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
					if err := q.Lock(ctx, 7); err != nil {
						return err
					}
					_, err := q.Exec(ctx, "INSERT INTO texts (text) SELECT 'once' WHERE NOT EXISTS (SELECT 1 FROM texts)")
					return err
				})
			}()
		}
		for range 4 {
			wantError(t, "write", <-results, nil)
		}
		if got := queryValue[int64](t, db.Querier(), "SELECT count(*) FROM texts"); got != 1 {
			t.Errorf("got %d texts, want 1", got)
		}
	})
}
