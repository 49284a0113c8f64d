package query

import (
	"strings"

	"waymark/internal/database"
)

// Dialect holds the differences between SQLite and PostgreSQL in finding entities.
type Dialect struct {
	// Contains returns the condition that a text contains the text in a parameter.
	Contains func(text, parameter string) string

	// CopiesWith returns the query for the ids of the links whose copies have the words of a
	// CopyQuery in a parameter.
	CopiesWith func(parameter string) string
	// CopyIDs is the statement that returns these ids as one text, separated by colons: reading a
	// row for each of many ids takes longer.
	CopyIDs string
	// copyWord is what stands before and after a word of a CopyQuery, and copyAnd between two.
	copyWord [2]string
	copyAnd  string
	// SaveCopyWords is the statement that stores the words in $2, separated by spaces, as those
	// of the copy of the link $1.
	SaveCopyWords string
	// DeleteCopyWords is the statement that deletes the words of the copy of the link $1.
	DeleteCopyWords string
}

var sqliteDialect = Dialect{
	Contains: func(text, parameter string) string { return "instr(" + text + ", " + parameter + ") > 0" },
	CopiesWith: func(parameter string) string {
		return "SELECT rowid FROM copy_words WHERE copy_words MATCH " + parameter
	},
	CopyIDs:         "SELECT coalesce(group_concat(rowid, ':'), '') FROM copy_words WHERE copy_words MATCH $1",
	copyWord:        [2]string{`"`, `"*`},
	copyAnd:         " AND ",
	SaveCopyWords:   "INSERT OR REPLACE INTO copy_words (rowid, words) VALUES ($1, $2)",
	DeleteCopyWords: "DELETE FROM copy_words WHERE rowid = $1",
}

var postgresDialect = Dialect{
	Contains: func(text, parameter string) string { return "strpos(" + text + ", " + parameter + ") > 0" },
	CopiesWith: func(parameter string) string {
		return "SELECT link_id FROM copy_words WHERE words @@ CAST(" + parameter + " AS tsquery)"
	},
	CopyIDs:  "SELECT coalesce(string_agg(CAST(link_id AS TEXT), ':'), '') FROM copy_words WHERE words @@ CAST($1 AS tsquery)",
	copyWord: [2]string{"'", "':*"},
	copyAnd:  " & ",
	SaveCopyWords: "INSERT INTO copy_words (link_id, words) VALUES ($1, array_to_tsvector(string_to_array($2, ' ')))" +
		" ON CONFLICT (link_id) DO UPDATE SET words = excluded.words",
	DeleteCopyWords: "DELETE FROM copy_words WHERE link_id = $1",
}

// NewDialect returns the dialect of a database system.
func NewDialect(kind database.Kind) *Dialect {
	if kind == database.PostgreSQL {
		return &postgresDialect
	}
	return &sqliteDialect
}

// CopyQuery returns the argument of CopiesWith that finds the copies that have, for each of some
// words of waymark.QueryWords, a word that begins with it.
func (d *Dialect) CopyQuery(words []string) string {
	terms := make([]string, len(words))
	for i, word := range words {
		terms[i] = d.copyWord[0] + word + d.copyWord[1]
	}
	return strings.Join(terms, d.copyAnd)
}
