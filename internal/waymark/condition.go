package waymark

import (
	"iter"
	"slices"
)

// Condition is a condition on a link: one of the types below. Conditions are a tree, which package
// query reads from the query language, and prints.
type Condition interface{ isCondition() }

type (
	// And is satisfied by the links that satisfy all conditions: by every link if there are none.
	And []Condition
	// Or is satisfied by the links that satisfy one of the conditions: by none if there are none.
	Or []Condition
	// Not is satisfied by the links that do not satisfy a condition.
	Not struct{ Condition Condition }

	// Contains is satisfied by the links one of whose texts contains Text, without regard to case.
	Contains struct {
		Text string
		In   TextFields
	}
	// Labeled is satisfied by the links in at least one of some lists or in the lists that stand in them, or with
	// at least one of some tags.
	Labeled struct {
		Kind   EntityKind // Lists or Tags
		Refs   []Ref      // lists and tags that the viewer does not see match nothing
		All    bool       // all of them, not only one
		Prefix bool       // the name of the one in Refs is the beginning of names; All is not set
		Direct bool       // without the lists that stand in them
		Smart  bool       // the name in Refs is known to be that of a smart list
	}
	// Among is satisfied by the links with these ids. The query language cannot say so.
	Among map[LinkID]bool
	// OwnedBy is satisfied by the links of a user.
	OwnedBy struct {
		ID   UserID // zero if Name says who it is
		Name string
	}
	// OnSite is satisfied by the links whose host is this one or a subdomain of it.
	OnSite string
	// Is is satisfied by the links in a state.
	Is string
	// Has is satisfied by the links that have something.
	Has string
)

func (And) isCondition()      {}
func (Or) isCondition()       {}
func (Not) isCondition()      {}
func (Contains) isCondition() {}
func (Labeled) isCondition()  {}
func (Among) isCondition()    {}
func (OwnedBy) isCondition()  {}
func (OnSite) isCondition()   {}
func (Is) isCondition()       {}
func (Has) isCondition()      {}

// TextFields is a set of the texts of a link.
type TextFields uint8

// The texts of a link.
const (
	InURL TextFields = 1 << iota
	InTitle
	InDescription
	InNames    // names of lists and tags that the viewer sees
	InNotes    // notes that the viewer sees
	InSnapshot // each of the text's QueryWords is the beginning of a word of the snapshot
	InPassages // passages that the viewer has marked, with their notes
)

// InTexts are the texts that a link itself has.
const InTexts = InURL | InTitle | InDescription

// The states of a link. IsBroken is that the status is not StatusOK; IsOK, IsMoved, IsDead,
// IsBlocked and IsUnsure are results of the last check. IsMine is that the viewer is the owner.
const (
	IsUnread   Is = "unread"
	IsArchived Is = "archived"
	IsFavorite Is = "favorite"
	IsBroken   Is = "broken"
	IsOK       Is = "ok"
	IsMoved    Is = "moved"
	IsDead     Is = "dead"
	IsBlocked  Is = "blocked"
	IsUnsure   Is = "unsure"
	IsPublic   Is = "public"
	IsInternal Is = "internal"
	IsPrivate  Is = "private"
	IsMine     Is = "mine"
	IsUnfiled  Is = "unfiled"  // in no list that the viewer sees
	IsUntagged Is = "untagged" // without a tag that the viewer sees

	// IsDuplicate is that the viewer has another link with the same URLKey, and is the owner of this one, too.
	IsDuplicate Is = "duplicate"
	// IsNoted is that the viewer has written a note on it.
	IsNoted Is = "noted"
)

// StateGroup are states of links about one thing.
type StateGroup struct {
	States []Is
	One    bool // a link is in at most one of them
}

// StateGroups are all states of links. The pages offer them in this order.
var StateGroups = []StateGroup{
	{States: []Is{IsMine}},
	{States: []Is{IsPublic, IsInternal, IsPrivate}, One: true},
	{States: []Is{IsUnread, IsFavorite, IsArchived}},
	{States: []Is{IsUnfiled, IsUntagged, IsDuplicate, IsNoted}},
	{States: []Is{IsBroken}},
	{States: []Is{IsDead, IsMoved, IsBlocked, IsUnsure, IsOK}, One: true},
}

// States are the states of StateGroups.
var States = func() (all []Is) {
	for _, group := range StateGroups {
		all = append(all, group.States...)
	}
	return all
}()

// What a link can have. A note or a snapshot counts if the viewer sees it.
const (
	HasNote        Has = "note"
	HasSnapshot    Has = "snapshot" // of its page
	HasPicture     Has = "picture"
	HasDescription Has = "description"
	HasPassage     Has = "passage" // that the viewer has marked
)

// Things are all that a link can have.
var Things = []Has{HasNote, HasSnapshot, HasPicture, HasDescription, HasPassage}

// AndOf returns the condition that a link satisfies all of some. It flattens And and skips nil.
func AndOf(conditions ...Condition) Condition {
	var all And
	for _, c := range conditions {
		if and, ok := c.(And); ok {
			all = append(all, and...)
		} else if c != nil {
			all = append(all, c)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// OrOf returns the condition that a link satisfies one of some conditions. It flattens Or.
func OrOf(conditions ...Condition) Condition {
	var all Or
	for _, c := range conditions {
		if or, ok := c.(Or); ok {
			all = append(all, or...)
		} else {
			all = append(all, c)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// NotOf returns the condition that a link does not satisfy a condition.
func NotOf(c Condition) Condition {
	if not, ok := c.(Not); ok {
		return not.Condition
	}
	return Not{c}
}

// Leaves yields the parts of a condition that have no parts themselves.
func Leaves(c Condition) iter.Seq[Condition] {
	return func(yield func(Condition) bool) { eachLeaf(c, yield) }
}

func eachLeaf(c Condition, yield func(Condition) bool) bool {
	more := func(c Condition) bool { return eachLeaf(c, yield) }
	switch c := c.(type) {
	case nil:
		return true
	case And:
		return !slices.ContainsFunc(c, func(c Condition) bool { return !more(c) })
	case Or:
		return !slices.ContainsFunc(c, func(c Condition) bool { return !more(c) })
	case Not:
		return more(c.Condition)
	}
	return yield(c)
}

// MapLeaves returns a condition in which each part without parts is replaced.
func MapLeaves(c Condition, replace func(Condition) Condition) Condition {
	all := func(conditions []Condition) []Condition {
		return Map(conditions, func(c Condition) Condition { return MapLeaves(c, replace) })
	}
	switch c := c.(type) {
	case nil:
		return nil
	case And:
		return AndOf(all(c)...)
	case Or:
		return OrOf(all(c)...)
	case Not:
		return NotOf(MapLeaves(c.Condition, replace))
	}
	return replace(c)
}

// Wanted returns the texts that a condition asks for, without those that it excludes.
func Wanted(c Condition) (texts []Contains) {
	switch c := c.(type) {
	case Contains:
		return []Contains{c}
	case And:
		for _, c := range c {
			texts = append(texts, Wanted(c)...)
		}
	case Or:
		for _, c := range c {
			texts = append(texts, Wanted(c)...)
		}
	}
	return texts
}
