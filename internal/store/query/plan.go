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
	Table      string
	Scopes     []Scope      // nil for rows that are in no scope: the trash
	Predicates []Predicate  // all of them must be satisfied
	ByLinks    *Association // sort lists or tags by the number of their links in Scopes, then by Order
	Order      Order
	Desc       bool
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
func (p Plan) CountSQL(a *database.Args, d *Dialect) string {
	return "SELECT count(*)\n" + p.rows(a, d, p.Scopes)
}

// CounterSQL returns the statement for the counters of a plan without predicates.
func (p Plan) CounterSQL(a *database.Args) string {
	return "SELECT CAST(coalesce(sum(count), 0) AS BIGINT)\nFROM counters\nWHERE entity = " + a.Add(p.Table) + " AND " + inScopes(a, "visible_to", p.Scopes)
}

// IDsSQL returns the statement that selects the ids of a window in order.
func (p Plan) IDsSQL(a *database.Args, d *Dialect, w Window) string {
	window, keys := p.windowSQL(a, d, w)
	return "SELECT " + keys[len(keys)-1] + "\nFROM (\n" + indent(window) + ") AS found\nORDER BY " + orderBy(keys, p.Desc)
}

// StillSQL returns the condition that a row e whose id was found before is still visible: it is in the
// scopes or, without scopes, satisfies the predicates.
func (p Plan) StillSQL(a *database.Args, d *Dialect) string {
	if p.Scopes != nil {
		return inScopes(a, database.Unindexed("e.visible_to"), p.Scopes)
	}
	conditions := waymark.Map(p.Predicates, func(predicate Predicate) string { return predicate.condition(a, d) })
	return strings.Join(conditions, " AND ")
}

// windowSQL returns the query for the values that the rows of a window are sorted by, the
// id last, and the names of its columns. Without predicates it reads and merges the scopes
// one by one, because an index has the rows of each scope in order. It reads them from the
// nearer end of the listing.
func (p Plan) windowSQL(a *database.Args, d *Dialect, w Window) (text string, keys []string) {
	desc, offset := p.Desc, w.Offset
	if fromEnd := w.Total - w.Offset - w.Limit; fromEnd < offset {
		desc, offset = !desc, fromEnd
	}
	columns := append(slices.Clone(p.Order), "e.id")
	if p.ByLinks != nil {
		columns = slices.Insert(columns, 0, p.ByLinks.countSQL(a, p.Scopes))
	}
	keys = make([]string, len(columns))
	selected := make([]string, len(columns))
	for i, column := range columns {
		keys[i] = "k" + strconv.Itoa(i)
		selected[i] = column + " AS " + keys[i]
	}
	parts := [][]Scope{p.Scopes}
	if len(p.Predicates) == 0 {
		parts = slices.Collect(slices.Chunk(p.Scopes, 1))
	}
	var scans []string
	for _, scopes := range parts {
		scan := "SELECT " + strings.Join(selected, ", ") + "\n" + p.rows(a, d, scopes) + "\nORDER BY " + orderBy(columns, desc)
		scan = a.LimitBranch(scan, offset+w.Limit)
		scans = append(scans, "SELECT * FROM (\n"+indent(scan)+") AS scan"+strconv.Itoa(len(scans)))
	}
	return strings.Join(scans, "\nUNION ALL\n") +
		"\nORDER BY " + orderBy(keys, desc) +
		"\nLIMIT " + a.Add(w.Limit) + " OFFSET " + a.Add(offset), keys
}

// rows returns the FROM and WHERE of the rows in the scopes that satisfy all predicates.
func (p Plan) rows(a *database.Args, d *Dialect, scopes []Scope) string {
	var conditions []string
	if scopes != nil {
		column := "e.visible_to"
		if slices.ContainsFunc(p.Predicates, Predicate.selective) {
			column = database.Unindexed(column)
		}
		conditions = append(conditions, inScopes(a, column, scopes))
	}
	for _, predicate := range p.Predicates {
		conditions = append(conditions, predicate.condition(a, d))
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

// countSQL returns the expression for how many links in some scopes the list or tag e has.
func (assoc *Association) countSQL(a *database.Args, scopes []Scope) string {
	return "(SELECT count(*) FROM " + assoc.Table + " AS m JOIN links AS l ON l.id = m.link_id WHERE m." + assoc.Column + " = e.id AND " + inScopes(a, "l.visible_to", scopes) + ")"
}

// CountLinksSQL returns the statement that counts the links of lists or tags, in some scopes. It
// selects the id and the number, if that is not 0.
func (assoc *Association) CountLinksSQL(a *database.Args, ids []int64, scopes []Scope) string {
	return "SELECT m." + assoc.Column + ", count(*)" +
		"\nFROM " + assoc.Table + " AS m" + database.JoinInOrder + "links AS l" +
		"\nWHERE m." + assoc.Column + " " + database.In(a, ids) + " AND l.id = m.link_id AND " + inScopes(a, database.Unindexed("l.visible_to"), scopes) +
		"\nGROUP BY m." + assoc.Column
}
