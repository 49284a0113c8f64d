package waymark

// SentText is a text of a link or a list as a program has sent it, where Waymark keeps another one. It holds while the
// value is still the one that was kept, so that the program gets back what it sent.
type SentText struct {
	SentField
	Sent, Kept string
}

// SentField is a field of a link or a list.
type SentField struct {
	Kind  EntityKind // Links or Lists
	ID    int64
	Field Field
}
