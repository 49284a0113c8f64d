package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// shape is one kind of page that a client can request.
type shape struct {
	name       string
	viewer     waymark.UserID
	order      waymark.Order
	predicates []query.Predicate
	driver     int
	window     query.Window
	after      []any // the cursor of a page that follows another one
	scopes     []query.Scope
}

const viewer waymark.UserID = 7

// shapes returns all kinds of pages of links, and the batches that follow them in a
// stream.
func shapes() []shape {
	page := query.Window{Offset: 0, Limit: 24, Total: 1000}
	inList := query.Predicate{Kind: query.InAny, Association: &query.LinkLists, IDs: []int64{3}}
	withTags := query.Predicate{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{4, 5}}
	text := query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: "github", Columns: []string{"url_folded", "title_folded", "description_folded"}}}
	short := query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: "go", Columns: []string{"url_folded"}}}
	byTitle := waymark.Order{By: waymark.SortByTitle}
	newest := waymark.Order{By: waymark.SortByCreatedAt, Desc: true}
	all := []shape{
		{name: "links of a guest", viewer: waymark.Guest, order: newest},
		{name: "links in the middle", order: newest, window: query.Window{Offset: 480, Limit: 24, Total: 1000}},
		{name: "links, last page", order: newest, window: query.Window{Offset: 984, Limit: 16, Total: 1000}},
		{name: "links of a list", order: waymark.Order{By: waymark.SortByID}, predicates: []query.Predicate{inList}, driver: 0},
		{name: "links of a list by title", order: byTitle, predicates: []query.Predicate{inList}, driver: 0},
		{name: "links of a list, along the order", order: byTitle, predicates: []query.Predicate{inList}, driver: query.NoDriver},
		{name: "search text", order: byTitle, predicates: []query.Predicate{text}, driver: 0},
		{name: "search text, along the order", order: byTitle, predicates: []query.Predicate{text}, driver: query.NoDriver},
		{name: "search trigram", order: byTitle, predicates: []query.Predicate{{Kind: query.ContainsText, Text: query.TextPredicate{Text: "git", Columns: []string{"url_folded"}}}}, driver: 0},
		{name: "search short text", order: byTitle, predicates: []query.Predicate{short}, driver: 0},
		{name: "search short text with few results", order: byTitle, predicates: []query.Predicate{short, {Kind: query.HasID, IDs: []int64{11, 12}}}, driver: 1},
		{name: "search tags", order: byTitle, predicates: []query.Predicate{withTags}, driver: 0},
		{name: "search tag and text", order: byTitle, predicates: []query.Predicate{text, {Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{4}}}, driver: 1},
		{name: "search every tag", order: byTitle, predicates: []query.Predicate{{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{4}}, {Kind: query.InAll, Association: &query.LinkTags, IDs: []int64{5, 6}}}, driver: 0},
		{name: "search without tags", order: byTitle, predicates: []query.Predicate{{Kind: query.InNoneVisible, Association: &query.LinkTags, User: viewer}}, driver: query.NoDriver},
		{name: "search excluding lists", order: byTitle, predicates: []query.Predicate{text, {Kind: query.InNone, Association: &query.LinkLists, IDs: []int64{3, 8}}}, driver: 0},
		{name: "search broken links", order: byTitle, predicates: []query.Predicate{{Kind: query.IsBroken}}, driver: 0},
		{name: "search private links", order: byTitle, predicates: []query.Predicate{text}, driver: 0, scopes: []query.Scope{query.Scope(viewer)}},
	}
	for _, by := range waymark.LinkSortFields {
		name := "links by " + by.String()
		all = append(all, shape{name: name, order: waymark.Order{By: by}})
		var cursor []any
		switch len(links.order[by].Columns) {
		case 1:
			cursor = []any{int64(1)}
		case 2:
			cursor = []any{"a", "A"}
		}
		if by == waymark.SortByCheckDisabled {
			cursor = []any{true}
		}
		cursor = append(cursor, int64(42))
		all = append(all, shape{name: name + ", next batch", order: waymark.Order{By: by}, after: cursor, window: query.Window{Offset: 500, Limit: 500, Total: 1000}})
	}
	for i := range all {
		if all[i].predicates == nil {
			all[i].driver = query.NoDriver
		}
		if all[i].window.Total == 0 {
			all[i].window = page
		}
		if all[i].viewer == 0 && all[i].name != "links of a guest" {
			all[i].viewer = viewer
		}
		if all[i].scopes == nil {
			all[i].scopes = query.ScopesOf(all[i].viewer)
		}
	}
	return all
}

func (s shape) plan() query.Plan {
	return query.Plan{Table: "links", Scopes: s.scopes, Predicates: s.predicates, Driver: s.driver, Order: links.order[s.order.By], Desc: s.order.Desc}
}

// statements returns the statements that read the page.
func (s shape) statements(kind database.Kind) []statement {
	d := query.NewDialect(kind)
	p := s.plan()
	if p.Order.Group != nil {
		// The first group of scopes. The statements of the others have the same form.
		p = p.Segments(s.window, []int{1000, 1000, 1000})[0].Plan
	}
	var all []statement
	if len(p.Predicates) > 0 && s.after == nil {
		a := database.NewArgs(kind)
		all = append(all, statement{"count", p.CountSQL(a, d), a})
	}
	after := s.after
	if after != nil && kind == database.PostgreSQL && len(after) == 3 {
		after = append([]any{"a"}, after...)
	}
	a := database.NewArgs(kind)
	return append(all, statement{"page", p.PageSQL(a, d, links.selected, s.window, min(s.window.Limit, query.BatchSize), after), a})
}

type statement struct {
	what string
	text string
	args *database.Args
}

// The golden files have the whole SQL of every kind of page, and for SQLite its query
// plan. go test ./internal/store -run GoldenSQL -update writes them.
func TestGoldenSQL(t *testing.T) {
	s := openTest(t, Options{})
	for name, kind := range map[string]database.Kind{"sqlite": database.SQLite, "postgres": database.PostgreSQL} {
		known := map[string]bool{}
		for _, shape := range shapes() {
			var golden strings.Builder
			for _, st := range shape.statements(kind) {
				fmt.Fprintf(&golden, "-- %s\n%s;\n", st.what, st.text)
				for i, arg := range st.args.Values {
					fmt.Fprintf(&golden, "-- $%d = %#v\n", i+1, arg)
				}
				if kind == database.SQLite {
					for _, step := range sqlitePlan(t, s, st.text, st.args.Values...) {
						fmt.Fprintf(&golden, "-- plan: %s\n", step)
					}
				}
				golden.WriteByte('\n')
			}
			file := strings.ReplaceAll(strings.ReplaceAll(shape.name, ",", ""), " ", "_") + ".golden"
			known[file] = true
			compareGolden(t, filepath.Join("testdata", "sql", name, file), golden.String())
		}
		files, err := os.ReadDir(filepath.Join("testdata", "sql", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !known[file.Name()] {
				t.Errorf("%s/%s is the file of no shape: delete it", name, file.Name())
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
