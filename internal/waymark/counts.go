package waymark

// Counts are the numbers of entities that a page shows in its sidebar.
type Counts struct {
	Links, Lists, Tags int // that the viewer sees

	Trash int // the viewer's own entities of all kinds in the trash

	// These are the viewer's own, and zero for a guest.
	Unread, Favorite int // links with these flags

	Archived int // archived links that the viewer sees, also those of others; zero for a guest
}

// Facets are what some links have in common: conditions that select a part of them.
type Facets struct {
	Total int    // of the links; the rest is empty if they are not counted
	Lists []List // those with most of the links; LinkCount is their number
	Tags  []Tag  // likewise
	Hosts []HostCount
	Years []YearCount // in which links were saved, in order
	Older YearCount   // the links saved before this year are counted; zero if there are none
}

// HostCount is a host, without www., and the number of the links on it and its subdomains.
type HostCount struct {
	Host  string
	Links int
}

// YearCount is a year, and the number of links.
type YearCount struct{ Year, Links int }

// Sidebar is what the pages show in their sidebar.
type Sidebar struct {
	Counts   Counts
	Searches []SavedSearch // sorted by name
	Bundles  []Bundle      // in the order of their positions

	// Lists and Tags are the pinned ones, by name, and then the user's own with most links.
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

// ListBranch is a list in a tree of which only some branches are open.
type ListBranch struct {
	ID, Parent ListID // Parent is zero if it stands in no list
	Name       string
	Visibility Visibility
	Siblings   int // the number of lists in Parent, with this one
	Sublists   int // the number of lists that stand in it
}
