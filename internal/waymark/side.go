package waymark

// Side is what the pages show at their side.
type Side struct {
	Counts   Counts
	Searches []SavedSearch // sorted by name

	// Lists and Tags are the pinned ones, sorted by name, and then those of the user's own that
	// have the most links.
	Lists []SideLabel[ListID]
	Tags  []SideLabel[TagID]
}

// SideLabel is a list or a tag at the side of a page.
type SideLabel[I ListID | TagID] struct {
	ID        I
	Name      string
	LinkCount int // links that the viewer sees, or -1 as in Counts
}
