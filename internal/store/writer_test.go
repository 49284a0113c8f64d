package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// exec runs a statement in a change.
type exec = func(text string, args ...any) error

// held is a store whose writer is busy until release is called, so that what
// follows waits, and then makes one group.
type held struct {
	*store.Store
	t       *testing.T
	release func()
	first   <-chan error // the answer to the change that keeps the writer busy
	waiting int
}

// hold opens a store with a table called kept, and keeps its writer busy.
func hold(t *testing.T, s *store.Store) *held {
	t.Helper()
	if err := s.Change(t.Context(), func(_ context.Context, exec exec) error {
		return exec("CREATE TABLE IF NOT EXISTS kept (n INTEGER NOT NULL UNIQUE)")
	}); err != nil {
		t.Fatal(err)
	}
	begun, gate, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- s.Change(t.Context(), func(_ context.Context, exec exec) error {
			close(begun)
			<-gate
			return exec("INSERT INTO kept VALUES (-1)")
		})
	}()
	<-begun
	return &held{Store: s, t: t, release: sync.OnceFunc(func() { close(gate) }), first: first}
}

// wait has a change wait behind those that wait already, and returns where its
// answer will come.
func (h *held) wait(ctx context.Context, do func(exec exec) error) <-chan error {
	h.t.Helper()
	answer := make(chan error, 1)
	go func() {
		answer <- h.Change(ctx, func(_ context.Context, exec exec) error { return do(exec) })
	}()
	h.waiting++
	for h.Waiting() < h.waiting {
		runtime.Gosched()
	}
	return answer
}

func keep(n int) func(exec) error {
	return func(exec exec) error { return exec("INSERT INTO kept VALUES ($1)", n) }
}

// wantKept holds the numbers that readers see against those that they should.
func wantKept(t testing.TB, s *store.Store, want ...int) {
	t.Helper()
	rows, err := s.Rows(t.Context(), "SELECT n FROM kept ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	got := []int{}
	for _, row := range rows {
		got = append(got, int(row[0].(int64))) //nolint:errcheck // a column of integers
	}
	if want == nil {
		want = []int{}
	}
	wantSame(t, "what is kept", got, want)
}

func TestNoChangeIsAnsweredBeforeTheCommitThatKeepsIt(t *testing.T) {
	h := hold(t, storetest.Open(t))
	second := h.wait(t.Context(), keep(2))
	begun, gate := make(chan struct{}), make(chan struct{})
	third := h.wait(t.Context(), func(exec exec) error {
		close(begun)
		<-gate
		return keep(3)(exec)
	})
	h.release()
	<-begun // the two before it have run in the same transaction
	select {
	case err := <-h.first:
		t.Errorf("the first change is answered with %v before its commit", err)
	case err := <-second:
		t.Errorf("the second change is answered with %v before its commit", err)
	default:
	}
	wantKept(t, h.Store)
	close(gate)
	for what, answer := range map[string]<-chan error{"first": h.first, "second": second, "third": third} {
		if err := <-answer; err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	wantKept(t, h.Store, -1, 2, 3)
}

func TestErrorOrPanicInOneChangeLeavesTheOthers(t *testing.T) {
	h := hold(t, storetest.Open(t))
	refuse := errors.New("no")
	var answers []<-chan error
	want := []int{-1}
	for n := range 40 {
		answers = append(answers, h.wait(t.Context(), func(exec exec) error {
			if err := keep(n)(exec); err != nil {
				return err
			}
			switch n % 4 {
			case 1:
				return refuse
			case 2:
				panic("at the disco")
			case 3:
				return exec("INSERT INTO kept VALUES (-1)") // taken
			}
			return nil
		}))
		if n%4 == 0 {
			want = append(want, n)
		}
	}
	h.release()
	for n, answer := range answers {
		err := <-answer
		switch n % 4 {
		case 0:
			wantError(t, fmt.Sprint("change ", n), err, nil)
		case 1:
			wantError(t, fmt.Sprint("change ", n), err, refuse)
		case 2:
			if err == nil || !strings.Contains(err.Error(), "at the disco") {
				t.Errorf("change %d: got error %v, want what the panic said", n, err)
			}
		case 3:
			wantError(t, fmt.Sprint("change ", n), err, waymark.ErrConflict)
		}
	}
	wantKept(t, h.Store, want...)
}

func TestCancelledChangeDoesNotHarmItsNeighbours(t *testing.T) {
	h := hold(t, storetest.Open(t))
	given, giveUp := context.WithCancel(t.Context())
	before := h.wait(t.Context(), keep(1))
	while := h.wait(given, keep(2))
	amid, stop := context.WithCancel(t.Context())
	running := h.wait(amid, func(exec exec) error {
		if err := keep(3)(exec); err != nil {
			return err
		}
		stop() // from here on it can only come to its end
		return keep(4)(exec)
	})
	after := h.wait(t.Context(), keep(5))
	giveUp()
	h.release()
	wantError(t, "before", <-before, nil)
	wantError(t, "cancelled while it waited", <-while, context.Canceled)
	wantError(t, "cancelled while it ran", <-running, nil)
	wantError(t, "after", <-after, nil)
	wantError(t, "cancelled beforehand", h.Change(given, func(context.Context, exec) error { return nil }), context.Canceled)
	wantKept(t, h.Store, -1, 1, 3, 4, 5)
}

func TestCloseFinishesWhatWaits(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	h := hold(t, s)
	var answers []<-chan error
	want := []int{-1}
	for n := range 20 {
		answers = append(answers, h.wait(t.Context(), keep(n)))
		want = append(want, n)
	}
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	h.release()
	wantError(t, "close", <-closed, nil)
	for n, answer := range answers {
		wantError(t, fmt.Sprint("change ", n), <-answer, nil)
	}
	_, err = s.CreateUser(t.Context(), waymark.User{Name: "late", Visibility: waymark.Private}, "")
	wantError(t, "a change after the end", err, waymark.ErrUnavailable)
	wantKept(t, storetest.OpenWith(t, store.Options{Dir: dir}), want...)
}

func TestFailedCommitIsToldToEveryChangeInIt(t *testing.T) {
	h := hold(t, storetest.Open(t))
	neighbour := h.wait(t.Context(), keep(1))
	guilty := h.wait(t.Context(), func(exec exec) error { // what only the commit looks at
		if err := exec("PRAGMA defer_foreign_keys = 1"); err != nil {
			return err
		}
		return exec("INSERT INTO link_tags (link_id, tag_id) VALUES (1, 1)")
	})
	h.release()
	for what, answer := range map[string]<-chan error{"first": h.first, "neighbour": neighbour, "guilty": guilty} {
		if err := <-answer; err == nil {
			t.Errorf("%s: no error, though nothing was committed", what)
		}
	}
	wantKept(t, h.Store)
	if err := h.Change(t.Context(), func(_ context.Context, exec exec) error { return keep(7)(exec) }); err != nil {
		t.Errorf("the next change: %v", err)
	}
	wantKept(t, h.Store, 7)
}

func TestLockedDatabaseIsUnavailableUntilItIsFree(t *testing.T) {
	dir := t.TempDir()
	s := storetest.OpenWith(t, store.Options{Dir: dir})
	hurry := func(_ context.Context, exec exec) error { return exec("PRAGMA busy_timeout = 20") }
	if err := s.Change(t.Context(), hurry); err != nil {
		t.Fatal(err)
	}
	other := hold(t, storetest.OpenWith(t, store.Options{Dir: dir}))
	_, err := s.CreateUser(t.Context(), waymark.User{Name: "ada", Visibility: waymark.Private}, "")
	wantError(t, "while another process writes", err, waymark.ErrUnavailable)
	if _, err := s.Users(t.Context()); err != nil {
		t.Errorf("reading meanwhile: %v", err)
	}
	other.release()
	wantError(t, "the other", <-other.first, nil)
	storetest.User(t, s, "ada")
}

// A file that may not grow fails a change while it runs.
func TestFullDatabaseLosesNothingThatWasAcknowledged(t *testing.T) {
	s := storetest.Open(t)
	pragma := func(text string) {
		t.Helper()
		if err := s.Change(t.Context(), func(_ context.Context, exec exec) error { return exec("PRAGMA " + text) }); err != nil {
			t.Fatal(err)
		}
	}
	checkRoom(t, s, func() {
		rows, err := s.Rows(t.Context(), "PRAGMA page_count")
		if err != nil {
			t.Fatal(err)
		}
		pragma(fmt.Sprint("max_page_count = ", rows[0][0].(int64)+100)) //nolint:errcheck // a column of integers
	}, func() { pragma("max_page_count = 1073741823") })
}

// checkRoom adds links in parallel while there is less and less room, and then
// while there is room again.
func checkRoom(t *testing.T, s *store.Store, limit, lift func()) {
	t.Helper()
	ada := storetest.User(t, s, "ada")
	var mu sync.Mutex
	var kept []string
	refused := 0
	add := func(i int) error {
		draft := storetest.Draft(i)
		draft.Description = strings.Repeat(draft.Description+" ", 60)
		_, err := s.CreateLinks(t.Context(), ada, []waymark.LinkDraft{draft})
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			kept = append(kept, draft.URL)
			return nil
		}
		wantError(t, "create without room", err, waymark.ErrUnavailable)
		refused++
		return err
	}
	check := func() {
		t.Helper()
		var urls []string
		for _, link := range linksOf(t, s, ada) {
			urls = append(urls, link.URL)
		}
		slices.Sort(urls)
		slices.Sort(kept)
		wantSame(t, "what is there", urls, kept)
		wantBooks(t, s)
	}

	limit()
	for i := range 3 { // for which there is room: a group of many may not fit
		if err := add(i); err != nil {
			t.Fatal(err)
		}
	}
	var writers sync.WaitGroup
	for w := range 20 {
		writers.Go(func() {
			for i := range 10 {
				add(100 + 10*w + i) //nolint:errcheck // add looks at it
			}
		})
	}
	writers.Wait()
	if len(kept) == 0 || refused == 0 {
		t.Errorf("%d links kept, %d refused: the room should come to its end in between", len(kept), refused)
	}
	check()
	lift()
	for i := range 20 {
		if err := add(2000 + i); err != nil {
			t.Errorf("create with room again: %v", err)
		}
	}
	check()
}

func TestParallelChangesOfAllKindsKeepTheBooks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob"), storetest.User(t, s, "eve")}
		for _, user := range users {
			storetest.Fill(t, s, user, 30)
		}
		var writers sync.WaitGroup
		for w := range 9 {
			user := users[w%3]
			writers.Go(func() {
				for i := range 12 {
					if err := someChange(t.Context(), s, user, w, i); err != nil && !errors.Is(err, waymark.ErrConflict) && !errors.Is(err, waymark.ErrNotFound) {
						t.Errorf("writer %d, change %d: %v", w, i, err)
					}
				}
			})
		}
		writers.Wait()
		wantBooks(t, s)
	})
}

// someChange makes one change or another among the entries 1 to 90, so that
// parallel writers get in each other's way.
func someChange(ctx context.Context, s *store.Store, user waymark.User, w, i int) error {
	var ids []int64
	for n := range 15 {
		ids = append(ids, int64(1+(w*7+i*11+n*n)%90))
	}
	v := waymark.Visibility(1 + (w+i)%3)
	switch (w + i) % 6 {
	case 0:
		_, err := s.Trash(ctx, user.ID, waymark.Links, ids)
		return err
	case 1:
		return errors.Join(s.Restore(ctx, user.ID, waymark.Links, ids[0]), s.Restore(ctx, user.ID, waymark.Tags, ids[1]%40))
	case 2:
		_, err := s.EditLinks(ctx, user, ids, waymark.BulkEdit{Visibility: &v, Tags: names("one", fmt.Sprint("tag ", i)), Lists: names(fmt.Sprint("list ", w%3)), ReplaceTags: i%2 == 0})
		return err
	case 3:
		_, err := s.CreateLinks(ctx, user, []waymark.LinkDraft{storetest.Draft(100 + i), storetest.Draft(200 + w*100 + i)})
		return err
	case 4:
		_, err := s.Trash(ctx, user.ID, waymark.Tags, ids)
		return err
	}
	if i%4 == 0 {
		return s.ClearTrash(ctx, user.ID, waymark.Tags)
	}
	_, err := s.EditTags(ctx, user.ID, ids, waymark.BulkEdit{Visibility: &v})
	return err
}
