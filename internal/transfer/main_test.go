package transfer_test

import (
	"context"
	"iter"
	"os"
	"testing"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

func TestMain(m *testing.M) { os.Exit(storetest.End(m.Run())) }

// fixture is a Transfer, with what users do between imports and exports.
type fixture struct {
	*transfer.Transfer
	s *store.Store
}

func newFixture(s *store.Store) *fixture { return &fixture{transfer.New(s, 0), s} }

// setQuota sets the quota for snapshots.
func (f *fixture) setQuota(bytes int64) { f.Transfer = transfer.New(f.s, bytes) }

// eachDatabase runs a test with a Transfer on an empty store of each database.
func eachDatabase(t *testing.T, run func(t *testing.T, svc *fixture, s *store.Store)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { run(t, newFixture(s), s) })
}

func (f *fixture) addLink(ctx context.Context, owner waymark.User, in waymark.LinkInput) (waymark.Link, error) {
	link, err := waymark.NewLink(owner, in)
	if err != nil {
		return link, err
	}
	draft := waymark.LinkDraft{Link: link}
	if in.Lists != nil {
		draft.Lists = *in.Lists
	}
	if in.Tags != nil {
		draft.Tags = *in.Tags
	}
	return f.s.CreateLink(ctx, owner, draft)
}

func (f *fixture) editLink(ctx context.Context, editor waymark.User, id waymark.LinkID, in waymark.LinkInput) error {
	_, err := f.s.ChangeLink(ctx, editor, id, nil, nil, func(link *waymark.Link, _ waymark.Target) error { return in.Apply(link) })
	return err
}

func (f *fixture) addList(ctx context.Context, owner waymark.User, in waymark.ListInput) (waymark.List, error) {
	list, err := waymark.NewList(owner, in)
	if err != nil {
		return list, err
	}
	return f.s.CreateList(ctx, owner.ID, list)
}

func (f *fixture) addNote(ctx context.Context, author waymark.User, link waymark.LinkID, text string) (waymark.Note, error) {
	note, err := waymark.NewNote(author, link, waymark.NoteInput{Text: text})
	if err != nil {
		return note, err
	}
	return f.s.CreateNote(ctx, note)
}

func (f *fixture) editNote(ctx context.Context, id waymark.NoteID, text string) error {
	_, err := f.s.ChangeNote(ctx, id, (waymark.NoteInput{Text: text}).Apply)
	return err
}

// trash moves an entity of owner to the trash.
func (f *fixture) trash(ctx context.Context, owner waymark.User, kind waymark.EntityKind, id int64) error {
	return f.s.Delete(ctx, owner, kind, id)
}

// rowsOf returns the bookmarks of a file, with their lines.
func rowsOf(all ...bookmarks.Bookmark) iter.Seq2[bookmarks.Bookmark, error] {
	return func(yield func(bookmarks.Bookmark, error) bool) {
		for i, b := range all {
			b.Line = i + 1
			if !yield(b, nil) {
				return
			}
		}
	}
}

func importRows(t *testing.T, svc *fixture, user waymark.User, options waymark.ImportOptions, rows iter.Seq2[bookmarks.Bookmark, error]) waymark.Import {
	t.Helper()
	batch, err := svc.BeginImport(t.Context(), user, waymark.Import{File: "bookmarks.html", Options: options}, nil)
	check(t, err)
	i, err := batch.Bookmarks(t.Context(), rows)
	check(t, err)
	return i
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
