package waymark

// LabelFilter selects lists or tags among those that the viewer may see. The zero value
// selects all of them.
type LabelFilter struct {
	Name  string // a literal part of the name, without regard to case
	Owner UserID // zero for any
	Empty bool   // only tags without a link that the viewer sees, and lists without one in them and their sublists
}
