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

// Kind is the kind of condition of a predicate.
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

// driven reports whether a scan can start from an index of the predicate.
func (p Predicate) driven() bool {
	switch p.Kind {
	case InAny, ContainsText, IsBroken, HasID, NoteOfLink, TrashedBy:
		return true
	}
	return false
}

// onID reports whether the predicate can be tested on the id of a link without its row.
func (p Predicate) onID() bool {
	switch p.Kind {
	case InAny, InAll, InNone, InNoneVisible, HasID:
		return true
	}
	return false
}
