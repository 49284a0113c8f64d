package waymark

import (
	"slices"
	"strings"
)

// Bundle is a filter that a user has given a name in a client of linkding. Its tags need not exist.
type Bundle struct {
	ID           BundleID
	Owner        UserID
	Name         string
	Search       string // words that each occur in the link or in a note on it
	AnyTags      string // names with spaces between them: at least one of them
	AllTags      string // each of them
	ExcludedTags string // none of them
	Unread       FilterState
	Shared       FilterState
	Position     int64 // of the bundle among those of its owner
	CreatedAt    Time
	UpdatedAt    Time
}

// FilterState says whether links must be in a state.
type FilterState string

// The filter states.
const (
	FilterOff FilterState = "off"
	FilterYes FilterState = "yes"
	FilterNo  FilterState = "no"
)

// MaxBundles is the maximum number of bundles of a user.
const MaxBundles = 100

// The maximum lengths of the texts of a bundle, in characters.
const (
	MaxBundleName = 256 // also of Search
	MaxBundleTags = 1024
)

// Validate returns a ValidationError if a bundle of an archive breaks a rule.
func (b Bundle) Validate() error {
	problems := &ValidationError{}
	if problems.validateRequired(FieldName, b.Name) {
		problems.validateText(FieldName, b.Name, MaxBundleName)
	}
	problems.validateText(FieldQuery, b.Search, MaxBundleName)
	for _, names := range []string{b.AnyTags, b.AllTags, b.ExcludedTags} {
		problems.validateText(FieldTags, names, MaxBundleTags)
	}
	for _, state := range []FilterState{b.Unread, b.Shared} {
		if !slices.Contains([]FilterState{FilterOff, FilterYes, FilterNo}, state) {
			problems.add(FieldQuery, RuleFormat)
		}
	}
	return problems.Err()
}

// Where returns the condition of the bundle.
func (b Bundle) Where() Condition {
	all := And{}
	for word := range strings.FieldsSeq(b.Search) {
		if word[0] != '#' && word[0] != '!' { // linkding leaves them out
			all = append(all, Contains{Text: word, In: InTexts | InNotes})
		}
	}
	tagged := func(names ...string) Condition {
		refs := make([]Ref, len(names))
		for i, name := range names {
			refs[i].Name = name
		}
		return Labeled{Kind: Tags, Refs: refs}
	}
	if names := strings.Fields(b.AnyTags); len(names) > 0 {
		all = append(all, tagged(names...))
	}
	for name := range strings.FieldsSeq(b.AllTags) {
		all = append(all, tagged(name))
	}
	if names := strings.Fields(b.ExcludedTags); len(names) > 0 {
		all = append(all, NotOf(tagged(names...)))
	}
	all = append(all, b.Unread.Where(IsUnread), b.Shared.Where(NotOf(IsPrivate)))
	return AndOf(all...)
}

// Where returns the condition that links are in a state as the filter says, nil if that does not matter.
func (f FilterState) Where(state Condition) Condition {
	switch f {
	case FilterYes:
		return state
	case FilterNo:
		return NotOf(state)
	}
	return nil
}
