package query

import (
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Dialect holds the differences between SQLite and PostgreSQL in finding entities.
type Dialect struct {
	// Contains returns the condition that a text contains the text in a parameter.
	Contains func(text, parameter string) string

	// SnapshotsWith returns the query for the links whose snapshots match a SnapshotQuery.
	SnapshotsWith func(parameter string) string
	// wordQuote is what stands before and after a word of a SnapshotQuery, and wordAnd between two.
	wordQuote [2]string
	wordAnd   string
	// SaveSnapshotWords stores the words $2, with spaces between them, of the snapshot of link $1.
	SaveSnapshotWords string
	// DeleteSnapshotWords is the statement that deletes the words of the snapshot of the link $1.
	DeleteSnapshotWords string
}

var sqliteDialect = Dialect{
	Contains: func(text, parameter string) string { return "instr(" + text + ", " + parameter + ") > 0" },
	SnapshotsWith: func(parameter string) string {
		return "SELECT rowid AS link_id FROM snapshot_words WHERE snapshot_words MATCH " + parameter
	},
	wordQuote:           [2]string{`"`, `"*`},
	wordAnd:             " AND ",
	SaveSnapshotWords:   "INSERT OR REPLACE INTO snapshot_words (rowid, words) VALUES ($1, $2)",
	DeleteSnapshotWords: "DELETE FROM snapshot_words WHERE rowid = $1",
}

var postgresDialect = Dialect{
	Contains: func(text, parameter string) string { return "strpos(" + text + ", " + parameter + ") > 0" },
	SnapshotsWith: func(parameter string) string {
		return "SELECT link_id FROM snapshot_words WHERE words @@ CAST(" + parameter + " AS tsquery)"
	},
	wordQuote: [2]string{"'", "':*"},
	wordAnd:   " & ",
	SaveSnapshotWords: "INSERT INTO snapshot_words (link_id, words) VALUES ($1, array_to_tsvector(string_to_array($2, ' ')))" +
		" ON CONFLICT (link_id) DO UPDATE SET words = excluded.words",
	DeleteSnapshotWords: "DELETE FROM snapshot_words WHERE link_id = $1",
}

// NewDialect returns the dialect of a database system.
func NewDialect(kind database.Kind) *Dialect {
	if kind == database.PostgreSQL {
		return &postgresDialect
	}
	return &sqliteDialect
}

// SnapshotQuery returns the argument of SnapshotsWith for words of waymark.QueryWords. Each of them
// must begin a word of the snapshot.
func (d *Dialect) SnapshotQuery(words []string) string {
	terms := waymark.Map(words, func(word string) string { return d.wordQuote[0] + word + d.wordQuote[1] })
	return strings.Join(terms, d.wordAnd)
}
