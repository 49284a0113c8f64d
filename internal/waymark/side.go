package waymark

// Side is what the pages show at their side.
type Side struct {
	Counts   Counts
	Searches []SavedSearch // sorted by name

	// Lists and Tags are the pinned ones, sorted by name, and then those of the user's own that
	// have the most links. They have their LinkCount, or -1 as in Counts.
	Lists []List
	Tags  []Tag
}
