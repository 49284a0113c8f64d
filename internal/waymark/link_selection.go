package waymark

// LinkSelection selects the links of a bulk change.
type LinkSelection struct {
	IDs    []int64
	Filter *LinkFilter // all links that satisfy it, instead of those with IDs
}
