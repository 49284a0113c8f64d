package store

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// In SQLite a page that has no driver reads each scope along the index of its order,
// and sorts none of them. (The plans themselves are in the golden files.)
func TestPagesAlongAnOrderSortNothingInSQLite(t *testing.T) {
	s := openTest(t, Options{})
	for _, shape := range shapes() {
		if shape.driver != query.NoDriver || shape.name == "links, last page" { // whose 16 rows are turned around
			continue
		}
		for _, st := range shape.statements(database.SQLite) {
			for _, step := range sqlitePlan(t, s, st) {
				if strings.Contains(step, "TEMP B-TREE") || strings.Contains(step, "SCAN e") {
					t.Errorf("%s, %s: %s", shape.name, st.what, step)
				}
			}
		}
	}
}

// In PostgreSQL a page that has no driver can read each scope along the index of its
// order. Sequential scans and sorts are switched off, since the planner prefers them for
// the empty tables of a test.
func TestPagesAlongAnOrderCanUseAnIndexInPostgreSQL(t *testing.T) {
	s := openTest(t, Options{Database: dbtest.PostgresURL(t)})
	for _, shape := range shapes() {
		if shape.driver != query.NoDriver || len(shape.predicates) > 0 {
			continue
		}
		statements := shape.statements(database.PostgreSQL)
		page := statements[len(statements)-1]
		var plan []string
		err := s.db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
			for _, setting := range []string{"enable_seqscan", "enable_sort", "enable_bitmapscan"} {
				if _, err := q.Exec(ctx, "SET LOCAL "+setting+" = off"); err != nil {
					return err
				}
			}
			rows, err := queryRows(ctx, q, "EXPLAIN "+page.text, page.args.Values...)
			for _, row := range rows {
				plan = append(plan, fmt.Sprint(row[0]))
			}
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v in\n%s", shape.name, err, page.text)
		}
		text := strings.Join(plan, "\n")
		if strings.Contains(text, "Seq Scan on links") {
			t.Errorf("%s reads the whole table:\n%s\n%s", shape.name, page.text, text)
		}
		if n := strings.Count(text, "using links_by_"); n < len(shape.scopes) && !strings.Contains(shape.name, "private") && !strings.Contains(shape.name, "visibility") {
			t.Errorf("%s uses an order's index %d times, want one for each of %d scopes:\n%s", shape.name, n, len(shape.scopes), text)
		}
	}
}

var (
	parameter   = regexp.MustCompile(`\$\d+`)
	verb        = regexp.MustCompile(`^\s*(SELECT|UPDATE|DELETE|INSERT)`)
	wholeTable  = regexp.MustCompile(`^ *SCAN (links|lists|tags|notes|link_lists|link_tags|users|api_keys|counters|[a-ln-oq-z])( |$)`) // p is a page, m an association
	smallTables = regexp.MustCompile(`FROM users AS e\s+ORDER BY`)                                                                     // the list of users
)

// The statements that the store runs, but for the list of users, read no whole table.
func TestCommonStatementsReadNoWholeTable(t *testing.T) {
	var mu sync.Mutex
	texts := map[string]bool{}
	s := openTest(t, Options{Trace: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		texts[text] = true
	}})
	ctx := t.Context()
	ada, err := s.CreateUser(ctx, waymark.User{Name: "ada", Visibility: waymark.Private}, "")
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(nil, err)
	clear(texts) // a new user is rare, and may cost more
	refs := func(names ...string) []waymark.Ref {
		var refs []waymark.Ref
		for _, name := range names {
			refs = append(refs, waymark.Ref{Name: name})
		}
		return refs
	}
	var created []waymark.Link
	for i := range 60 {
		links, err := s.CreateLinks(ctx, ada, []waymark.LinkDraft{{
			Link:  waymark.Link{URL: fmt.Sprint("https://a.example/", i), Title: fmt.Sprint("title ", i), Visibility: waymark.Private, Status: waymark.StatusOK},
			Lists: refs("red", "list"), Tags: refs("red", "green"),
		}})
		must(nil, err)
		created = append(created, links...)
	}
	anyOwner := func(waymark.UserID) error { return nil }
	public := waymark.Public
	edit := waymark.BulkEdit{Visibility: &public, Tags: refs("red", "new"), Lists: refs("new"), ReplaceTags: true}
	tagsOfLink, listsOfLink := refs("red"), refs("green", "blue")
	must(s.ChangeLink(ctx, ada, created[0].ID, &listsOfLink, &tagsOfLink, func(*waymark.Link) error { return nil }))
	must(s.Link(ctx, ada.ID, created[0].ID))
	must(s.HasURL(ctx, ada.ID, "https://a.example/1"))
	must(s.EditLinks(ctx, ada, []int64{1, 2, 3}, edit, anyOwner))
	must(s.EditTags(ctx, ada.ID, []int64{1, 2}, edit, anyOwner))
	must(s.CreateNote(ctx, waymark.Note{Owner: ada.ID, Link: created[0].ID, Text: "a note", Visibility: waymark.Public}))
	must(s.NotesOfLink(ada.ID, created[0].ID, waymark.Pagination{}).Page(ctx))
	must(s.SuggestTags(ctx, ada.ID, "e", 3))
	must(s.SuggestLists(ctx, ada.ID, "e", 3))
	for _, filter := range []waymark.LinkFilter{
		{Text: "s:"}, {Text: "https", SearchTitle: true}, {Tags: refs("red")}, {Lists: refs("red", "new")},
		{WithoutTags: true}, {BrokenOnly: true}, {Text: "https", Tags: refs("red"), ExcludeLists: refs("new")},
	} {
		must(s.SearchLinks(ada.ID, filter, waymark.Order{By: waymark.SortByTitle}, waymark.Pagination{Limit: 10}).Page(ctx))
	}
	must(nil, s.Delete(ctx, waymark.Links, int64(created[5].ID), anyOwner))
	must(s.DeleteMany(ctx, waymark.Links, []int64{int64(created[6].ID), int64(created[7].ID)}, anyOwner))
	must(nil, s.Restore(ctx, waymark.Links, int64(created[5].ID), anyOwner))
	must(s.TrashedLinks(ada.ID).Page(ctx))
	must(nil, s.ClearTrash(ctx, ada.ID, waymark.Links))
	must(nil, s.ClearTrash(ctx, ada.ID, waymark.Tags))
	must(s.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessFull}, []byte("hash")))
	_, _, err = s.APIKeyOwner(ctx, []byte("hash"))
	must(nil, err)

	looked := 0
	for text := range texts {
		if !verb.MatchString(text) || smallTables.MatchString(text) {
			continue
		}
		looked++
		a := database.NewArgs(database.SQLite, make([]any, len(parameter.FindAllString(text, -1)))...)
		for _, step := range sqlitePlan(t, s, statement{text: text, args: a}) {
			if wholeTable.MatchString(step) {
				t.Errorf("%s, in %s", step, text)
			}
		}
	}
	if looked < 40 {
		t.Errorf("only %d statements were looked at", looked)
	}
}
