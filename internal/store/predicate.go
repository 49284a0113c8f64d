package store

import (
	"waymark/internal/waymark"
)

// predicate is a condition on the rows of a listing.
type predicate struct {
	kind  predicateKind
	assoc *association   // of the predicates about lists and tags
	ids   []int64        // of lists or tags; of links for hasID; of one link for noteOfLink
	text  textPredicate  // of containsText
	user  waymark.UserID // of inNoneVisible and trashedBy
}

type predicateKind int

const (
	inAny         predicateKind = iota // the link is in any of the lists, or has any of the tags
	inAll                              // in all of them
	inNone                             // in none of them
	inNoneVisible                      // in none that the user sees
	containsText                       // one of the link's texts contains the text
	isBroken                           // the link's status is not OK
	hasID                              // the link is one of these
	noteOfLink                         // the note is on this link
	trashedBy                          // the entity is in the user's trash
)

// textPredicate is that one of a link's columns contains a folded text.
type textPredicate struct {
	text    string
	columns []string // url_folded, title_folded, description_folded
}

// driven reports whether the predicate has an index that a scan can start from.
func (p predicate) driven() bool {
	switch p.kind {
	case inAny, containsText, isBroken, hasID, noteOfLink, trashedBy:
		return true
	}
	return false
}

// onID reports whether the predicate needs the id of a link alone, and not its row.
func (p predicate) onID() bool {
	switch p.kind {
	case inAny, inAll, inNone, inNoneVisible, hasID:
		return true
	}
	return false
}
