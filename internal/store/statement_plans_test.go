package store_test

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

var (
	parameter   = regexp.MustCompile(`\$\d+`)
	verb        = regexp.MustCompile(`^\s*(SELECT|UPDATE|DELETE|INSERT)`)
	wholeTable  = regexp.MustCompile(`^ *SCAN (links|lists|tags|notes|link_lists|link_tags|users|api_keys|sessions|feed_tokens|undo_records|saved_searches|pinned_lists|pinned_tags|[a-ln-oq-z])( |$)`) // p is a page and m an association
	smallTables = regexp.MustCompile(`FROM users AS e\s+ORDER BY`)                                                                                                                                      // the list of users
)

// No statement that the store often runs reads a whole table.
func TestCommonStatementsReadNoWholeTable(t *testing.T) {
	var mu sync.Mutex
	texts := map[string]bool{}
	s := storetest.OpenWith(t, store.Options{Trace: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		texts[text] = true
	}})
	ctx := t.Context()
	ada := storetest.User(t, s, "ada")
	clear(texts) // users are created rarely
	must := func(_ any, err error) {
		t.Helper()
		check(t, err)
	}
	created := createLabelledLinks(t, s, ada, 60)
	public := waymark.Public
	edit := waymark.BulkEdit{Visibility: &public, Tags: refs("red", "new"), Lists: refs("new"), TagsMode: waymark.ReplaceRefs}
	tagsOfLink, listsOfLink := refs("red"), refs("green", "blue")
	must(s.ChangeLink(ctx, ada, created[0].ID, &listsOfLink, &tagsOfLink, func(*waymark.Link, waymark.Target) error { return nil }))
	must(s.Link(ctx, ada.ID, created[0].ID))
	must(s.HasURL(ctx, ada.ID, "https://a.example/1"))
	must(s.EditLinks(ctx, ada, []int64{1, 2, 3}, edit))
	must(s.EditLinks(ctx, ada, []int64{1, 2, 3}, waymark.BulkEdit{Tags: refs("red"), Lists: refs("new"), ListsMode: waymark.RemoveRefs, TagsMode: waymark.RemoveRefs}))
	must(s.EditTags(ctx, ada, []int64{1, 2}, edit))
	must(s.CreateNote(ctx, waymark.Note{Owner: ada.ID, Link: created[0].ID, Text: "a note", Visibility: waymark.Public}))
	must(s.NotesOfLink(ada.ID, created[0].ID, waymark.Pagination{}).Page(ctx))
	must(s.SuggestTags(ada.ID, "e", 3).Page(ctx))
	must(s.SuggestLists(ada.ID, "e", 3).Page(ctx))
	runSearches(t, s, ada)
	must(s.Sidebar(ctx, ada.ID))
	must(s.CompleteTags(ctx, ada.ID, "e"))
	must(s.CompleteTagsOfOthers(ctx, ada.ID, "e"))
	must(s.FindTags(ctx, ada.ID, refs("red", "unknown")))
	must(s.LinkByURL(ctx, ada.ID, "https://a.example/2"))
	must(nil, s.PinTag(ctx, ada.ID, 1, true))
	must(s.TagPinned(ctx, ada.ID, 1))
	must(s.TagLetters(ctx, ada.ID, 10))
	must(s.TagsBefore(ctx, ada.ID, "e"))
	must(s.Accounts.CreateSavedSearch(ctx, waymark.SavedSearch{Owner: ada.ID, Name: "a", Query: "a"}))
	must(s.Accounts.ChangeSavedSearch(ctx, ada.ID, 1, func(*waymark.SavedSearch) error { return nil }))
	must(s.Undoable(ctx, store.UndoRequest{User: ada.ID, Session: 1, Hash: []byte("undo")}, func(ctx context.Context, s *store.Store) error {
		if _, err := s.EditLinks(ctx, ada, []int64{4, 5}, edit); err != nil {
			return err
		}
		_, err := s.MergeTags(ctx, ada, 1, []waymark.TagID{2})
		return err
	}))
	must(s.Undo(ctx, store.UndoRequest{User: ada.ID, Session: 1, Hash: []byte("undo")}))
	must(nil, s.PruneUndoRecords(ctx))
	twice, again := storetest.Link(t, s, ada, "https://twice.example", waymark.Private), storetest.Link(t, s, ada, "http://twice.example#a", waymark.Private)
	must(nil, s.KeepApart(ctx, ada, []waymark.LinkID{twice.ID, again.ID}))
	must(s.Duplicates(ctx, ada.ID, true, store.FirstDuplicate, 10))
	_, _, err := s.CountDuplicates(ctx, ada.ID)
	check(t, err)
	must(s.MergeLinks(ctx, ada, store.Merge{Keep: twice.ID, Others: []waymark.LinkID{again.ID}}))
	for _, order := range []waymark.SortField{waymark.SortByLinks, waymark.SortByName} {
		must(s.SearchLists(ctx, ada.ID, waymark.LabelFilter{}, waymark.Order{By: order}, waymark.Pagination{Limit: 10}))
		must(s.SearchTags(ctx, ada.ID, waymark.LabelFilter{Owner: ada.ID, Name: "e"}, waymark.Order{By: order}, waymark.Pagination{Limit: 10}))
	}
	must(nil, s.Delete(ctx, ada, waymark.Links, int64(created[5].ID)))
	must(s.DeleteMany(ctx, ada, waymark.Links, []int64{int64(created[6].ID), int64(created[7].ID)}))
	must(nil, s.Restore(ctx, ada, waymark.Links, int64(created[5].ID)))
	must(s.RestoreMany(ctx, ada, waymark.Links, []int64{int64(created[6].ID), int64(created[7].ID)}))
	must(s.DeleteMany(ctx, ada, waymark.Tags, []int64{1}))
	must(s.RestoreMany(ctx, ada, waymark.Tags, []int64{1}))
	must(s.MatchingLinks(ctx, ada.ID, where(inTexts("a"), waymark.OwnedBy{ID: ada.ID})))
	must(s.TrashedLinks(ada.ID).Page(ctx))
	must(nil, s.ClearTrash(ctx, ada.ID, waymark.Links))
	must(nil, s.ClearTrash(ctx, ada.ID, waymark.Tags))
	runAccountStatements(t, s, ada)

	wantNoWholeTable(t, s, texts)
}

func runSearches(t *testing.T, s *store.Store, ada waymark.User) {
	t.Helper()
	for _, filter := range []waymark.LinkFilter{
		where(inURL("s:")),
		where(inTitle("https")),
		where(labeled(waymark.Tags, refs("red"))),
		where(labeled(waymark.Lists, refs("red", "new"))),
		where(waymark.IsUntagged),
		where(waymark.IsBroken),
		where(waymark.IsDead),
		where(inURL("https"), labeled(waymark.Tags, refs("red")), not(labeled(waymark.Lists, refs("new")))),
	} {
		if _, err := s.SearchLinks(ada.ID, filter, waymark.Order{By: waymark.SortByTitle}, waymark.Pagination{Limit: 10}).Page(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// createLabelledLinks creates n links with lists and tags.
func createLabelledLinks(t *testing.T, s *store.Store, owner waymark.User, n int) []waymark.Link {
	t.Helper()
	var created []waymark.Link
	for i := range n {
		created = append(created, storetest.CreateLinks(t, s, owner, waymark.LinkDraft{
			Link:  waymark.Link{URL: fmt.Sprint("https://a.example/", i), Title: fmt.Sprint("title ", i), Visibility: waymark.Private, Status: waymark.StatusOK},
			Lists: refs("red", "list"), Tags: refs("red", "green"),
		})...)
	}
	return created
}

// runAccountStatements runs the statements for the credentials of a user.
func runAccountStatements(t *testing.T, s *store.Store, ada waymark.User) {
	t.Helper()
	ctx := t.Context()
	must := func(_ any, err error) {
		t.Helper()
		check(t, err)
	}
	must(s.Accounts.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessFull}, []byte("hash")))
	_, _, err := s.Accounts.APIKeyOwner(ctx, []byte("hash"))
	must(nil, err)

	must(s.Accounts.CreateSession(ctx, waymark.Session{UserID: ada.ID}, []byte("session"), "", nil))
	_, err = s.Accounts.SessionOwner(ctx, []byte("session"))
	must(nil, err)
	must(s.Accounts.Sessions(ctx, ada.ID))
	must(nil, s.Accounts.SaveSessionUse(ctx, map[waymark.SessionID]waymark.Time{1: 2}))
	must(s.Accounts.SetAuthenticator(ctx, ada.ID, 0, waymark.Authenticator{Secret: "SECRET"}, [][]byte{[]byte("code")}))
	must(s.Accounts.Factors(ctx, ada.ID))
	must(nil, s.Accounts.UseCode(ctx, ada.ID, "SECRET", 1))
	must(nil, s.Accounts.UseRecoveryCode(ctx, ada.ID, []byte("code")))
	must(s.Accounts.CreateSession(ctx, waymark.Session{UserID: ada.ID}, []byte("another session"), "", []byte("another browser")))
	must(s.Accounts.Trust(ctx, ada.ID, []byte("another browser")))
	must(nil, s.Accounts.SetFactorRule(ctx, waymark.FactorForAll, "ada"))
	must(s.Accounts.FactorRule(ctx))
	must(nil, s.Accounts.SetFeedToken(ctx, ada.ID, "token"))
	must(s.Accounts.FeedToken(ctx, ada.ID))
	must(s.Accounts.FeedTokenOwner(ctx, "token"))
}

// wantNoWholeTable checks the query plans of statements.
func wantNoWholeTable(t *testing.T, s *store.Store, texts map[string]bool) {
	t.Helper()
	checked := 0
	for text := range texts {
		if !verb.MatchString(text) || smallTables.MatchString(text) {
			continue
		}
		checked++
		plan, err := s.SQLitePlan(t.Context(), text, make([]any, len(parameter.FindAllString(text, -1)))...)
		check(t, err)
		for _, step := range plan {
			if wholeTable.MatchString(step) {
				t.Errorf("query plan %q of\n%s", step, text)
			}
		}
	}
	if checked < 40 {
		t.Errorf("%d statements were checked, want at least 40", checked)
	}
}
