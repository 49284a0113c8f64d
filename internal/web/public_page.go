package web

// publicPage is what the owner of a public tag or saved search learns about its page for guests.
type publicPage struct {
	Back      string // the path of the page
	Path      string // of the page for guests
	URL       string // of the page for guests
	Total     int    // links that the owner sees there
	Seen      int    // those that guests see
	Hidden    int    // the owner's own that guests do not see
	Selection string // their query, which can also select other links of the owner
}
