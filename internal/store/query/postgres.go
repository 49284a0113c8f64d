package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"waymark/internal/database"
)

var postgresDialect = Dialect{
	Contains: func(column, parameter string) string { return "strpos(" + column + ", " + parameter + ") > 0" },
	textRows: postgresTextRows,
	textIndexed: func(t TextPredicate) Indexing {
		if utf8.RuneCountInString(t.Text) < trigram {
			return NotIndexed
		}
		return boundIndex
	},
	textIndex:  postgresTextRows,
	orderScans: postgresOrderScans,
}

// likeEscaper escapes the wildcards of LIKE.
var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// postgresTextRows uses LIKE, so that the planner can choose the trigram index.
func postgresTextRows(a *database.Args, t TextPredicate, s Scope) source {
	inScope := "e.visible_to = " + a.Add(s)
	pattern := a.Add("%" + likeEscaper.Replace(t.Text) + "%")
	return source{
		from:  "links AS e",
		where: []string{inScope, "(e." + strings.Join(t.Columns, " LIKE "+pattern+" OR e.") + " LIKE " + pattern + ")"},
		id:    "e.id",
	}
}

// postgresOrderScans returns two scans for an order by a text of the link, since an index
// entry holds at most 2,700 bytes: one index has short texts, the other one the first
// characters of long texts. Rows with equal first characters are then sorted by the rest.
func postgresOrderScans(columns []string) []orderScan {
	if len(columns) != 2 || !slices.Contains([]string{"e.url_folded", "e.title_folded", "e.description_folded"}, columns[0]) {
		return []orderScan{{columns: columns}}
	}
	folded, text := columns[0], columns[1]
	return []orderScan{
		{"length(" + folded + ") <= 60 AND length(" + text + ") <= 240", []string{folded, folded, text}},
		{"(length(" + folded + ") > 60 OR length(" + text + ") > 240)", []string{"substr(" + folded + ", 1, 60)", folded, text}},
	}
}
