package query

import (
	"waymark/internal/waymark"
)

// Predicate is a condition on the rows of a listing.
type Predicate struct {
	Kind        Kind
	Association *Association   // of the predicates about lists and tags
	IDs         []int64        // of lists or tags; of links for HasID; of one link for NoteOfLink
	Text        TextPredicate  // of ContainsText
	User        waymark.UserID // of InNoneVisible and TrashedBy
}

// Kind is what a predicate requires.
type Kind int

// The kinds of predicates.
const (
	InAny         Kind = iota // the link is in any of the lists, or has any of the tags
	InAll                     // in all of them
	InNone                    // in none of them
	InNoneVisible             // in none that the user sees
	ContainsText              // one of the link's texts contains the text
	IsBroken                  // the link's status is not OK
	HasID                     // the link is one of these
	NoteOfLink                // the note is on this link
	TrashedBy                 // the entity is in the user's trash
)

// TextPredicate requires that one of a link's columns contains a text.
type TextPredicate struct {
	Text    string   // folded by waymark.Fold
	Columns []string // url_folded, title_folded, description_folded
}

// driven reports whether the predicate has an index that a scan can start from.
func (p Predicate) driven() bool {
	switch p.Kind {
	case InAny, ContainsText, IsBroken, HasID, NoteOfLink, TrashedBy:
		return true
	}
	return false
}

// onID reports whether the predicate needs the id of a link alone, and not its row.
func (p Predicate) onID() bool {
	switch p.Kind {
	case InAny, InAll, InNone, InNoneVisible, HasID:
		return true
	}
	return false
}
