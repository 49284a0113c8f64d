package waymark

// LabelFilter selects lists or tags among those that the viewer may see. The zero value
// selects all of them.
type LabelFilter struct {
	Name  string // a literal part of the name, without regard to case
	Owner UserID // zero for any
}
