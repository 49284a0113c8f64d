// Package waymark defines the domain types: links, lists, tags, notes, users and API
// keys, and the rules about them that need neither a database nor a network. All other
// packages use these types; this one imports none of them.
package waymark

// The ids of entities, users and their credentials. Each has its own type, so that the id of a
// list cannot be passed as the id of a link. Valid ids are positive.
type (
	UserID       int64
	APIKeyID     int64
	SessionID    int64
	PasskeyID    int64
	TrustID      int64
	InvitationID int64
	LinkID       int64
	ListID       int64
	TagID        int64
	NoteID       int64

	SavedSearchID int64
	BundleID      int64
	ImportID      int64
	AttachmentID  int64
	PassageID     int64
	ChangeID      int64
)

// ID is any of the id types.
type ID interface {
	UserID | APIKeyID | SessionID | InvitationID | LinkID | ListID | TagID | NoteID | SavedSearchID | BundleID | ImportID | AttachmentID | ChangeID | PasskeyID | PassageID | TrustID
}

// EntityKind is the kind of an entity.
type EntityKind int

// The kinds of entities.
const (
	Links EntityKind = iota + 1
	Lists
	Tags
	Notes
)

// String returns the plural in lower case, which is also the name of the table.
func (k EntityKind) String() string {
	return [...]string{"unknown entities", "links", "lists", "tags", "notes"}[k]
}
