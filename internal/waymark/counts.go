package waymark

// Counts are the numbers of entities that a page shows in its sidebar.
type Counts struct {
	Links, Lists, Tags int // that the viewer sees

	Trash int // the viewer's own entities of all kinds in the trash

	// These are the viewer's own, zero for a guest, and -1 if it is not known at the moment,
	// because there are many links and no search index.
	Unfiled          int // links without a list or tag that the viewer sees
	Broken           int // links whose status is not StatusOK
	NewlyBroken      int // links that checks have made broken
	Moved            int // links whose last check found their page at another URL
	Unread, Favorite int // links with these flags

	Archived int // archived links that the viewer sees, also those of others; zero and -1 as above
}
