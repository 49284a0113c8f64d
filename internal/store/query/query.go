// Package query has what the statements of listings and searches have in common: who sees which row, the differences of
// the databases, and Plan, the SQL of a listing. It runs no statement.
package query

import (
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// BatchSize is the number of rows that one statement reads.
const BatchSize = 500

// Plan describes the rows of a listing and their order.
type Plan struct {
	Table  string
	Scopes []Scope     // nil for rows that are in no scope: the trash
	Where  []Condition // all of them must be satisfied
	Order  Order
	Desc   bool
}

// Condition returns an SQL condition on the row e, and adds its parameters. A nil condition is always satisfied.
type Condition func(a *database.Args) string

// And returns the condition as the end of a WHERE clause.
func (c Condition) And(a *database.Args) string {
	if c == nil {
		return ""
	}
	return " AND " + c(a)
}

// Order is the sort order of a listing: expressions on the row e, and then its id.
type Order []string

// Window is the part of a listing to read: Limit rows after the first Offset, of Total rows.
type Window struct {
	Offset, Limit, Total int
}

// NewWindow returns the part of a listing of total rows that a pagination selects.
func NewWindow(pagination waymark.Pagination, total int) Window {
	w := Window{Offset: pagination.Offset, Limit: max(0, total-pagination.Offset), Total: total}
	if pagination.Limit != waymark.NoLimit {
		w.Limit = min(w.Limit, pagination.Limit)
	}
	return w
}

// CountSQL returns the statement that counts the rows.
func (p Plan) CountSQL(a *database.Args) string {
	return "SELECT count(*)\n" + p.rows(a, p.Scopes)
}

// IDsSQL returns the statement that selects the ids of a window in order.
func (p Plan) IDsSQL(a *database.Args, w Window) string {
	window, keys := p.windowSQL(a, w)
	return "SELECT " + keys[len(keys)-1] + "\nFROM (\n" + indent(window) + ") AS found\nORDER BY " + orderBy(keys, p.Desc)
}

// VisibleSQL returns the condition that a row e whose id was found before is still visible: it is in the
// scopes or, without scopes, satisfies the conditions.
func (p Plan) VisibleSQL(a *database.Args) string {
	if p.Scopes != nil {
		return inScopes(a, database.Unindexed("e.visible_to"), p.Scopes)
	}
	conditions := waymark.Map(p.Where, func(c Condition) string { return c(a) })
	return strings.Join(conditions, " AND ")
}

// windowSQL returns the query for the values that the rows of a window are sorted by, the
// id last, and the names of its columns. Without conditions it reads and merges the scopes
// one by one, because an index has the rows of each scope in order. It reads them from the
// nearer end of the listing.
func (p Plan) windowSQL(a *database.Args, w Window) (text string, keys []string) {
	desc, offset := p.Desc, w.Offset
	if fromEnd := w.Total - w.Offset - w.Limit; fromEnd < offset {
		desc, offset = !desc, fromEnd
	}
	columns := append(slices.Clone(p.Order), "e.id")
	keys = make([]string, len(columns))
	selected := make([]string, len(columns))
	for i, column := range columns {
		keys[i] = "k" + strconv.Itoa(i)
		selected[i] = column + " AS " + keys[i]
	}
	parts := [][]Scope{p.Scopes}
	if len(p.Where) == 0 {
		parts = slices.Collect(slices.Chunk(p.Scopes, 1))
	}
	var scans []string
	for _, scopes := range parts {
		scan := "SELECT " + strings.Join(selected, ", ") + "\n" + p.rows(a, scopes) + "\nORDER BY " + orderBy(columns, desc)
		scan = a.LimitBranch(scan, offset+w.Limit)
		scans = append(scans, "SELECT * FROM (\n"+indent(scan)+") AS scan"+strconv.Itoa(len(scans)))
	}
	return strings.Join(scans, "\nUNION ALL\n") +
		"\nORDER BY " + orderBy(keys, desc) +
		"\nLIMIT " + a.Add(w.Limit) + " OFFSET " + a.Add(offset), keys
}

// rows returns the FROM and WHERE of the rows in the scopes that satisfy all conditions.
func (p Plan) rows(a *database.Args, scopes []Scope) string {
	var conditions []string
	if scopes != nil {
		conditions = append(conditions, inScopes(a, "e.visible_to", scopes))
	}
	for _, condition := range p.Where {
		conditions = append(conditions, condition(a))
	}
	return "FROM " + p.Table + " AS e\nWHERE " + strings.Join(conditions, "\n\tAND ")
}

func orderBy(columns []string, desc bool) string {
	if !desc {
		return strings.Join(columns, ", ")
	}
	return strings.Join(columns, " DESC, ") + " DESC"
}

func indent(text string) string { return "\t" + strings.ReplaceAll(text, "\n", "\n\t") }

// Association is a table that associates links with lists, or with tags.
type Association struct {
	Table    string
	Column   string // the id of the list or tag
	Kind     waymark.EntityKind
	Entities string // the table of the lists or tags
}

// The associations of links with lists, and with tags.
var (
	LinkLists = Association{Table: "link_lists", Column: "list_id", Kind: waymark.Lists, Entities: "lists"}
	LinkTags  = Association{Table: "link_tags", Column: "tag_id", Kind: waymark.Tags, Entities: "tags"}
)

// Pins returns the table of pinned lists, or tags.
func (assoc *Association) Pins() string { return "pinned_" + assoc.Entities }

// Folded returns the expression for the folded text of a column of the row e. The column
// with the folded text is NULL if it is equal.
func Folded(column string) string { return "coalesce(e." + column + "_folded, e." + column + ")" }
