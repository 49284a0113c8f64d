package waymark

// LinkFilter selects links among those that the viewer may see. A link must match every
// condition that is set.
type LinkFilter struct {
	Text              string // a literal part of the URL, without regard to case
	SearchTitle       bool   // Text may be in the title instead
	SearchDescription bool   // Text may be in the description instead

	Visibility   Visibility // zero for any
	PrivateOnly  bool
	BrokenOnly   bool // the status is not StatusOK
	WithoutLists bool // takes precedence over Lists
	WithoutTags  bool // takes precedence over Tags

	Lists        []Ref // in any of these lists, or in all of them if AllLists is set
	Tags         []Ref
	AllLists     bool
	AllTags      bool
	ExcludeLists []Ref // in none of these lists
	ExcludeTags  []Ref
}
