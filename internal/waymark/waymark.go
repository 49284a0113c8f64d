// Package waymark holds the words of the product: links, lists, tags, notes,
// users and keys, and the rules about them that need neither a database nor a
// network. Every other room speaks in these words; this one imports none of them.
package waymark

// The ids of the entries and people. Each kind has a type of its own, so that a
// list's id cannot be passed for a link's. Valid ids are positive.
type (
	UserID   int64
	APIKeyID int64
	LinkID   int64
	ListID   int64
	TagID    int64
	NoteID   int64
)

// ID is any of the id types.
type ID interface {
	UserID | APIKeyID | LinkID | ListID | TagID | NoteID
}

// Lengths that texts may have, in characters, except MaxURL, which counts bytes.
const (
	MaxName        = 255
	MaxTitle       = 1000
	MaxDescription = 100_000
	MaxNote        = 100_000
	MaxURL         = 8000
)

// Kind is one of the four kinds of entries.
type Kind string

// The kinds, by the names that clients use for them.
const (
	Links Kind = "links"
	Lists Kind = "lists"
	Tags  Kind = "tags"
	Notes Kind = "notes"
)
