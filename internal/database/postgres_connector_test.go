package database_test

import (
	"context"
	"errors"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

// A database can have a default for the encoding of its clients; a parameter of the URL stands for it
// here.
func TestTextIsUTF8WhateverTheDefaultIs(t *testing.T) {
	u, err := url.Parse(dbtest.PostgresURL(t))
	check(t, err)
	query := u.Query()
	query.Set("client_encoding", "LATIN1")
	u.RawQuery = query.Encode()
	if got := queryValue[string](t, openPostgres(t, u.String()).Querier(), "SELECT current_setting('client_encoding') || chr(26481)"); got != "UTF8東" {
		t.Errorf("got %q, want UTF8 and the character", got)
	}
}

func TestConnectionsLeaveASilentHost(t *testing.T) {
	databaseURL, hosts := withProxies(t, dbtest.PostgresURL(t), 2)
	db := openPostgres(t, databaseURL)
	// queryTogether uses as many connections as it runs queries.
	queryTogether := func(timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		results := make(chan error)
		for range 5 {
			go func() {
				_, err := database.QueryAll(ctx, db.Querier(), database.ScanValue[int64], "SELECT 1 FROM pg_sleep(0.05)")
				results <- err
			}()
		}
		var errs []error
		for range 5 {
			errs = append(errs, <-results)
		}
		return errors.Join(errs...)
	}
	check(t, queryTogether(time.Minute))
	if hosts[1].connections() != 0 {
		t.Error("the second host was connected to while the first one responds")
	}

	hosts[0].stopResponding()
	for deadline := time.Now().Add(time.Minute); ; {
		began := time.Now()
		err := queryTogether(time.Second) // less than connectTimeout
		if err == nil {
			break
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("a query with a timeout of one second took %s", took)
		}
		if time.Now().After(deadline) {
			t.Fatalf("the second host is not connected to: %v", err)
		}
	}
	before := hosts[0].connections()
	if err := queryTogether(time.Minute); err != nil {
		t.Errorf("after the fail-over: %v", err)
	}
	if got := hosts[0].connections(); got != before {
		t.Errorf("the silent host was connected to %d more times", got-before)
	}
}

func TestDatabaseIsUnavailableWithoutAServer(t *testing.T) {
	databaseURL, hosts := withProxies(t, dbtest.PostgresURL(t), 2)
	db := openPostgres(t, databaseURL)
	mustWrite(t, db, insert(1))
	for _, host := range hosts {
		host.close()
	}
	for i := range 5 { // with connections from the pool, and then without
		if err := writeTx(t.Context(), db, insert(2)); !errors.Is(err, waymark.ErrUnavailable) {
			t.Errorf("write %d: got error %v, want ErrUnavailable", i, err)
		}
		if _, err := queryIDs(t.Context(), db.Querier()); !errors.Is(err, waymark.ErrUnavailable) {
			t.Errorf("read %d: got error %v, want ErrUnavailable", i, err)
		}
	}
	wantError(t, "ping", db.Ping(t.Context()), waymark.ErrUnavailable)
}

// unavailable returns how many of five writes, one after the other, fail with
// waymark.ErrUnavailable.
func unavailable(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	for id := range int64(5) {
		err := writeTx(t.Context(), db, insert(id))
		if errors.Is(err, waymark.ErrUnavailable) {
			n++
		} else if err != nil {
			t.Errorf("got error %v, want ErrUnavailable or none", err)
		}
	}
	return n
}

func TestReadOnlyConnectionLeavesThePool(t *testing.T) {
	db := openPostgres(t, dbtest.PostgresURL(t))
	queryValue[string](t, db.Querier(), "SELECT set_config('default_transaction_read_only', 'on', false)")
	if got := unavailable(t, db); got != 1 { // the pool reuses the connection that was used last
		t.Errorf("%d writes failed, want one for one read-only connection", got)
	}
}

func TestConnectionEndedByTheServerLeavesThePool(t *testing.T) {
	databaseURL := dbtest.PostgresURL(t)
	other := openPostgres(t, databaseURL)
	db := openPostgres(t, databaseURL+"&application_name=ended")
	queryValue[bool](t, other.Querier(), "SELECT bool_and(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'ended'")
	if got := unavailable(t, db); got > 2 { // Open uses two connections
		t.Errorf("%d writes failed, want no more than there were connections", got)
	}
}

func TestTransactionsHaveTheirSettings(t *testing.T) {
	// The defaults of the server do not matter to transactions.
	db := openPostgres(t, dbtest.PostgresURL(t)+"&default_transaction_isolation=serializable&plan_cache_mode=force_generic_plan")
	settings := func(q database.Querier) string {
		t.Helper()
		got, err := database.QueryOne(t.Context(), q, database.ScanValue[string], `
			SELECT concat_ws(', ', current_setting('plan_cache_mode'), current_setting('jit'),
				current_setting('transaction_isolation'), current_setting('transaction_read_only'), current_setting('client_connection_check_interval'))`)
		check(t, err)
		return got
	}
	same := func(where, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %s, want %s", where, got, want)
		}
	}
	err := db.ReadTx(t.Context(), func(q database.Querier) error {
		same("in a read transaction", settings(q), "force_custom_plan, off, repeatable read, on, 0")
		return nil
	})
	check(t, err)
	same("outside a transaction", settings(db.Querier()), "force_generic_plan, off, serializable, off, 0")
	err = db.WriteTx(t.Context(), func(_ context.Context, q database.Querier) error {
		same("in a write transaction", settings(q), "force_generic_plan, off, read committed, off, 2s")
		return nil
	})
	check(t, err)
}

func TestConnectErrorHasTheMessageOfTheServer(t *testing.T) {
	parsed, err := url.Parse(dbtest.PostgresURL(t))
	check(t, err)
	parsed.Path = "/waymark_missing"
	want := "cannot connect to PostgreSQL at " + parsed.Host + `: database "waymark_missing" does not exist`
	if _, err := database.Open(t.Context(), database.Options{URL: parsed.String(), Migrations: schema}); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	first := parsed.Host
	parsed.Host = "HOSTS"
	two := strings.Replace(parsed.String(), "HOSTS", first+",127.0.0.1:1", 1)
	want = "cannot connect to PostgreSQL at " + first + `: database "waymark_missing" does not exist; 127.0.0.1:1: connection refused`
	if _, err := database.Open(t.Context(), database.Options{URL: two, Migrations: schema}); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestOpenStopsConnectingWhenItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := database.Open(ctx, database.Options{URL: "postgres://ann@127.0.0.1:1/links", Migrations: schema})
	wantError(t, "open", err, context.Canceled)
}

// A COMMIT waits for a synchronous standby; here it waits for a trigger, which needs one
// server only.
func TestCommitGoesOnAfterItsContextEnds(t *testing.T) {
	url := dbtest.PostgresURL(t)
	db, other := openPostgres(t, url), openPostgres(t, url)
	const lock = "SELECT pg_advisory_xact_lock(8128)"
	for _, statement := range []string{
		"CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(8128); RETURN NULL; END $$",
		"CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON texts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()",
	} {
		if _, err := other.Querier().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	err := other.WriteTx(t.Context(), func(txCtx context.Context, q database.Querier) error {
		if _, err := q.Exec(txCtx, lock); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(t.Context())
		written := make(chan error)
		go func() { written <- writeTx(ctx, db, insert(1)) }()
		for queryValue[int64](t, other.Querier(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND query = 'commit'") == 0 {
			runtime.Gosched()
		}
		cancel()
		err := <-written
		wantError(t, "the write", err, database.ErrCommitUnknown)
		wantError(t, "the write", err, waymark.ErrUnavailable)
		return nil
	})
	check(t, err)
	if err := db.Close(); err != nil { // waits for the COMMIT
		t.Error(err)
	}
	wantIDs(t, other, 1)
}

// The connection of a COMMIT that the server has rejected stays in the pool. A warning for a later
// statement does not concern a COMMIT.
func TestRejectedCommitEnds(t *testing.T) {
	db := openPostgres(t, dbtest.PostgresURL(t))
	for _, statement := range []string{
		"CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'rejected'; END $$",
		"CREATE CONSTRAINT TRIGGER reject AFTER INSERT ON texts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.id = 1) EXECUTE FUNCTION reject()",
		"CREATE FUNCTION warn() RETURNS BIGINT LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'a warning'; RETURN pg_backend_pid(); END $$",
	} {
		if _, err := db.Querier().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeTx(t.Context(), db, insert(1)); err == nil || !strings.Contains(err.Error(), "rejected") {
		t.Fatalf("got %v, want the error of the trigger", err)
	}
	queryValue[int64](t, db.Querier(), "SELECT warn()") // the pool reuses the connection that was used last
	wantError(t, "the next write", writeTx(t.Context(), db, insert(2)), nil)
	wantIDs(t, db, 2)
}
