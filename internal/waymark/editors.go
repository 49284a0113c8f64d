package waymark

import "fmt"

// Part is what of an entity a write changes.
type Part int

// The parts.
const (
	Whole   Part = iota // anything
	Texts               // title, description and URL of a link
	Content             // which links and sublists a list has
)

// Target is what a write changes.
type Target struct {
	Kind  EntityKind
	Owner UserID
	Part  Part

	// Editor says that the user is an editor of the list, or of one into which the owner of the link has put it. The store
	// finds that out in the transaction of the write.
	Editor bool
}

// MayWrite returns nil if a user may change a target, and ErrForbidden otherwise. Every write asks it, and nothing else
// decides that. A method on one entity returns the error; a method on several skips the entity.
func (u User) MayWrite(t Target) error {
	isShared := t.Part == Texts && t.Kind == Links || t.Part == Content && t.Kind == Lists
	if u.ID != Guest && (u.ID == t.Owner || t.Editor && isShared) {
		return nil
	}
	return ErrForbidden
}

// Editing says who may change what a list contains, besides its owner.
type Editing int64

// The choices.
const (
	EditedAsParent   Editing = iota // the editors of the list in which it stands, or nobody
	EditedByOwner                   // nobody
	EditedByNamed                   // some people
	EditedByEveryone                // all users
)

var editingNames = [...]string{EditedAsParent: "parent", EditedByOwner: "owner", EditedByNamed: "named", EditedByEveryone: "everyone"}

// String returns the name of e in the API.
func (e Editing) String() string { return editingNames[e] }

// ParseEditing parses the names that String returns.
func ParseEditing(name string) (Editing, error) {
	for e, known := range editingNames {
		if name == known {
			return Editing(e), nil
		}
	}
	return 0, fmt.Errorf("invalid editors %q: use parent, owner, named or everyone", name)
}

// IsShared reports whether others than the owner are editors.
func (e Editing) IsShared() bool { return e == EditedByNamed || e == EditedByEveryone }

// Editors say who may change what a list contains.
type Editors struct {
	Who   Editing
	Users []string // the names of those who are named here or, with EditedAsParent, in From
	From  ListID   // the list whose editors count; not set when editors are set
}

// SharedChange is what somebody has changed in a list or a link of another user.
type SharedChange struct {
	ID        ChangeID
	List      ListID
	User      string // the name of who has made it, "" if they were removed
	Kind      ChangeKind
	Links     []LinkID // those that the viewer sees, at most MaxChangeLinks
	Total     int      // the number of all links
	CreatedAt Time
}

// ChangeKind is what a SharedChange has done.
type ChangeKind string

// The kinds of changes.
const (
	LinksPut    ChangeKind = "put"    // into the list
	LinksTaken  ChangeKind = "taken"  // out of the list
	LinksEdited ChangeKind = "edited" // their texts or their URLs
)

// MaxChangeLinks is the maximum number of links that a SharedChange names.
const MaxChangeLinks = 100
