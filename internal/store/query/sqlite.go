package query

import (
	"strings"
	"unicode/utf8"

	"waymark/internal/database"
)

var sqliteDialect = Dialect{
	Contains: sqliteContains,
	textRows: sqliteTextRows,
	textIndexed: func(t TextPredicate) Indexing {
		switch n := utf8.RuneCountInString(t.Text); {
		case n < trigram:
			return NotIndexed
		case n == trigram:
			return exactIndex
		}
		return boundIndex
	},
	textIndex: func(a *database.Args, t TextPredicate, s Scope) source {
		return source{from: "links_fts", where: []string{sqliteMatch(a, t, s)}, id: "links_fts.rowid"}
	},
	orderScans: func(columns []string) []orderScan { return []orderScan{{columns: columns}} },
}

func sqliteContains(column, parameter string) string {
	return "instr(" + column + ", " + parameter + ") > 0"
}

// sqliteTextRows uses the text index. The index only finds columns that contain the
// trigrams of a text, so a text longer than a trigram is tested on each row, too.
func sqliteTextRows(a *database.Args, t TextPredicate, s Scope) source {
	n := utf8.RuneCountInString(t.Text)
	if n < trigram {
		return scanText(a, &Dialect{Contains: sqliteContains}, t, s)
	}
	rows := source{
		from:  "links_fts" + database.JoinInOrder + "links AS e",
		where: []string{sqliteMatch(a, t, s), "e.id = links_fts.rowid"},
		id:    "e.id",
	}
	if n > trigram {
		rows.where = append(rows.where, t.condition(a, &Dialect{Contains: sqliteContains}))
	}
	return rows
}

// maxTrigrams limits the number of trigrams in a query: each costs time, and these
// already exclude nearly all other links.
const maxTrigrams = 60

// sqliteMatch returns the condition that the columns contain enough trigrams of the
// text to cover it (or some of a long text), and that the link is in the scope. The
// triggers index the scope as a trigram of characters that no text has.
func sqliteMatch(a *database.Args, t TextPredicate, s Scope) string {
	var query strings.Builder
	query.WriteString(`visible_to : "` + string([]rune{0xF0000 + rune(s>>30&0x7FFF), 0xF0000 + rune(s>>15&0x7FFF), 0xF0000 + rune(s&0x7FFF)}) + `"`)
	columns := strings.ReplaceAll(strings.Join(t.Columns, " "), "_folded", "")
	text := []rune(t.Text)
	last := len(text) - trigram
	step := max(trigram, last/maxTrigrams+1)
	for i := 0; ; i = min(i+step, last) {
		part := strings.ReplaceAll(string(text[i:i+trigram]), `"`, `""`)
		query.WriteString(` AND {` + columns + `} : "` + part + `"`)
		if i == last {
			return "links_fts MATCH " + a.Add(query.String())
		}
	}
}
