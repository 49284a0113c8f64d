package query

import "waymark/internal/database"

// Dialect holds the differences between SQLite and PostgreSQL in finding entities.
type Dialect struct {
	// Contains returns the condition that a text contains the text in a parameter.
	Contains func(text, parameter string) string
}

var sqliteDialect = Dialect{
	Contains: func(text, parameter string) string { return "instr(" + text + ", " + parameter + ") > 0" },
}

var postgresDialect = Dialect{
	Contains: func(text, parameter string) string { return "strpos(" + text + ", " + parameter + ") > 0" },
}

// NewDialect returns the dialect of a database system.
func NewDialect(kind database.Kind) *Dialect {
	if kind == database.PostgreSQL {
		return &postgresDialect
	}
	return &sqliteDialect
}
