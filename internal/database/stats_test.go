package database_test

import (
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"waymark/internal/database"
)

func TestStatsCountCommits(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		count, seconds := commits(t, db)
		mustWrite(t, db, insert(0))
		var writers sync.WaitGroup
		for i := range int64(20) {
			writers.Go(func() {
				if err := writeTx(t.Context(), db, insert(1+i)); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		if err := db.ReadTx(t.Context(), func(q database.Querier) error {
			_, err := queryIDs(t.Context(), q)
			return err
		}); err != nil {
			t.Error(err)
		}
		after := db.Stats()
		countAfter, secondsAfter := commits(t, db)
		if n := countAfter - count; n < 2 || n > 21 || secondsAfter <= seconds {
			t.Errorf("got %d commits in %v s, want 2 to 21 in more than 0 s", n, secondsAfter-seconds)
		}
		if after.WriteQueue != 0 || after.LongReads != 0 {
			t.Errorf("got %d queued writes and %d long reads, want none", after.WriteQueue, after.LongReads)
		}
		for name, pool := range after.Pools {
			if pool.OpenConnections == 0 || pool.MaxOpenConnections == 0 {
				t.Errorf("pool %s: got %+v, want an open connection, and a limit", name, pool)
			}
		}
	})
}

func TestStatsOfSQLiteHaveFileSizes(t *testing.T) {
	db := openSQLite(t)
	mustWrite(t, db, insert(1))
	stats := db.Stats()
	if stats.DatabaseBytes == 0 || stats.WALBytes == 0 {
		t.Errorf("got %d and %d bytes, want a database and a WAL", stats.DatabaseBytes, stats.WALBytes)
	}
}

// commits returns how many commits were measured, and how long they took.
func commits(t *testing.T, db *database.DB) (count uint64, seconds float64) {
	t.Helper()
	var m dto.Metric
	check(t, db.Stats().Commits.Write(&m))
	return m.GetHistogram().GetSampleCount(), m.GetHistogram().GetSampleSum()
}
