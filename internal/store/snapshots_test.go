package store_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// slow is somebody who reads a long answer and stops in its middle.
type slow struct {
	goOn chan struct{}
	end  chan error
	seen int
}

// readSlowly begins to read all links, and stops after the first.
func readSlowly(ctx context.Context, t *testing.T, s *store.Store, viewer waymark.User) *slow {
	t.Helper()
	r := &slow{goOn: make(chan struct{}), end: make(chan error, 1)}
	begun := make(chan struct{})
	go func() {
		r.end <- s.Links(ctx, viewer.ID, byID, everything, func(_ int, links iter.Seq2[waymark.Link, error]) error {
			for _, err := range links {
				if err != nil {
					return err
				}
				if r.seen++; r.seen == 1 {
					close(begun)
					<-r.goOn
				}
			}
			return nil
		})
	}()
	select {
	case <-begun:
	case err := <-r.end:
		t.Fatalf("the answer has ended before it began: %v", err)
	}
	return r
}

// finish goes on to read.
func (r *slow) finish() error {
	close(r.goOn)
	return <-r.end
}

const longAnswer = 1100 // links, which are read in three pieces

func TestSlowReaderKeepsItsPlaceWhileNobodyWaits(t *testing.T) {
	storetest.EachWith(t, store.Options{Connections: 12}, func(t *testing.T, s *store.Store) {
		s.SafeStreams(0)
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, longAnswer)
		first := readSlowly(t.Context(), t, s, ada)
		second := readSlowly(t.Context(), t, s, ada)
		storetest.Create(t, s, ada, storetest.Draft(longAnswer))
		if got := s.Stats().Streams; got != 2 {
			t.Errorf("got %d streams, want both", got)
		}
		for _, r := range []*slow{second, first} {
			if err := r.finish(); err != nil || r.seen != longAnswer {
				t.Errorf("got %d links, error %v, want the %d that were there at the start", r.seen, err, longAnswer)
			}
		}
	})
}

func TestOldestSlowReaderGivesWayToWhoWaits(t *testing.T) {
	storetest.EachWith(t, store.Options{Connections: 12}, func(t *testing.T, s *store.Store) {
		s.SafeStreams(time.Millisecond)
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, longAnswer)
		var readers []*slow
		for range 4 { // there is room for three
			readers = append(readers, readSlowly(t.Context(), t, s, ada))
		}
		for i, r := range readers {
			want := error(nil)
			if i == 0 {
				want = waymark.ErrUnavailable
			}
			wantError(t, fmt.Sprint("reader ", i), r.finish(), want)
		}
		if stats := s.Stats(); stats.Preempted != 1 || stats.Streams != 0 {
			t.Errorf("got %d that gave way and %d streams, want one and none", stats.Preempted, stats.Streams)
		}
	})
}

func TestYoungReaderGivesWayToNobody(t *testing.T) {
	s := storetest.Open(t)
	ada := storetest.User(t, s, "ada")
	storetest.Fill(t, s, ada, longAnswer)
	var readers []*slow
	for range 3 {
		readers = append(readers, readSlowly(t.Context(), t, s, ada))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := s.Links(ctx, ada.ID, byID, everything, func(int, iter.Seq2[waymark.Link, error]) error { return nil })
	wantError(t, "one too many", err, context.DeadlineExceeded)
	for i, r := range readers {
		wantError(t, fmt.Sprint("reader ", i), r.finish(), nil)
	}
}

func TestReaderWhoGoesAwayLeavesNothingBehind(t *testing.T) {
	storetest.EachWith(t, store.Options{Connections: 12}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, longAnswer)
		for range 9 {
			ctx, cancel := context.WithCancel(t.Context())
			r := readSlowly(ctx, t, s, ada)
			cancel()
			wantError(t, "a reader who is gone", r.finish(), context.Canceled)
		}
		// database/sql gives a connection back a moment after its context has ended.
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			stats := s.Stats()
			pool := stats.Pools["read"]
			if stats.Streams == 0 && pool.InUse == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("got %d streams and %d connections that work, want none", stats.Streams, pool.InUse)
			}
		}
	})
}

func TestQuickQuestionsDoNotWaitForSearches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://go.dev/", waymark.Private)
		release := s.HoldSearches()
		if _, err := s.Link(t.Context(), ada.ID, link.ID); err != nil {
			t.Errorf("one link: %v", err)
		}
		var page storetest.Page[waymark.Link]
		if err := s.Links(t.Context(), ada.ID, byID, everything, page.Show); err != nil {
			t.Errorf("a page: %v", err)
		}
		search := func(ctx context.Context) error {
			return s.SearchLinks(ctx, ada.ID, waymark.LinkFilter{Text: "go.dev"}, byID, everything, page.Show)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		wantError(t, "a search", search(ctx), context.DeadlineExceeded)
		release()
		wantError(t, "a search, when it is its turn", search(t.Context()), nil)
	})
}

// write keeps links that take that many bytes.
func write(t *testing.T, s *store.Store, owner waymark.User, from, bytes int) {
	t.Helper()
	text := strings.Repeat("a text of some length, ", 2000)
	for i := range bytes / (4 * len(text)) { // as it is, folded, and indexed
		draft := storetest.Draft(from + i)
		draft.Description = fmt.Sprint(from, text)
		storetest.Create(t, s, owner, draft)
	}
}

func TestLogStaysShortWhileSomebodyAlwaysReads(t *testing.T) {
	s := storetest.Open(t)
	if err := s.KeepLog(t.Context(), 256<<10, 1<<20, 1<<40, time.Minute); err != nil {
		t.Fatal(err)
	}
	ada := storetest.User(t, s, "ada")
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		stopped <- func() error {
			end, err := s.Snapshot(t.Context())
			for err == nil {
				var next func() error
				if next, err = s.Snapshot(t.Context()); err != nil { // so that there is no moment without
					break
				}
				if err = end(); err != nil {
					break
				}
				end = next
				select {
				case <-stop:
					return end()
				default:
				}
			}
			return err
		}()
	}()
	var longest int64
	for i := range 20 {
		write(t, s, ada, 10_000+100*i, 1<<19)
		longest = max(longest, s.Stats().WALBytes)
	}
	close(stop)
	wantError(t, "reading all the time", <-stopped, nil)
	if longest > 3<<20 {
		t.Errorf("the log has come to %d bytes, want at most 3 MiB", longest)
	}
	if stats := s.Stats(); stats.Checkpoints["failed"] != 0 {
		t.Errorf("got checkpoints %v, want no failure", stats.Checkpoints)
	}
}

func TestSlowReaderGivesWayWhenTheLogIsTooLong(t *testing.T) {
	s := storetest.Open(t)
	s.SafeStreams(0)
	if err := s.KeepLog(t.Context(), 256<<10, 1<<20, 3<<20, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	ada := storetest.User(t, s, "ada")
	storetest.Fill(t, s, ada, longAnswer)
	reader := readSlowly(t.Context(), t, s, ada)
	bob := storetest.User(t, s, "bob")
	write(t, s, bob, 10_000, 1<<20)
	if stats := s.Stats(); stats.Preempted != 0 {
		t.Errorf("the reader gave way when the log had %d bytes", stats.WALBytes)
	}
	var longest int64
	for i := range 10 {
		write(t, s, bob, 20_000+100*i, 1<<20)
		longest = max(longest, s.Stats().WALBytes)
	}
	if now := s.Stats().WALBytes; longest > 10<<20 || now > 4<<20 {
		t.Errorf("the log has come to %d bytes, and has %d now, want at most 10 MiB and 4 MiB", longest, now)
	}
	wantError(t, "the slow reader", reader.finish(), waymark.ErrUnavailable)
	if reader.seen >= longAnswer {
		t.Errorf("the slow reader has seen all %d links", reader.seen)
	}
}
