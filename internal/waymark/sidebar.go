package waymark

// Sidebar is what the pages show in their sidebar.
type Sidebar struct {
	Counts   Counts
	Searches []SavedSearch // sorted by name
	Bundles  []Bundle      // in the order of their positions

	// Lists and Tags are the pinned ones, sorted by name, and then the user's own with the most
	// links.
	Lists []SidebarLabel[ListID]
	Tags  []SidebarLabel[TagID]
}

// SidebarLabel is a list or a tag in the sidebar.
type SidebarLabel[I ListID | TagID] struct {
	ID        I
	Name      string
	LinkCount int // links that the viewer sees, or -1 as in Counts
	Pinned    bool
}

// SidebarBranch is a list in the tree of the sidebar.
type SidebarBranch struct {
	ID, Parent ListID // Parent is zero if it stands in no list
	Name       string
	Sublists   bool // whether lists stand in it
}
