package query

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
