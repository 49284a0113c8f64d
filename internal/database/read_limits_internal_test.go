package database

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// usersInOrder calls run as each of the users, as an operation that takes a second, and
// returns the users in the order in which the operations ended.
func usersInOrder(run func(user int64, do func()), users ...int64) []int64 {
	var order []int64
	for _, user := range users {
		go run(user, func() { order = append(order, user) })
		synctest.Wait()
	}
	time.Sleep(time.Minute)
	synctest.Wait() // the race detector does not see that a sleep orders memory accesses
	return order
}

func TestBulkChangeOfAUserWaitsForOneOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := DB{dialect: &sqliteDialect}
		db.allotConnections(sqliteReaders(), time.Minute)
		order := usersInOrder(func(user int64, do func()) {
			if err := db.Bulk(t.Context(), user, func() error { time.Sleep(time.Second); do(); return nil }); err != nil {
				t.Error(err)
			}
		}, 1, 1, 1, 1, 2)
		if want := []int64{1, 2, 1, 1, 1}; !slices.Equal(order, want) {
			t.Errorf("changes of users ended in the order %v, want %v", order, want)
		}
	})
}

func TestSearchOfAUserDoesNotWaitForThoseOfAnother(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("one processor runs one search at a time")
	}
	synctest.Test(t, func(t *testing.T) {
		db := DB{dialect: &sqliteDialect}
		db.allotConnections(sqliteReaders(), time.Minute)
		release := make(chan struct{})
		for range 10 {
			go db.Search(t.Context(), 1, func() error { <-release; return nil }) //nolint:errcheck // returns nil
		}
		synctest.Wait()
		began := time.Now()
		if err := db.Search(t.Context(), 2, func() error { return nil }); err != nil || time.Since(began) > 0 {
			t.Errorf("the search waited for %s, error %v, want no wait", time.Since(began), err)
		}
		if !db.searchSlots.waits() {
			t.Error("no search waits, want nine")
		}
		close(release)
		synctest.Wait()
		if db.searchSlots.waits() {
			t.Error("a search waits, want none")
		}
	})
}

func TestTransactionsLeaveAConnectionToSingleStatements(t *testing.T) {
	for connections := 5; connections < 100; connections++ {
		db := DB{dialect: &postgresDialect}
		pool := connections - 1 // one is for Ping
		db.allotConnections(pool, time.Minute)
		if used := db.readSlots.free + db.streams.slots.free + writeSlots(connections); used >= pool {
			t.Errorf("of %d connections, transactions can use %d of %d", connections, used, pool)
		}
	}
}
