package waymark

// LinkFilter says which links are looked for among those that the viewer may see.
// Its parts combine with AND.
type LinkFilter struct {
	Text              string // a literal part of the address, whatever the case
	SearchTitle       bool   // Text may also be in the title
	SearchDescription bool   // Text may also be in the description

	Visibility   Visibility // zero for any
	PrivateOnly  bool
	BrokenOnly   bool // status is not 1
	WithoutLists bool // wins over Lists
	WithoutTags  bool // wins over Tags

	Lists        []Ref // in any of these, or in every one with AllLists
	Tags         []Ref
	AllLists     bool
	AllTags      bool
	ExcludeLists []Ref // in none of these
	ExcludeTags  []Ref
}
