package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// shape is one kind of page that a client can request.
type shape struct {
	name   string
	plan   query.Plan
	window query.Window
	// indexed says that each scope is read along an index of the order, and nothing is sorted.
	indexed bool
}

const viewer waymark.UserID = 7

// shapes returns all kinds of pages.
func shapes() []shape {
	scopes := query.ScopesOf(viewer)
	inList := query.Predicate{Kind: query.InAny, Association: &query.LinkLists, IDs: []int64{3}}
	withTags := query.Predicate{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{4, 5}}
	text := query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: "github", Columns: []string{"url", "title", "description"}}}
	inSnapshot := query.Predicate{Kind: query.Or, Parts: []query.Predicate{text, {Kind: query.SnapshotContains, Text: query.TextPredicate{Words: []string{"github"}}}}}
	everyTag := query.Predicate{Kind: query.InAll, Association: &query.LinkTags, IDs: []int64{4, 5}}
	withoutTags := query.Predicate{Kind: query.InNoneVisible, Association: &query.LinkTags, User: viewer}
	notInLists := query.Predicate{Kind: query.Not, Parts: []query.Predicate{{Kind: query.InAny, Association: &query.LinkLists, IDs: []int64{3, 8}}}}
	draft := query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: "draft", Columns: []string{"url", "title", "description"}}}
	tree := query.Predicate{Kind: query.Or, Parts: []query.Predicate{
		{Kind: query.And, Parts: []query.Predicate{withTags, {Kind: query.OnSite, Text: query.TextPredicate{Text: "go.dev"}}}},
		{Kind: query.InNamed, Association: &query.LinkTags, User: viewer, Text: query.TextPredicate{Text: "lang/", Prefix: true}},
		{Kind: query.NoteContains, User: viewer, Text: query.TextPredicate{Text: "draft"}},
		{Kind: query.HasSnapshot},
	}}
	byTitle, byCreatedAt := links.order[waymark.SortByTitle], links.order[waymark.SortByCreatedAt]
	page := query.Window{Offset: 0, Limit: 24, Total: 1000}
	all := []shape{
		{"links of a guest", query.Plan{Table: "links", Scopes: query.ScopesOf(waymark.Guest), Order: byCreatedAt, Desc: true}, page, true},
		{"links in the middle", query.Plan{Table: "links", Scopes: scopes, Order: byCreatedAt, Desc: true}, query.Window{Offset: 480, Limit: 24, Total: 1000}, true},
		{"links, last page", query.Plan{Table: "links", Scopes: scopes, Order: byCreatedAt, Desc: true}, query.Window{Offset: 984, Limit: 16, Total: 1000}, false}, // the 16 rows are reversed
		{"links of a list", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{inList}}, page, false},
		{"search text", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{text}, Order: byTitle}, page, false},
		{"search text and snapshots", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{inSnapshot}, Order: byTitle}, page, false},
		{"search tags", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{withTags}, Order: byTitle}, page, false},
		{"search list, tags and text", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{text, withTags, inList}, Order: byTitle}, page, false},
		{"search every tag", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{everyTag}, Order: byTitle}, page, false},
		{"search without tags", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{withoutTags}, Order: byTitle}, page, false},
		{"search excluding lists", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{text, notInLists}, Order: byTitle}, page, false},
		{"search broken links", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{{Kind: query.IsBroken}}, Order: byTitle}, page, false},
		{"search dead links", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{{Kind: query.HasCheckResult, CheckResult: waymark.CheckDead}}, Order: byTitle}, page, false},
		{"search links to read later", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{{Kind: query.HasFlag, Flag: waymark.FlagValue{Flag: waymark.FlagUnread, On: true}}, {Kind: query.HasFlag, Flag: waymark.FlagValue{Flag: waymark.FlagArchived}}}, Order: byTitle}, page, false},
		{"search words of an owner in a month", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{
			text,
			{Kind: query.SavedBetween, From: 1_700_000_000_000_000, Before: 1_702_592_000_000_000},
			{Kind: query.OwnedBy, User: viewer},
			{Kind: query.Not, Parts: []query.Predicate{draft}},
		}, Order: byCreatedAt, Desc: true}, page, false},
		{"search a tree", query.Plan{Table: "links", Scopes: scopes, Predicates: []query.Predicate{tree, {Kind: query.Not, Parts: []query.Predicate{tree}}}, Order: byTitle}, page, false},
		{"search private links", query.Plan{Table: "links", Scopes: scopes[2:], Predicates: []query.Predicate{text}, Order: byTitle}, page, false},
		{"notes of a link", query.Plan{Table: "notes", Scopes: scopes, Predicates: []query.Predicate{{Kind: query.NoteOfLink, IDs: []int64{3}}}, Order: notes.order[waymark.SortByCreatedAt]}, page, false},
		{"suggested tags", query.Plan{Table: "tags", Predicates: []query.Predicate{{Kind: query.OwnedNamed, User: viewer, Text: query.TextPredicate{Text: "go"}}}, Order: tags.order[waymark.SortByName]}, page, false},
		{"links in the trash", query.Plan{Table: "links", Predicates: []query.Predicate{{Kind: query.TrashedBy, User: viewer}}}, page, true},
		{"search words in the trash", query.Plan{Table: "links", Predicates: []query.Predicate{{Kind: query.TrashedBy, User: viewer}, text}, Order: links.order[waymark.SortByUpdatedAt], Desc: true}, page, false},
	}
	mostUsed := query.Plan{Table: "tags", Scopes: scopes, Predicates: []query.Predicate{{Kind: query.OwnedBy, User: viewer}}, ByLinks: &query.LinkTags, Desc: true}
	all = append(all,
		shape{"tags by number of links", mostUsed, query.Window{Limit: 7, Total: 1000}, false},
		shape{"lists with a name", query.Plan{Table: "lists", Scopes: scopes, Predicates: []query.Predicate{{Kind: query.Named, Text: query.TextPredicate{Text: "go"}}}, Order: lists.order[waymark.SortByName]}, page, false})
	byField := func(table string, fields []waymark.SortField, order map[waymark.SortField]query.Order) {
		for _, by := range fields {
			indexed := by == waymark.SortByCreatedAt || by == waymark.SortByName || by == waymark.SortByID && table == "links"
			all = append(all, shape{table + " by " + by.String(), query.Plan{Table: table, Scopes: scopes, Order: order[by]}, page, indexed})
		}
	}
	byField("links", waymark.LinkSortFields, links.order)
	byField("lists", waymark.ListSortFields, lists.order)
	byField("tags", waymark.TagSortFields, tags.order)
	return all
}

// statements returns the statements that count the listing and select the ids of the page.
func (s shape) statements(kind database.Kind) []statement {
	d := query.NewDialect(kind)
	counted, found := database.NewArgs(kind), database.NewArgs(kind)
	count := statement{"count", "", counted}
	if len(s.plan.Predicates) == 0 {
		count.text = s.plan.CounterSQL(counted)
	} else {
		count.text = s.plan.CountSQL(counted, d)
	}
	statements := []statement{count, {"ids", s.plan.IDsSQL(found, d, s.window), found}}
	if s.name == "search text" { // it is the same statement for every listing
		a := database.NewArgs(kind)
		text := links.byIDSQL(a, linkWithLabels().selected(a, viewer), []int64{1, 2}) + " AND " + s.plan.StillSQL(a, d)
		statements = append(statements, statement{"the rows of a page", text, a})
	}
	if s.plan.ByLinks != nil {
		a := database.NewArgs(kind)
		statements = append(statements, statement{"the number of links of each", s.plan.ByLinks.CountLinksSQL(a, []int64{4, 5}, s.plan.Scopes), a})
	}
	return statements
}

type statement struct {
	what string
	text string
	args *database.Args
}

// golden are the shapes with a golden file, as examples.
var golden = map[string]bool{"links of a guest": true, "links of a list": true, "search text": true, "search words of an owner in a month": true, "search a tree": true, "tags by number of links": true}

// The golden files have the whole SQL for some kinds of pages and for one link, and for SQLite the
// query plan. go test ./internal/store -run GoldenSQL -update writes them.
func TestGoldenSQL(t *testing.T) {
	s := openTest(t, Options{})
	for name, kind := range map[string]database.Kind{"sqlite": database.SQLite, "postgres": database.PostgreSQL} {
		known := map[string]bool{}
		write := func(what string, statements []statement) {
			var text strings.Builder
			for _, st := range statements {
				fmt.Fprintf(&text, "-- %s\n%s;\n", st.what, st.text)
				for i, arg := range st.args.Values {
					fmt.Fprintf(&text, "-- $%d = %#v\n", i+1, arg)
				}
				if kind == database.SQLite {
					for _, step := range sqlitePlan(t, s, st.text, st.args.Values...) {
						fmt.Fprintf(&text, "-- plan: %s\n", step)
					}
				}
				text.WriteByte('\n')
			}
			file := strings.ReplaceAll(strings.ReplaceAll(what, ",", ""), " ", "_") + ".golden"
			known[file] = true
			compareGolden(t, filepath.Join("testdata", "sql", name, file), text.String())
		}
		for _, shape := range slices.DeleteFunc(shapes(), func(s shape) bool { return !golden[s.name] }) {
			write(shape.name, shape.statements(kind))
		}
		write("one link", []statement{
			{"a link that a user requests", userLinkSQL, &database.Args{Values: []any{viewer, viewer, waymark.LinkID(3)}}},
		})
		files, err := os.ReadDir(filepath.Join("testdata", "sql", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !known[file.Name()] {
				t.Errorf("%s/%s is the file of no statement: delete it", name, file.Name())
			}
		}
	}
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs: run go test ./internal/store -run GoldenSQL -update and look at the diff. Got:\n%s", file, got)
	}
}
