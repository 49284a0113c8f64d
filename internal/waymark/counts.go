package waymark

// Counts are the numbers of entities that a page shows at its side.
type Counts struct {
	Links, Lists, Tags int // that the viewer sees

	// These are the viewer's own, and zero for a guest.
	Trash   int // in the trash, of all kinds
	Unfiled int // links of which the viewer sees neither a list nor a tag
	Broken  int // links whose status is not StatusOK
}
