package query

import (
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
)

// rows returns the rows of a scope that satisfy all predicates.
func (p Plan) rows(a *database.Args, d *Dialect, s Scope) source {
	var rows source
	if p.Driver == NoDriver {
		rows = source{from: p.Table + " AS e", where: []string{"e.visible_to = " + a.Add(s)}, id: "e.id"}
	} else {
		rows = p.Predicates[p.Driver].rows(a, d, p.Table, s)
	}
	return rows.test(a, d, p.others())
}

// idsSource returns the ids of the same rows, read from the driver's index alone. It may
// be called only if indexOnly is true.
func (p Plan) idsSource(a *database.Args, d *Dialect, s Scope) source {
	return p.Predicates[p.Driver].index(a, d, s).test(a, d, p.others())
}

// indexOnly reports whether the ids of the rows can be read without reading the rows.
func (p Plan) indexOnly(d *Dialect) bool {
	return p.Driver != NoDriver && p.Predicates[p.Driver].Indexed(d) == exactIndex &&
		!slices.ContainsFunc(p.others(), func(other Predicate) bool { return !other.onID() })
}

// BranchScopes returns a scope for each branch of the UNION ALL. A plan without scopes
// has one branch, which ignores the scope.
func (p Plan) BranchScopes() []Scope {
	if p.Scopes == nil {
		return []Scope{Public}
	}
	return p.Scopes
}

// CountSQL returns the statement that counts the rows: one column per scope.
func (p Plan) CountSQL(a *database.Args, d *Dialect) string {
	var counts []string
	for _, s := range p.BranchScopes() {
		rows := p.rows
		if p.indexOnly(d) {
			rows = p.idsSource
		}
		counts = append(counts, "(SELECT count(*) "+strings.ReplaceAll(rows(a, d, s).sql(), "\n", " ")+")")
	}
	return "SELECT " + strings.Join(counts, ",\n\t")
}

// BoundSQL returns the statement that counts the index entries of a driver, up to a
// limit.
func (p Plan) BoundSQL(a *database.Args, d *Dialect, driver, limit int) string {
	var branches []string
	for _, s := range p.BranchScopes() {
		branches = append(branches, "SELECT 1 "+p.Predicates[driver].index(a, d, s).sql())
	}
	return "SELECT count(*)\nFROM (\n" + indent(strings.Join(branches, "\nUNION ALL\n")+"\nLIMIT "+a.Add(limit)) + ") AS found"
}

// IDsSQL returns the statement for the ids of the driver's rows, up to a limit.
func (p Plan) IDsSQL(a *database.Args, d *Dialect, limit int) string {
	var branches []string
	for _, s := range p.BranchScopes() {
		branches = append(branches, "SELECT e.id "+p.Predicates[p.Driver].rows(a, d, p.Table, s).sql())
	}
	return strings.Join(branches, "\nUNION ALL\n") + "\nLIMIT " + a.Add(limit)
}

// PageSQL returns the statement for one batch of a window. It selects size rows: the
// columns, then the values that the rows are sorted by, which are the cursor of the next
// batch. after is the cursor of the previous batch. It is nil for the first batch, which
// is found by its offset from the nearer end.
func (p Plan) PageSQL(a *database.Args, d *Dialect, columns string, w Window, size int, after []any) string {
	desc, offset := p.Desc, w.Offset
	if after != nil {
		offset = 0
	} else if fromEnd := w.Total - w.Offset - size; fromEnd < w.Offset {
		desc, offset = !desc, fromEnd
	}
	scans := p.orderScans(d)
	var branches []string
	for _, s := range p.BranchScopes() {
		for _, scan := range scans {
			text := a.LimitBranch(p.branchSQL(a, d, s, scan, after, desc), offset+size)
			branches = append(branches, "SELECT * FROM (\n"+indent(text)+") AS scan"+strconv.Itoa(len(branches)))
		}
	}
	n := p.CursorLength(d)
	names := cursorColumns("", n)
	page := strings.Join(branches, "\nUNION ALL\n") +
		"\nORDER BY " + orderBy(names, desc) +
		"\nLIMIT " + a.Add(size) + " OFFSET " + a.Add(offset)
	names = cursorColumns("p.", n)
	return "SELECT " + columns + ", " + strings.Join(names, ", ") +
		"\nFROM (\n" + indent(page) + ") AS p" + database.JoinInOrder + p.Table + " AS e" +
		"\nWHERE e.id = " + names[len(names)-1] +
		"\nORDER BY " + orderBy(names, p.Desc)
}

// orderScans returns the scans of one scope. With a driver the rows are sorted, so one
// scan is enough.
func (p Plan) orderScans(d *Dialect) []orderScan {
	if p.Driver == NoDriver {
		return d.orderScans(p.Order.Columns)
	}
	return []orderScan{{columns: p.Order.Columns}}
}

// CursorLength is the number of values in a cursor: the columns that the rows are sorted
// by, and the id.
func (p Plan) CursorLength(d *Dialect) int { return len(p.orderScans(d)[0].columns) + 1 }

// branchSQL returns the ordered scan of one scope.
func (p Plan) branchSQL(a *database.Args, d *Dialect, s Scope, scan orderScan, after []any, desc bool) string {
	var rows source
	if p.inIDOrder() && p.indexOnly(d) {
		rows = p.idsSource(a, d, s)
	} else {
		rows = p.rows(a, d, s)
	}
	if scan.only != "" {
		rows.where = append(rows.where, scan.only)
	}
	columns := append(slices.Clone(scan.columns), rows.id)
	if after != nil {
		rows.where = append(rows.where, afterCursor(a, columns, after, desc))
	}
	return "SELECT " + selectAliased(columns) + "\n" + rows.sql() + "\nORDER BY " + orderBy(columns, desc)
}

// afterCursor returns the keyset condition (a, b) > (x, y). It repeats a >= x, because an
// index on the first column can use that.
func afterCursor(a *database.Args, columns []string, values []any, desc bool) string {
	operator := " > "
	if desc {
		operator = " < "
	}
	parameters := make([]string, len(values))
	for i, v := range values {
		parameters[i] = a.Add(v)
	}
	if len(columns) == 1 {
		return columns[0] + operator + parameters[0]
	}
	return columns[0] + operator[:2] + "= " + parameters[0] +
		" AND (" + strings.Join(columns, ", ") + ")" + operator + "(" + strings.Join(parameters, ", ") + ")"
}

// cursorColumns returns the names of the cursor's values outside the innermost SELECT.
func cursorColumns(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + "k" + strconv.Itoa(i)
	}
	return names
}

func selectAliased(columns []string) string {
	names := cursorColumns("", len(columns))
	for i, column := range columns {
		names[i] = column + " AS " + names[i]
	}
	return strings.Join(names, ", ")
}

func orderBy(columns []string, desc bool) string {
	if !desc {
		return strings.Join(columns, ", ")
	}
	return strings.Join(columns, " DESC, ") + " DESC"
}

func indent(text string) string { return "\t" + strings.ReplaceAll(text, "\n", "\n\t") }
