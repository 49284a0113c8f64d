package query

// Association is the table that says which links are in which lists, or have which
// tags.
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
