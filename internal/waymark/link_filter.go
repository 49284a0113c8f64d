package waymark

import "time"

// LinkFilter selects links among those that the viewer may see.
type LinkFilter struct {
	Where Condition // nil for all links

	// Zone is the time zone whose days a Dated condition means; nil for UTC.
	Zone *time.Location

	// As is the user as whom the conditions are read: whose names, notes and own links they mean. 0 is the
	// viewer. It does not change which links the viewer sees.
	As UserID

	// OwnNames says that a name means only the viewer's own list or tag. Otherwise it can mean another
	// user's, if the viewer has none with this name.
	OwnNames bool
}

// MaxWords is the maximum number of words of a query. Each may need a search of all texts.
const MaxWords = 20

// IsZero reports whether every link satisfies the filter, because it has no condition.
func (f LinkFilter) IsZero() bool {
	and, ok := f.Where.(And)
	return f.Where == nil || ok && len(and) == 0
}

// LinkSelection selects the links of a bulk change.
type LinkSelection struct {
	IDs    []int64
	Filter *LinkFilter // all links that satisfy it, instead of those with IDs
}

// LabelFilter selects lists or tags that the viewer sees, all of them if it is zero.
type LabelFilter struct {
	Name  string // a literal part of the name, without regard to case
	Owner UserID // zero for any
	Not   UserID // the lists or tags of all others, zero for any
	In    ListID // lists that stand in this one, also in others in it; zero for any
	Empty bool   // only tags without a link that the viewer sees, and lists without one in them and their sublists
}
