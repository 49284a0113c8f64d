package store_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// step is a step of a plan of SQLite's, such as SEARCH e USING INDEX links_by_id
// (shelf=?), and the one that it is part of.
type step struct{ text, of, statement string }

// planner tells how SQLite runs what a question or a change asks.
type planner struct {
	*store.Store
	seen []string
}

var (
	placeholder = regexp.MustCompile(`\$(\d+)`)
	wholeTable  = regexp.MustCompile(`^SCAN (links|lists|tags|notes|link_lists|link_tags|users|keys|counters|[a-ln-oq-z])( |$)`) // p is a page, m are members
)

// steps are those of the statements that are prepared for the first time in do.
func (p *planner) steps(t *testing.T, do func()) []step {
	t.Helper()
	do()
	var all []step
	for _, text := range p.Statements() {
		if slices.Contains(p.seen, text) || !regexp.MustCompile(`^\s*(SELECT|UPDATE|DELETE|INSERT)`).MatchString(text) {
			continue
		}
		p.seen = append(p.seen, text)
		most := 0
		for _, place := range placeholder.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(place[1])
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, n)
		}
		rows, err := p.Rows(t.Context(), "EXPLAIN QUERY PLAN "+text, make([]any, most)...)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		names := map[any]string{}
		for _, row := range rows {
			names[row[0]] = fmt.Sprint(row[3])
			all = append(all, step{names[row[0]], names[row[1]], text})
		}
	}
	return all
}

// checkWalk looks for the step that finds a shelf's entries, for both shelves, and
// for sorting all of them, which nothing in a walk along an index does.
func checkWalk(t *testing.T, steps []step, want string) {
	t.Helper()
	found := 0
	for _, step := range steps {
		if !strings.Contains(step.statement, "UNION ALL") {
			continue // counting
		}
		if step.text == want {
			found++
		}
		inShelf := strings.HasPrefix(step.of, "CO-ROUTINE shelf") || step.of == "LEFT" || step.of == "RIGHT"
		if inShelf && step.text == "USE TEMP B-TREE FOR ORDER BY" {
			t.Error("a whole shelf is sorted")
		}
	}
	if found != 2 {
		t.Errorf("%d shelves are walked by %s, want 2, in %+v", found, want, steps)
	}
}

func TestEveryPageOfLinksWalksAlongAnIndex(t *testing.T) {
	p := &planner{Store: storetest.Open(t)}
	ada := storetest.User(t, p.Store, "ada")
	list := oneList(t, p.Store, ada, "list", waymark.Private)
	var drafts []waymark.LinkDraft
	for i := range 600 {
		draft := storetest.Draft(i)
		draft.IntoLists = []waymark.Ref{{ID: int64(list.ID)}}
		drafts = append(drafts, draft)
	}
	storetest.Create(t, p.Store, ada, drafts...)
	p.seen = p.Statements()
	ask := func(browse browser[waymark.Link], by waymark.SortField, desc bool, page waymark.Pagination) func() {
		return func() {
			shown(t, func(show store.Emit[waymark.Link]) error {
				return browse(t.Context(), ada.ID, waymark.Order{By: by, Desc: desc}, page, show)
			})
		}
	}
	index := map[waymark.SortField]string{waymark.SortByPrivate: "id"}
	further := map[waymark.SortField]string{waymark.SortByID: "rowid", waymark.SortByPrivate: "rowid", waymark.SortByURL: "url_key", waymark.SortByTitle: "title_key", waymark.SortByDescription: "description_key"}
	for _, by := range waymark.LinkSortFields {
		name := "links_by_" + strings.ReplaceAll(by.String(), " ", "_")
		if other, ok := index[by]; ok {
			name = "links_by_" + other
		}
		t.Run(by.String(), func(t *testing.T) {
			checkWalk(t, p.steps(t, ask(p.Links, by, false, waymark.Pagination{Limit: 10})), "SEARCH e USING INDEX "+name+" (shelf=?)")
			checkWalk(t, p.steps(t, ask(p.Links, by, true, waymark.Pagination{Limit: 10})), "SEARCH e USING INDEX "+name+" (shelf=?)")
		})
		if by == waymark.SortByPrivate {
			continue // every entry of a shelf is alike in it
		}
		t.Run(by.String()+" further on", func(t *testing.T) {
			column := strings.ReplaceAll(by.String(), " ", "_")
			if other, ok := further[by]; ok {
				column = other
			}
			checkWalk(t, p.steps(t, ask(p.Links, by, false, everything)), "SEARCH e USING INDEX "+name+" (shelf=? AND "+column+">?)")
		})
	}
	t.Run("of a list", func(t *testing.T) {
		ofList := func(ctx context.Context, viewer waymark.UserID, order waymark.Order, page waymark.Pagination, show store.Emit[waymark.Link]) error {
			return p.LinksOfList(ctx, viewer, list.ID, order, page, show)
		}
		checkWalk(t, p.steps(t, ask(ofList, waymark.SortByID, false, waymark.Pagination{Limit: 10})), "SEARCH m USING COVERING INDEX links_of_list (list_id=? AND link_shelf=?)")
	})
}

func TestNothingThatComesOftenReadsAWholeTable(t *testing.T) {
	p := &planner{Store: storetest.Open(t)}
	ada := storetest.User(t, p.Store, "ada")
	p.seen = p.Statements() // a new user is rare
	links := storetest.Fill(t, p.Store, ada, 60)
	steps := p.steps(t, func() {
		ctx := t.Context()
		must := func(_ any, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		public := waymark.Public
		edit := waymark.BulkEdit{Visibility: &public, Tags: names("red", "new"), Lists: names("new"), ReplaceTags: true}
		storetest.Link(t, p.Store, ada, "https://a.example/", waymark.Private, "one", "two")
		must(p.Link(ctx, ada.ID, links[0].ID))
		must(p.HasURL(ctx, ada.ID, "https://a.example/"))
		refile(t, p.Store, ada, links[0].ID, names("red"), names("green", "blue"))
		must(p.EditLinks(ctx, ada, []int64{1, 2, 3}, edit))
		must(p.EditTags(ctx, ada.ID, []int64{1, 2}, edit))
		oneNote(t, p.Store, ada, links[0].ID, "a note", waymark.Public)
		notesOf(t, p.Store, ada, links[0].ID)
		must(p.SuggestTags(ctx, ada.ID, "e", 3))
		must(p.SuggestLists(ctx, ada.ID, "e", 3))
		for _, query := range []waymark.LinkFilter{
			{Text: "s:"}, {Text: "https", SearchTitle: true}, {Tags: names("red")}, {Lists: names("red", "new")},
			{WithoutTags: true}, {BrokenOnly: true}, {Text: "https", Tags: names("red"), ExcludeLists: names("new")},
		} {
			search(t, p.Store, ada, query)
		}
		moveToTrash(t, p.Store, ada, waymark.Links, links[5].ID, links[6].ID)
		restore(t, p.Store, ada, waymark.Links, links[5].ID)
		trash(t, p.TrashedLinks, ada)
		wantError(t, "clear", p.ClearTrash(ctx, ada.ID, waymark.Links), nil)
		wantError(t, "clear", p.ClearTrash(ctx, ada.ID, waymark.Tags), nil)
		must(p.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessFull}, []byte("hash")))
		_, _, err := p.APIKeyOwner(ctx, []byte("hash"))
		must(nil, err)
	})
	if len(steps) < 50 {
		t.Errorf("only %d steps were looked at", len(steps))
	}
	for _, step := range steps {
		if wholeTable.MatchString(step.text) {
			t.Errorf("a whole table is read: %s, in %s", step.text, step.statement)
		}
	}
}
