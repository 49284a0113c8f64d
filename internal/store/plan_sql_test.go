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

// shapes returns all kinds of pages that SQL lists.
func shapes(s *Store) []shape {
	scopes := query.ScopesOf(viewer)
	page := query.Window{Offset: 0, Limit: 24, Total: 1000}
	middle, last := query.Window{Offset: 480, Limit: 24, Total: 1000}, query.Window{Offset: 984, Limit: 16, Total: 1000}
	byName := tags.order[waymark.SortByName]
	all := []shape{
		{"tags of a guest", query.Plan{Table: "tags", Scopes: query.ScopesOf(waymark.Guest), Order: byName, Desc: true}, page, true},
		{"tags in the middle", query.Plan{Table: "tags", Scopes: scopes, Order: byName, Desc: true}, middle, true},
		{"tags, last page", query.Plan{Table: "tags", Scopes: scopes, Order: byName, Desc: true}, last, false}, // the 16 rows are reversed
		{"lists with a name", labelPlan(s, &lists, viewer, waymark.LabelFilter{Name: "go"}, waymark.Order{By: waymark.SortByName}), page, false},
		{"empty lists", labelPlan(s, &lists, viewer, waymark.LabelFilter{Owner: viewer, Empty: true}, waymark.Order{By: waymark.SortByName}), page, false},
		{"notes of a link", s.NotesOfLink(viewer, 3, waymark.Pagination{}).plan(), page, false},
		{"suggested tags", s.SuggestTags(viewer, "go", 10).plan(), page, false},
		{"links in the trash", s.TrashedLinks(viewer).plan(), page, true},
		{"search words in the trash", s.SearchTrashedLinks(viewer, []string{"git"}, []string{"draft"}).LastChanged(waymark.Pagination{}).plan(), page, false},
	}
	byField := func(table string, fields []waymark.SortField, order map[waymark.SortField]query.Order) {
		for _, by := range fields {
			indexed := by == waymark.SortByCreatedAt || by == waymark.SortByName
			all = append(all, shape{table + " by " + by.String(), query.Plan{Table: table, Scopes: scopes, Order: order[by]}, page, indexed})
		}
	}
	byField("lists", waymark.ListSortFields, lists.order)
	byField("tags", waymark.TagSortFields, tags.order)
	return all
}

// statements returns the statements that count the listing and select the ids of the page.
func (s shape) statements(kind database.Kind) []statement {
	counted, found := database.NewArgs(kind), database.NewArgs(kind)
	count := statement{"count", "", counted}
	count.text = s.plan.CountSQL(counted)
	return []statement{count, {"ids", s.plan.IDsSQL(found, s.window), found}}
}

type statement struct {
	what string
	text string
	args *database.Args
}

// golden are the shapes with a golden file, as examples.
var golden = map[string]bool{"tags of a guest": true, "empty lists": true, "notes of a link": true, "search words in the trash": true}

// The golden files have the whole SQL for some kinds of pages, and for SQLite the
// query plan. go test ./internal/store -run GoldenSQL -update writes them.
func TestGoldenSQL(t *testing.T) {
	s := openTest(t, Options{})
	for name, kind := range map[string]database.Kind{"sqlite": database.SQLite, "postgres": database.PostgreSQL} {
		of := &Store{dialect: query.NewDialect(kind)}
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
		for _, shape := range slices.DeleteFunc(shapes(of), func(s shape) bool { return !golden[s.name] }) {
			write(shape.name, shape.statements(kind))
		}
		files, err := os.ReadDir(filepath.Join("testdata", "sql", name))
		check(t, err)
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
		check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		check(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	check(t, err)
	if got != string(want) {
		t.Errorf("%s differs: run go test ./internal/store -run GoldenSQL -update and look at the diff. Got:\n%s", file, got)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
