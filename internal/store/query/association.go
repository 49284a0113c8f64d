package query

import "waymark/internal/database"

// Association is a table that associates links with lists, or with tags.
type Association struct {
	Table    string
	Column   string // the id of the list or tag
	Entities string // the table of the lists or tags
}

// The associations of links with lists, and with tags.
var (
	LinkLists = Association{Table: "link_lists", Column: "list_id", Entities: "lists"}
	LinkTags  = Association{Table: "link_tags", Column: "tag_id", Entities: "tags"}
)

// Pins returns the table of pinned lists, or tags.
func (assoc *Association) Pins() string { return "pinned_" + assoc.Entities }

// countSQL returns the expression for the number of links in some scopes that the list or tag
// e has.
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
