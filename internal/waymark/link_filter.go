package waymark

import "reflect"

// LinkFilter selects links among those that the viewer may see. A link must match every
// condition that is set.
type LinkFilter struct {
	Text              string // a literal part of the URL, without regard to case
	SearchTitle       bool   // Text may be in the title instead
	SearchDescription bool   // Text may be in the description instead

	// Words are literal texts, each of which is a part of the URL, the title or the
	// description, without regard to case. None of these contains one of ExcludeWords. Both
	// together are at most MaxWords.
	Words, ExcludeWords []string

	// SearchContent says that Text, and each of Words, may be in the snapshot of the link's page
	// instead: for each of its QueryWords, a word of the snapshot begins with it. Guests see no
	// snapshots, so it finds nothing for them.
	SearchContent bool

	CreatedFrom   Time // the link was created at this time or later; zero for no bound
	CreatedBefore Time // it was created before this time; zero for no bound

	Owner        UserID     // zero for any
	Visibility   Visibility // zero for any
	PrivateOnly  bool
	BrokenOnly   bool        // the status is not StatusOK
	CheckResult  CheckResult // of the last check; CheckNone for any
	Flags        FlagsInput
	WithoutLists bool // the viewer sees none of its lists; takes precedence over Lists
	WithoutTags  bool // the viewer sees none of its tags; takes precedence over Tags

	Lists        []Ref // in any of these lists, or in all of them if AllLists is set
	Tags         []Ref
	AllLists     bool
	AllTags      bool
	ExcludeLists []Ref // in none of these lists
	ExcludeTags  []Ref
}

// MaxWords is the maximum number of words that a LinkFilter can have. Each of them may need
// a search of all texts.
const MaxWords = 20

// IsZero reports whether every link satisfies the filter, because it has no condition. Fields
// that only change the meaning of others, such as AllTags, are no conditions.
func (f LinkFilter) IsZero() bool {
	f.SearchTitle, f.SearchDescription, f.SearchContent, f.AllLists, f.AllTags = false, false, false, false, false
	for _, field := range reflect.ValueOf(f).Fields() {
		if field.Kind() == reflect.Slice && field.Len() > 0 || field.Kind() != reflect.Slice && !field.IsZero() {
			return false
		}
	}
	return true
}
